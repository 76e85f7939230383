/** Reading a log: every call looks at the newest commit, copies what it returns, and leaves no cursor or snapshot open. */
import {
  type ConsumedOffset,
  type LogRecord,
  type TopicSpec,
  unknownTopic,
  type Watermarks,
} from '@seamstream/event-log';
import { compareText } from '@seamstream/kernel';
import { type LogFiles, translated } from './log-files.js';
import { blockKey, type OwnerRow, placeOf, prefixRange, stateKey, type TopicRow } from './log-keys.js';
import { corrupt, decodeRecords, type OpenBlock, openBlock } from './record-block.js';

/** Of blocks, after which a list of records ends: who reads along should not hold hundreds of records of a megabyte. */
const ENOUGH_BYTES = 8 * 2 ** 20;

export class LogReader {
  private readonly topicRows = new Map<string, TopicRow>();
  /**
   * By number of topic and of partition where the last reading ended: readers continue from there, often in the middle of a block, which
   * then need not be copied and checked again. What is in a block never changes.
   */
  private readonly ends = new Map<number, { readonly next: number; readonly block: OpenBlock | undefined }[]>();

  constructor(private readonly files: LogFiles) {}

  /**
   * Number of the last commit of records or offsets, by any process. Read from a row: LMDB's own number would come with
   * `getStats`, which leaves a snapshot open that later reads are then stuck on (lmdb 3.5.6).
   */
  lastCommit(): number {
    return this.fresh('look for news', () => this.files.state.getBinary(stateKey.commits)?.readDoubleLE(0) ?? 0);
  }

  topics(): TopicSpec[] {
    return this.fresh('list topics', () =>
      [...this.files.state.getRange({ ...prefixRange('t/'), snapshot: false })].map(({ key, value }) => ({
        name: Buffer.from(key).toString('latin1').slice(2),
        partitions: (JSON.parse(Buffer.from(value).toString()) as TopicRow).partitions,
      })),
    );
  }

  /** UNKNOWN_TOPIC when there is none. Topics never change once made, so a row is read once. */
  topic(operation: string, name: string): TopicRow {
    let row = this.topicRows.get(name);
    if (!row) {
      const found = this.fresh(operation, () => this.files.state.getBinary(stateKey.topic(name)));
      if (!found)
        throw unknownTopic(
          operation,
          name,
          this.topics().map((topic) => topic.name),
        );
      row = JSON.parse(found.toString()) as TopicRow;
      this.topicRows.set(name, row);
    }
    return row;
  }

  /** UNKNOWN_TOPIC when the topic has no such partition. */
  partition(operation: string, name: string, partition: number): TopicRow {
    const row = this.topic(operation, name);
    if (!Number.isInteger(partition) || partition < 0 || partition >= row.partitions)
      throw unknownTopic(operation, name, [name], partition);
    return row;
  }

  watermarks(operation: string, name: string): Watermarks[] {
    const { id, partitions } = this.topic(operation, name);
    return this.fresh(operation, () =>
      Array.from({ length: partitions }, (_, partition) => ({ partition, low: 0, high: this.end(id, partition) })),
    );
  }

  /** High watermark of a partition. */
  high(operation: string, name: string, partition: number): number {
    const { id } = this.partition(operation, name, partition);
    return this.fresh(operation, () => this.end(id, partition));
  }

  committedOffsets(group: string): ConsumedOffset[] {
    return this.fresh('read committed offsets', () => {
      const prefix = `c/${group}/`;
      return [...this.files.state.getRange({ ...prefixRange(prefix), snapshot: false })]
        .map(({ key, value }) => {
          const name = Buffer.from(key).toString('latin1').slice(prefix.length);
          const slash = name.lastIndexOf('/');
          return {
            topic: name.slice(0, slash),
            partition: Number(name.slice(slash + 1)),
            nextOffset: Number(Buffer.from(value).toString()),
          };
        })
        .sort((a, b) => compareText(a.topic, b.topic) || a.partition - b.partition);
    });
  }

  /** Committed offset of a partition, undefined before the first commit, and who owns it. */
  progress(
    group: string,
    topic: string,
    partition: number,
  ): { readonly nextOffset: number | undefined; readonly owner: OwnerRow | undefined } {
    return this.fresh('consume', () => {
      const offset = this.files.state.getBinary(stateKey.committed(group, topic, partition));
      const owner = this.files.state.getBinary(stateKey.owner(group, topic, partition));
      return {
        nextOffset: offset && Number(offset.toString()),
        owner: owner && (JSON.parse(owner.toString()) as OwnerRow),
      };
    });
  }

