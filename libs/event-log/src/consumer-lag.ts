import type { EventLog, ReadOptions } from './event-log.js';

/** Offsets up to here are looked at for records: transactions leave a marker each, and what was aborted. */
const MAX_LOOKED_AT = 1000;

/**
 * Offsets of a topic that a group has not consumed yet, per partition; 0 where no record stands between them, but only what a
 * log keeps besides its records (the end of Kafka's transactions, and what they aborted).
 */
export async function consumerLag(log: EventLog, group: string, topic: string): Promise<ReadonlyMap<number, number>> {
  const [watermarks, committed] = await Promise.all([log.watermarks(topic), log.committedOffsets(group)]);
  return new Map(
    await Promise.all(
      watermarks.map(async ({ partition, low, high }): Promise<[number, number]> => {
        const next =
          committed.find((offset) => offset.topic === topic && offset.partition === partition)?.nextOffset ?? low;
        const from = Math.max(low, next);
        const lag = high - from;
        const isConsumed =
          lag > 0 && lag <= MAX_LOOKED_AT && !(await hasRecord(log, { topic, partition, from, to: high }));
        return [partition, isConsumed ? 0 : lag];
      }),
    ),
  );
}

async function hasRecord(log: EventLog, stretch: ReadOptions): Promise<boolean> {
  try {
    for await (const records of log.read({ ...stretch, chunkRecords: 1 })) if (records.length > 0) return true;
    return false;
  } catch {
    return true; // a record that cannot be read now, say for want of its schema
  }
}
