import type { EventLog } from '@seamstream/event-log';
import { isSeamError } from '@seamstream/kernel';
import type { ReadRange } from './read-range.js';

/**
 * What is stored of a topic now, per partition. Nothing where the log has no such topic: a log that was copied has those
 * topics alone that were copied, and reading makes none.
 */
export async function storedRanges(log: EventLog, topic: string): Promise<readonly ReadRange[]> {
  try {
    const marks = await log.watermarks(topic);
    return marks.map(({ partition, low, high }) => ({ topic, partition, from: low, to: high }));
  } catch (error) {
    if (isSeamError(error, 'UNKNOWN_TOPIC')) return [];
    throw error;
  }
}

/** The same ranges without the records that are older, by their log's clock. One of which nothing is left is empty. */
export function rangesSince(
  log: EventLog,
  ranges: readonly ReadRange[],
  sinceMs: number,
): Promise<readonly ReadRange[]> {
  return Promise.all(
    ranges.map(async ({ topic, partition, from, to }) => {
      const since = await log.offsetForTime(topic, partition, sinceMs);
      return { topic, partition, from: Math.max(from, since), to };
    }),
  );
}
