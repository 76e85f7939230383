/** The versions of all shards in the log, and the check that they are of a buffer with the same number of shards. */

import { type EventLog, partitionForKey, type Watermarks } from '@seamstream/event-log';
import { type EventOf, TOPIC } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { readEvents } from '@seamstream/log-reader';
import { COMMITS_KEY } from '@seamstream/success-buffer';

const CHUNK_RECORDS = 500;

/**
 * Checks every version that any process committed from an offset on.
 * @param from what restoreFold or the last check returned
 * @returns the end of the checked range: before it, no version is of a buffer that was divided otherwise
 * @throws CONFLICT when one is
 */
export async function checkedVersions(log: EventLog, from: number, shards: number): Promise<number> {
  const { partition, high } = await placeOfVersions(log);
  await versionsIn(log, { partition, from, to: high }, shards);
  return high;
}

/**
 * Checks the newest version, so that an instance that only stands by also refuses the wrong number of shards. The instance that
 * takes the buffer over checks all others.
 * @throws CONFLICT when it is of a buffer that was divided otherwise
 */
export async function checkDivision(log: EventLog, shards: number): Promise<void> {
  await lastVersions(log, await placeOfVersions(log), shards, () => true);
}

interface Stretch {
  readonly partition: number;
  readonly from: number;
  readonly to: number;
}

/** The partition that holds all versions, in their order, among decisions whose keys belong to it too. */
export async function placeOfVersions(log: EventLog): Promise<Watermarks> {
  const watermarks = await log.watermarks(TOPIC.buffer);
  const partition = partitionForKey(COMMITS_KEY, watermarks.length);
  return watermarks.find((each) => each.partition === partition)!;
}

/**
 * The end of the log, read backwards in stretches that double, until it contains a wanted version.
 * @returns the versions there in their order, and the offset where it begins
 */
export async function lastVersions(
  log: EventLog,
  { partition, low, high }: Watermarks,
  shards: number,
  isSought: (version: EventOf<'BufferCommitted'>) => boolean,
): Promise<{ readonly versions: readonly EventOf<'BufferCommitted'>[]; readonly from: number }> {
  let versions: readonly EventOf<'BufferCommitted'>[] = [];
  let from = high;
  for (let length = CHUNK_RECORDS; from > low && !versions.some(isSought); length *= 2) {
    const to = from;
    from = Math.max(low, to - length);
    versions = [...(await versionsIn(log, { partition, from, to }, shards)), ...versions];
  }
  return { versions, from };
}

/**
 * The versions of all shards in a stretch of the log, in their order.
 * @throws CONFLICT when the buffer was divided otherwise: rows that were kept before would be kept and announced a second time
 */
export async function versionsIn(
  log: EventLog,
  { partition, from, to }: Stretch,
  shards: number,
): Promise<readonly EventOf<'BufferCommitted'>[]> {
  const versions: EventOf<'BufferCommitted'>[] = [];
  // A record that cannot be read could be a version. Without it, that version would be made again.
  const chunks = readEvents(log, [{ topic: TOPIC.buffer, partition, from, to }], {
    undecodable: 'throw',
    wants: ({ key }) => key === COMMITS_KEY,
    chunkRecords: CHUNK_RECORDS,
  });
  for await (const { events } of chunks)
    for (const { event } of events) if (event.type === 'BufferCommitted') versions.push(event);
  const other = versions.find((version) => version.shards !== shards);
  if (other === undefined) return versions;
  throw new SeamError(
    'CONFLICT',
    `Cannot divide the buffer into ${shards}: expected versions of that many shards in ${TOPIC.buffer}, got one of ${other.shards} (${other.manifestKey}). Set SEAM_BUFFER_SHARDS to ${other.shards}, or copy the log with "seam replay copy --done" and divide the buffer there, where it is rebuilt from the outcomes.`,
    { details: { shards, found: other.shards, manifestKey: other.manifestKey } },
  );
}