  /**
   * Up to `maxRecords` records with offsets in [from, to), fewer where they are large; `to` at most the high watermark. A damaged record ends the list;
   * when it is the first one, LOG_CORRUPT.
   */
  records(
    topic: string,
    partition: number,
    range: {
      readonly from: number;
      readonly to: number;
      readonly maxRecords: number;
      readonly withoutHeaders?: boolean;
    },
  ): LogRecord[] {
    const { id } = this.partition('read', topic, partition);
    const to = Math.min(range.to, range.from + range.maxRecords);
    const records: LogRecord[] = [];
    if (range.from >= to) return records;
    return this.fresh(`read ${topic}/${partition}`, () => {
      try {
        let block = this.blockToGoOnWith(topic, id, partition, range.from);
        for (let bytes = 0; ; ) {
          decodeRecords(block, { ...range, to }, records);
          const next = block.baseOffset + block.count;
          bytes += block.bytes.length;
          if (next >= to || bytes >= ENOUGH_BYTES) {
            this.endsOf(id)[partition] = { next, block: next > to ? block : undefined };
            return records;
          }
          block = this.blockAt(topic, id, partition, next);
        }
      } catch (error) {
        if (records.length > 0) return records; // what is sound is served; the next call meets the damage
        throw error;
      }
    });
  }

  /** Offset of the first record at or after the time (milliseconds since the epoch); the high watermark when there is none. */
  offsetForTime(topic: string, partition: number, timestampMs: number): number {
    const { id } = this.partition('look up a time', topic, partition);
    return this.fresh('look up a time', () => {
      const end = this.end(id, partition);
      // The greatest time stamp up to a block never falls from block to block: find the first block where it reaches the time.
      let [low, high] = [0, end];
      while (low < high) {
        const block = this.blockWith(topic, id, partition, Math.floor((low + high) / 2));
        if (block.maxTimestampMs >= timestampMs) high = block.baseOffset;
        else low = block.baseOffset + block.count;
      }
      if (low >= end) return end;
      const block = this.blockWith(topic, id, partition, low);
      const records: LogRecord[] = [];
      decodeRecords(block, { from: block.baseOffset, to: end, withoutHeaders: true }, records);
      return records.find((record) => record.timestampMs >= timestampMs)?.offset ?? block.baseOffset + block.count;
    });
  }

  private end(topicId: number, partition: number): number {
    return this.files.state.getBinary(stateKey.partition(topicId, partition))?.readDoubleLE(0) ?? 0;
  }

  private blockToGoOnWith(topic: string, topicId: number, partition: number, offset: number): OpenBlock {
    const end = this.endsOf(topicId)[partition];
    if (end?.next === offset) return this.blockAt(topic, topicId, partition, offset);
    if (end?.block !== undefined && end.block.baseOffset <= offset && offset < end.next) return end.block;
    return this.blockWith(topic, topicId, partition, offset);
  }

  private endsOf(topicId: number): { readonly next: number; readonly block: OpenBlock | undefined }[] {
    let ends = this.ends.get(topicId);
    if (ends === undefined) this.ends.set(topicId, (ends = []));
    return ends;
  }

  /** lmdb copies the block out of its memory map: the block's records may keep pointing into it. */
  private blockAt(topic: string, topicId: number, partition: number, baseOffset: number): OpenBlock {
    const bytes = this.files.records.getBinary(blockKey(topicId, partition, baseOffset));
    if (!bytes) throw corrupt(topic, partition, baseOffset, 'its block is missing');
    return openBlock(topic, { topicId, partition, baseOffset }, bytes);
  }

  private blockWith(topic: string, topicId: number, partition: number, offset: number): OpenBlock {
    const options = { start: blockKey(topicId, partition, offset), reverse: true, limit: 1, snapshot: false };
    for (const key of this.files.records.getKeys(options)) {
      const place = placeOf(key);
      if (place?.topicId !== topicId || place.partition !== partition) break;
      const block = this.blockAt(topic, topicId, partition, place.baseOffset);
      if (offset < block.baseOffset + block.count) return block;
    }
    throw corrupt(topic, partition, offset, 'its block is missing');
  }

  private fresh<T>(operation: string, read: () => T): T {
    try {
      this.files.root.resetReadTxn();
      return read();
    } catch (error) {
      throw translated(error, operation);
    }
  }
}
