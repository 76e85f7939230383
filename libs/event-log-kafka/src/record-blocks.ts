import { partitionName, type RecordPosition } from '@seamstream/event-log';
import type { Block } from './producer-session.js';

/** A record that knows its partition, by the names of the cluster. */
export interface PlacedRecord {
  readonly topic: string;
  readonly partition: number;
  /** Of the record in a batch. */
  readonly bytes: number;
  readonly message: Block['messages'][number];
}

/**
 * Most bytes of records in one batch, before compression. A broker's `max.message.bytes` (1 048 588) bounds the batch. A
 * single record of the largest size is a batch by itself.
 */
const MAX_BATCH_BYTES = 900_000;

/** Records by partition, in order, in batches that a broker takes, and each record's position once the batches have theirs. */
export function blocksOf(records: readonly PlacedRecord[]): {
  readonly blocks: readonly Block[];
  readonly positionsAt: (baseOffsets: readonly number[]) => RecordPosition[];
} {
  const blocks: { topic: string; partition: number; messages: Block['messages'][number][]; bytes: number }[] = [];
  const open = new Map<string, number>();
  const places = records.map(({ topic, partition, bytes, message }) => {
    const name = partitionName(topic, partition);
    let block = open.get(name);
    if (block === undefined || blocks[block]!.bytes + bytes > MAX_BATCH_BYTES) {
      block = blocks.push({ topic, partition, messages: [], bytes: 0 }) - 1;
      open.set(name, block);
    }
    blocks[block]!.bytes += bytes;
    return { block, index: blocks[block]!.messages.push(message) - 1 };
  });
  return {
    blocks,
    positionsAt: (baseOffsets) =>
      places.map(({ block, index }) => {
        const { topic, partition } = blocks[block]!;
        return { topic, partition, offset: baseOffsets[block]! + index };
      }),
  };
}
