/**
 * One fetch of one broker: committed records of several partitions. The answer is read here instead of by kafkajs, see
 * record-set.ts for why.
 *
 * Fetch response v11: throttleMs i32 | error i16 | session i32 | [topic string | [partition i32 | error i16 | high i64
 * | lastStable i64 | logStart i64 | [producerId i64 | firstOffset i64] | preferredReplica i32 | recordSet bytes]]
 */
import type { LogRecord } from '@seamstream/event-log';
import { SeamError } from '@seamstream/kernel';
import type Cluster from 'kafkajs/src/cluster/index.js';
import errors from 'kafkajs/src/protocol/error.js';
import fetchRequest from 'kafkajs/src/protocol/requests/fetch/v11/request.js';
import { type AbortedTransaction, committedRecords, unreadableRecord } from './record-set.js';

/** Kafka's word for "only what is committed". */
export const READ_COMMITTED = 1;
/** Most bytes of an answer: the protocol's default for consumers is 50 MB, too much to hold per broker. */
const MAX_ANSWER_BYTES = 8 * 1024 ** 2;
/** As `max.partition.fetch.bytes` of Kafka's own consumer. A larger batch comes whole nevertheless (KIP-74). */
const MAX_PARTITION_BYTES = 1024 ** 2;

export interface FetchPlace {
  readonly topic: string;
  readonly partition: number;
  readonly from: number;
}

export interface FetchedPartition extends FetchPlace {
  /** What is wrong with this partition alone: a broker's error. */
  readonly error: Error | undefined;
  readonly records: readonly LogRecord[];
  readonly nextOffset: number;
  /** Where committed records end: the last stable offset. */
  readonly high: number;
  readonly low: number;
}

interface RawPartition {
  readonly topic: string;
  readonly partition: number;
  readonly error: number;
  readonly high: number;
  readonly low: number;
  readonly aborted: readonly AbortedTransaction[];
  readonly set: Buffer;
}

/**
 * Waits up to `maxWaitMs` for the first byte. `maxBatchBytes` bounds a batch once decompressed; what is damaged comes as a
 * record that says so. Throws kafkajs' errors.
 */
export async function fetchCommitted(
  broker: Cluster.Broker,
  places: readonly FetchPlace[],
  { maxWaitMs, maxBatchBytes }: { readonly maxWaitMs: number; readonly maxBatchBytes: number },
): Promise<FetchedPartition[]> {
  const raw = await ask(broker, places, maxWaitMs);
  return Promise.all(
    raw.map(async ({ topic, partition, error, high, low, aborted, set }): Promise<FetchedPartition> => {
      const { from } = places.find((asked) => asked.topic === topic && asked.partition === partition)!;
      const place = { topic, partition, from, high };
      const found = { ...place, low, error: undefined };
      if (error !== 0) return { ...found, error: errors.createErrorFromCode(error), records: [], nextOffset: from };
      const read = await committedRecords(place, set, aborted, maxBatchBytes);
      if (!read.isCutOff) return { ...found, ...read };
      // A partition that is asked for alone is answered with a whole batch, however large (KIP-74): else its length is a lie.
      if (places.length > 1)
        return (await fetchCommitted(broker, [{ topic, partition, from }], { maxWaitMs, maxBatchBytes }))[0]!;
      const why = `the broker's ${set.length} bytes of it end before the length that it names`;
      return { ...found, records: [unreadableRecord(place, from, from, why)], nextOffset: from + 1 };
    }),
  );
}

async function ask(
  broker: Cluster.Broker,
  places: readonly FetchPlace[],
  maxWaitMs: number,
): Promise<readonly RawPartition[]> {
  const byTopic = Map.groupBy(places, ({ topic }) => topic);
  return broker.connectionPool.send<readonly RawPartition[]>({
    request: fetchRequest({
      replicaId: -1,
      isolationLevel: READ_COMMITTED,
      maxWaitTime: maxWaitMs,
      minBytes: 1,
      maxBytes: MAX_ANSWER_BYTES,
      topics: [...byTopic].map(([topic, wanted]) => ({
        topic,
        partitions: wanted.map(({ partition, from }) => ({
          partition,
          fetchOffset: String(from),
          maxBytes: MAX_PARTITION_BYTES,
        })),
      })),
    }),
    response: { decode: async (payload) => readAnswer(payload), parse: async (decoded) => decoded },
  });
}

/** @throws LOG_CORRUPT for bytes that are no such answer */
function readAnswer(payload: Buffer): RawPartition[] {
  try {
    return readPartitions(payload);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new SeamError(
      'LOG_CORRUPT',
      `reading on Kafka: expected an answer of the Fetch API, got ${payload.length} bytes that end in the middle of one. Check what stands between this process and the brokers.`,
      { cause },
    );
  }
}

function readPartitions(payload: Buffer): RawPartition[] {
  const error = payload.readInt16BE(4);
  if (error !== 0) throw errors.createErrorFromCode(error);
  let at = 10;
  const int32 = (): number => payload.readInt32BE((at += 4) - 4);
  const int64 = (): number => Number(payload.readBigInt64BE((at += 8) - 8));
  const partitions: RawPartition[] = [];
  for (let topics = int32(); topics > 0; topics--) {
    const nameBytes = payload.readInt16BE(at);
    const topic = payload.toString('utf8', at + 2, at + 2 + nameBytes);
    at += 2 + nameBytes;
    for (let count = int32(); count > 0; count--) {
      const partition = int32();
      const partitionError = payload.readInt16BE(at);
      at += 2;
      at += 8; // the high watermark counts what is not committed, too
      const high = int64();
      const low = int64();
      const aborted: AbortedTransaction[] = [];
      for (let left = int32(); left > 0; left--) aborted.push({ producerId: int64(), firstOffset: int64() });
      at += 4; // preferred replica
      const setBytes = Math.max(0, int32());
      partitions.push({
        topic,
        partition,
        error: partitionError,
        high,
        low,
        aborted,
        set: payload.subarray(at, at + setBytes),
      });
      at += setBytes;
    }
  }
  return partitions;
}
