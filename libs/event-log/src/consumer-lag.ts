import type { EventLog, ReadOptions } from './event-log.js';

/** Offsets up to here are looked at for a record: transactions leave a marker each, and what was aborted. */
const MAX_LOOKED_AT = 1000;

/** What a group has not consumed of a partition. */
export interface Waiting {
  /** Offsets; 0 where no record stands between them, but only what a log keeps besides its records. */
  readonly lag: number;
  /**
   * When the oldest record of them was appended, in milliseconds since the epoch; undefined where there is none, or where it is not among
   * the first offsets that are looked at.
   */
  readonly sinceMs: number | undefined;
}

/** What a group has not consumed of a topic yet, per partition. */
export async function waitingFor(log: EventLog, group: string, topic: string): Promise<ReadonlyMap<number, Waiting>> {
  const [watermarks, committed] = await Promise.all([log.watermarks(topic), log.committedOffsets(group)]);
  return new Map(
    await Promise.all(
      watermarks.map(async ({ partition, low, high }): Promise<[number, Waiting]> => {
        const next =
          committed.find((offset) => offset.topic === topic && offset.partition === partition)?.nextOffset ?? low;
        const from = Math.max(low, next);
        const lag = high - from;
        if (lag <= 0) return [partition, { lag, sinceMs: undefined }];
        const oldest = await oldestOf(log, { topic, partition, from, to: Math.min(high, from + MAX_LOOKED_AT) });
        const isConsumed = oldest === 'no record' && lag <= MAX_LOOKED_AT;
        return [partition, { lag: isConsumed ? 0 : lag, sinceMs: typeof oldest === 'number' ? oldest : undefined }];
      }),
    ),
  );
}

/**
 * Offsets of a topic that a group has not consumed yet, per partition; 0 where no record stands between them, but only what a
 * log keeps besides its records (the end of Kafka's transactions, and what they aborted).
 */
export async function consumerLag(log: EventLog, group: string, topic: string): Promise<ReadonlyMap<number, number>> {
  return new Map([...(await waitingFor(log, group, topic))].map(([partition, { lag }]) => [partition, lag]));
}

/** Milliseconds since the epoch of the first record. */
async function oldestOf(log: EventLog, stretch: ReadOptions): Promise<number | 'no record' | 'unknown'> {
  try {
    for await (const [first] of log.read({ ...stretch, chunkRecords: 1 }))
      if (first !== undefined) return first.timestampMs;
    return 'no record';
  } catch {
    return 'unknown'; // a record that cannot be read now, say for want of its schema
  }
}
