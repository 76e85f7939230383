import type { EventLog } from '@seamstream/event-log';
import { TOPIC } from '@seamstream/events';
import { decodeRecord, readMerged, readRecords, storedRanges } from '@seamstream/log-reader';
import { type DeadLetter, REDRIVE_HEADER } from './dead-letter.js';

/** All dead letters, oldest first. `unreadable` counts records of their topic that are no dead letters themselves. */
export async function readDeadLetters(
  log: EventLog,
): Promise<{ readonly letters: readonly DeadLetter[]; readonly unreadable: number }> {
  const letters: DeadLetter[] = [];
  let unreadable = 0;
  for await (const record of readMerged(log, await storedRanges(log, TOPIC.deadLetters))) {
    const decoded = decodeRecord(record);
    if ('event' in decoded && decoded.event.type === 'DeadLettered') letters.push(decoded.event);
    else unreadable++;
  }
  return { letters, unreadable };
}

/**
 * Places of the records that were redriven, read from the headers of the topics themselves, so that no other memory of
 * a redrive is needed. A redriven record stands behind its original in the same partition: only that part is read.
 */
export async function readRedriven(log: EventLog, letters: readonly DeadLetter[]): Promise<ReadonlySet<string>> {
  const firstOf = new Map<string, Map<number, number>>();
  for (const { topic, partition, offset } of letters) {
    const partitions = firstOf.get(topic) ?? new Map<number, number>();
    partitions.set(partition, Math.min(partitions.get(partition) ?? offset, offset));
    firstOf.set(topic, partitions);
  }
  const redriven = new Set<string>();
  const topics = new Set((await log.topics()).map(({ name }) => name));
  for (const [topic, partitions] of firstOf) {
    if (!topics.has(topic)) continue;
    for (const { partition, low, high } of await log.watermarks(topic)) {
      const first = partitions.get(partition);
      if (first === undefined) continue;
      const from = Math.min(Math.max(low, first), high);
      for await (const { records } of readRecords(log, [{ topic, partition, from, to: high }])) {
        for (const { headers } of records) {
          const place = headers[REDRIVE_HEADER];
          if (place !== undefined) redriven.add(place);
        }
      }
    }
  }
  return redriven;
}
