/**
 * The answer of the Fetch API, version 11, read here instead of by kafkajs: record-set.ts says why.
 *
 * throttleMs i32 | error i16 | session i32 | [topic string | [partition i32 | error i16 | high i64 | lastStable i64
 * | logStart i64 | [producerId i64 | firstOffset i64] | preferredReplica i32 | recordSet bytes]]
 */
import { SeamError } from '@seamstream/kernel';
import type { AbortedTransaction, FetchedSet } from '../broker-protocol.port.js';
import { refusalOf } from './kafkajs-errors.js';

/** @throws LOG_CORRUPT for bytes that are not such an answer; the broker's refusal of the whole request */
export function readFetchAnswer(payload: Buffer): FetchedSet[] {
  try {
    return readPartitions(payload);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new SeamError(
      'LOG_CORRUPT',
      `Cannot read from Kafka: expected an answer of the Fetch API, got ${payload.length} bytes that end in the middle of one. Check what is between this process and the brokers.`,
      { cause },
    );
  }
}

function readPartitions(payload: Buffer): FetchedSet[] {
  const error = payload.readInt16BE(4);
  if (error !== 0) throw refusalOf(error);
  let at = 10;
  const int32 = (): number => payload.readInt32BE((at += 4) - 4);
  const int64 = (): number => Number(payload.readBigInt64BE((at += 8) - 8));
  const partitions: FetchedSet[] = [];
  for (let topics = int32(); topics > 0; topics--) {
    const nameBytes = payload.readInt16BE(at);
    const topic = payload.toString('utf8', at + 2, at + 2 + nameBytes);
    at += 2 + nameBytes;
    for (let count = int32(); count > 0; count--) {
      const partition = int32();
      const partitionError = payload.readInt16BE(at);
      at += 2;
      at += 8; // the high watermark also counts uncommitted records
      const high = int64();
      const low = int64();
      const aborted: AbortedTransaction[] = [];
      for (let left = int32(); left > 0; left--) aborted.push({ producerId: int64(), firstOffset: int64() });
      at += 4; // preferred replica
      const setBytes = Math.max(0, int32());
      const refusal = partitionError === 0 ? undefined : refusalOf(partitionError);
      partitions.push({ topic, partition, refusal, high, low, aborted, set: payload.subarray(at, at + setBytes) });
      at += setBytes;
    }
  }
  return partitions;
}
