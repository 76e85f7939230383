/**
 * One fetch of one broker: committed records of several partitions, read by record-set.ts.
 */
import type { LogRecord } from '@seamstream/event-log';
import type { Broker, FetchPlace } from './broker-protocol.port.js';
import { committedRecords, unreadableRecord } from './record-set.js';

export interface FetchedPartition extends FetchPlace {
  /** What is wrong with this partition alone: a broker's error. */
  readonly error: Error | undefined;
  readonly records: readonly LogRecord[];
  readonly nextOffset: number;
  /** Where committed records end: the last stable offset. */
  readonly high: number;
  readonly low: number;
}

/**
 * Waits up to `maxWaitMs` for the first byte. `maxBatchBytes` bounds a batch once decompressed; what is damaged comes as a
 * record that says so. Throws the broker protocol's errors.
 */
export async function fetchCommitted(
  broker: Broker,
  places: readonly FetchPlace[],
  { maxWaitMs, maxBatchBytes }: { readonly maxWaitMs: number; readonly maxBatchBytes: number },
): Promise<FetchedPartition[]> {
  const sets = await broker.fetch(places, maxWaitMs);
  return Promise.all(
    sets.map(async ({ topic, partition, refusal, high, low, aborted, set }): Promise<FetchedPartition> => {
      const { from } = places.find((asked) => asked.topic === topic && asked.partition === partition)!;
      const place = { topic, partition, from, high };
      const found = { ...place, low, error: undefined };
      if (refusal !== undefined) return { ...found, error: refusal, records: [], nextOffset: from };
      const read = await committedRecords(place, set, aborted, maxBatchBytes);
      if (!read.isCutOff) return { ...found, ...read };
      // A partition that is asked for alone is answered with a whole batch of any size (KIP-74). Otherwise its length is wrong.
      if (places.length > 1)
        return (await fetchCommitted(broker, [{ topic, partition, from }], { maxWaitMs, maxBatchBytes }))[0]!;
      const why = `the broker's ${set.length} bytes of it end before the length that it names`;
      return { ...found, records: [unreadableRecord(place, from, from, why)], nextOffset: from + 1 };
    }),
  );
}
