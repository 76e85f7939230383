/** The committed versions of the success buffer, as log and object store hold them. */

import type { EventLog } from '@seamstream/event-log';
import { type EventOf, type SeamEvent, TOPIC } from '@seamstream/events';
import { SeamError, sha256 } from '@seamstream/kernel';
import type { ObjectStore } from '@seamstream/object-store';
import { type BufferManifest, type BufferRow, decodeManifest, readVersion } from '@seamstream/success-buffer';
import { readEvents } from '../log/read-events.js';
import { shortId } from '../terminal/text.js';
import { type BufferOverview, foldBufferEvents } from './buffer-overview.js';

export async function readOverview(log: EventLog): Promise<BufferOverview> {
  const events: SeamEvent[] = [];
  for await (const event of readEvents(log, TOPIC.buffer)) events.push(event);
  return foldBufferEvents(events);
}

/** The commit with this sequence, or the last. NOT_FOUND when there is none. */
export function selectCommit(overview: BufferOverview, sequence: number | undefined): EventOf<'BufferCommitted'> {
  const { commits } = overview;
  const found = sequence === undefined ? commits.at(-1) : commits.find((commit) => commit.sequence === sequence);
  if (found !== undefined) return found;
  const last = commits.at(-1)?.sequence;
  throw new SeamError(
    'NOT_FOUND',
    last === undefined
      ? 'Opening the buffer: expected a committed version, came none. The buffer commits one when a round of problems is complete (npm start runs it).'
      : `Opening the buffer: expected a version up to ${last}, came ${sequence ?? ''}.`,
    { details: { sequence, last } },
  );
}

/** The manifest that the commit names. OBJECT_CORRUPT when its content has another digest. */
export async function readManifest(
  objects: ObjectStore,
  { manifestKey, manifestDigest }: EventOf<'BufferCommitted'>,
): Promise<BufferManifest> {
  const bytes = await objects.get(manifestKey);
  expectDigest(manifestKey, sha256(bytes), manifestDigest);
  return decodeManifest(bytes);
}

/** The rows of a version, checked against the digests of file, manifest and commit. */
export async function readRows(
  objects: ObjectStore,
  commit: EventOf<'BufferCommitted'>,
): Promise<{ readonly manifest: BufferManifest; readonly rows: readonly BufferRow[] }> {
  const manifest = await readManifest(objects, commit);
  expectDigest(commit.manifestKey, manifest.bufferDigest, commit.bufferDigest);
  return { manifest, rows: await readVersion(manifest, (key) => objects.get(key)) };
}

function expectDigest(key: string, came: string, expected: string): void {
  if (came === expected) return;
  throw new SeamError(
    'OBJECT_CORRUPT',
    `Reading ${key}: expected content with digest ${shortId(expected)}…, came ${shortId(came)}…. Restore the object, or rebuild the buffer from the log.`,
    { details: { key, expected, came } },
  );
}
