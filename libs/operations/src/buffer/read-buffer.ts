/** The committed versions of the success buffer, as log and object store hold them. */

import type { EventLog } from '@seamstream/event-log';
import { type EventOf, type SeamEvent, TOPIC } from '@seamstream/events';
import { compareText, SeamError, sha256, shortId } from '@seamstream/kernel';
import { eventOf, readMerged, storedRanges } from '@seamstream/log-reader';
import type { ObjectStore } from '@seamstream/object-store';
import {
  type BufferManifest,
  type BufferRow,
  decodeManifest,
  newestVersions,
  readVersion,
  wholeBuffer,
} from '@seamstream/success-buffer';
import { type BufferOverview, foldBufferEvents } from './buffer-overview.js';

export async function readOverview(log: EventLog): Promise<BufferOverview> {
  const events: SeamEvent[] = [];
  for await (const record of readMerged(log, await storedRanges(log, TOPIC.buffer))) {
    const event = eventOf(record, 'skip');
    if (event !== undefined) events.push(event);
  }
  return foldBufferEvents(events);
}

/** Of every shard the commit with this sequence, or the last. NOT_FOUND when one is missing. */
export function selectCommits(
  { commits }: BufferOverview,
  sequence: number | undefined,
): readonly EventOf<'BufferCommitted'>[] {
  const wanted =
    sequence === undefined ? newestVersions(commits) : commits.filter((commit) => commit.sequence === sequence);
  const found = wholeBuffer(wanted);
  if (found.length > 0) return found;
  const last = commits.at(-1);
  const came =
    last === undefined
      ? 'expected a committed version, got none. The buffer commits one when a round of problems is complete (seam start runs it).'
      : last.shards > 1
        ? `expected a version ${sequence ?? ''} of each of ${last.shards} shards, got ${wanted.length} of them.`
        : `expected a version up to ${last.sequence}, got ${sequence ?? ''}.`;
  throw new SeamError('NOT_FOUND', `Cannot open the buffer: ${came}`, { details: { sequence, last: last?.sequence } });
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

/** The rows of a version of each shard, ascending by outcomeId, checked against the digests of file, manifest and commit. */
export async function readRows(
  objects: ObjectStore,
  commits: readonly EventOf<'BufferCommitted'>[],
): Promise<readonly BufferRow[]> {
  const rows: BufferRow[] = [];
  for (const commit of commits) {
    const manifest = await readManifest(objects, commit);
    expectDigest(commit.manifestKey, manifest.bufferDigest, commit.bufferDigest);
    rows.push(...(await readVersion(manifest, (key) => objects.get(key))));
  }
  return rows.sort((a, b) => compareText(a.outcomeId, b.outcomeId));
}

function expectDigest(key: string, came: string, expected: string): void {
  if (came === expected) return;
  throw new SeamError(
    'OBJECT_CORRUPT',
    `Cannot read ${key}: expected content with digest ${shortId(expected)}…, got ${shortId(came)}…. Restore the object, or rebuild the buffer from the log.`,
    { details: { key, expected, came } },
  );
}
