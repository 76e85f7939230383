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
