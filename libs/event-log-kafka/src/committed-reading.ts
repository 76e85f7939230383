/** Reads committed records and the offsets of partitions and groups, outside any group. */
import {
  type ConsumedOffset,
  checkReadRange,
  DEFAULT_CHUNK_RECORDS,
  type LogRecord,
  type ReadOptions,
  type Watermarks,
} from '@seamstream/event-log';
import { compareText } from '@seamstream/kernel';
import type { ClusterNames } from './cluster-names.js';
import type { ClusterTopics } from './cluster-topics.js';
import { fetchCommitted } from './fetch-request.js';
import type { KafkaConnection } from './kafka-connection.js';
import { EARLIEST, LATEST, listOffsets } from './offsets.js';

const READ_WAIT_MS = 500;

export class CommittedReading {
  /** @param maxBatchBytes of a record batch once decompressed */
  constructor(
    private readonly connection: KafkaConnection,
    private readonly topics: ClusterTopics,
    private readonly names: ClusterNames,
    private readonly maxBatchBytes: number,
  ) {}

  /** @param assertOpen called before each chunk */
  async *read(
    { topic, partition, from, to, chunkRecords = DEFAULT_CHUNK_RECORDS }: ReadOptions,
    assertOpen: () => void,
  ): AsyncIterable<readonly LogRecord[]> {
    await this.topics.find('read', topic, partition);
    const stored = await this.watermarksOf('read', topic, partition);
    const end = to ?? stored.high;
    checkReadRange({ topic, ...stored }, from, end);
    const fetch = (at: number) => this.fetch(topic, partition, at);
    let answer = from < end ? fetch(from) : undefined;
    answer?.catch(() => undefined); // thrown where it is awaited
    while (answer) {
      const { records, nextOffset } = await answer;
      // The next answer is on its way while this one is looked at.
      answer = nextOffset < end ? fetch(nextOffset) : undefined;
      answer?.catch(() => undefined);
      const wanted = (records.at(-1)?.offset ?? 0) < end ? records : records.filter(({ offset }) => offset < end);
      for (let at = 0; at < wanted.length; at += chunkRecords) {
        assertOpen();
        yield wanted.slice(at, at + chunkRecords).map(this.names.toLogical);
      }
    }
  }

  async offsetForTime(topic: string, partition: number, timestampMs: number): Promise<number> {
    await this.topics.find('look up a time', topic, partition);
    const name = this.names.physical(topic);
    const { high } = await this.watermarksOf('look up a time', topic, partition);
    const found = await this.connection.attempt('look up a time', () =>
      listOffsets(this.connection, name, [partition], timestampMs),
    );
    // Markers of transactions have a time, too: the broker's. The answer may be one; the record is not before it.
    for (let at = found.get(partition)!; at >= 0 && at < high; ) {
      const { records, nextOffset } = await this.fetch(topic, partition, at);
      const first = records.find((record) => record.timestampMs >= timestampMs && record.offset < high);
      if (first) return first.offset;
      at = nextOffset;
    }
    return high;
  }

  async committedOffsets(group: string): Promise<readonly ConsumedOffset[]> {
    const name = this.names.physical(group);
    const { connection } = this;
    // Asked about "all", a broker leaves out a partition whose first offset is about to be committed; asked about the
    // partition it says so, and the answer is waited for.
    await connection.attempt('read committed offsets', () => connection.refresh());
    const places = this.topics
      .visible()
      .flatMap((topic) => topic.leaders.map((_leader, partition) => ({ topic: topic.name, partition })));
    const offsets = await connection.attempt('read committed offsets', async () =>
      (await connection.coordinator('group', name)).groupOffsets(name, places),
    );
    return offsets
      .map((offset) => ({ ...offset, topic: this.names.logical(offset.topic) }))
      .sort((a, b) => compareText(a.topic, b.topic) || a.partition - b.partition);
  }

  /** Of each partition of a topic. */
  async watermarks(topic: string): Promise<readonly Watermarks[]> {
    const { leaders } = await this.topics.find('read watermarks', topic);
    return this.stored('read watermarks', topic, [...leaders.keys()]);
  }

  async watermarksOf(operation: string, topic: string, partition: number): Promise<Watermarks> {
    return (await this.stored(operation, topic, [partition]))[0]!;
  }

  private stored(operation: string, topic: string, partitions: readonly number[]): Promise<readonly Watermarks[]> {
    const name = this.names.physical(topic);
    return this.connection.attempt(operation, async () => {
      const low = await listOffsets(this.connection, name, partitions, EARLIEST);
      const high = await listOffsets(this.connection, name, partitions, LATEST);
      return partitions.map((partition) => ({
        partition,
        low: low.get(partition)!,
        high: Math.max(low.get(partition)!, high.get(partition)!),
      }));
    });
  }

  private fetch(
    topic: string,
    partition: number,
    from: number,
  ): Promise<{ records: readonly LogRecord[]; nextOffset: number }> {
    const name = this.names.physical(topic);
    return this.connection.attempt('read', async () => {
      const broker = await this.connection.leader(name, partition);
      const [answer] = await fetchCommitted(broker, [{ topic: name, partition, from }], {
        maxWaitMs: READ_WAIT_MS,
        maxBatchBytes: this.maxBatchBytes,
      });
      if (answer!.error) throw answer!.error;
      return answer!;
    });
  }
}
