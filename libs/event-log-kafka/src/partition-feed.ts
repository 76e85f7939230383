/**
 * Reads ahead in a set of partitions: one fetch at a time per broker, for the partitions of which little is left in memory.
 * Records that were taken stay until later ones are asked for, so that uncommitted ones are delivered again without asking
 * the broker. Fetching pauses while no records are taken.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { LogRecord } from '@seamstream/event-log';
import { partitionName } from '@seamstream/event-log';
import { SeamError } from '@seamstream/kernel';
import { type FetchedPartition, fetchCommitted } from './fetch-request.js';
import type { KafkaConnection } from './kafka-connection.js';
import { brokerErrorOf, remedyFor, translated } from './kafka-errors.js';
import { EARLIEST, listOffsets } from './offsets.js';

/** Memory of a record besides its value, roughly. */
const RECORD_OVERHEAD_BYTES = 100;
/** Bytes of records held of a partition above which no more is fetched of it. */
const READ_AHEAD_BYTES = 1024 ** 2;
/** How long a fetch waits for news, when it asks for all partitions; with some left out, they would wait too. */
const IDLE_WAIT_MS = 500;
const BUSY_WAIT_MS = 20;
const MAX_RETRY_MS = 500;
/** How long a partition may be unknown before it is taken for deleted: metadata spreads through a cluster with delay. */
const UNKNOWN_GRACE_MS = 30_000;

interface Feed {
  readonly topic: string;
  readonly partition: number;
  records: LogRecord[];
  bytes: number;
  next: number;
  high: number;
  unknownSinceMs: number | undefined;
}

export interface FeedEvents {
  /** Something can be taken. */
  arrived(topic: string, partition: number): void;
  failed(error: SeamError): void;
  /** The place to read from is no longer stored: reading stays where it is. */
  deleted(topic: string, partition: number, from: number, low: number): void;
}

export class PartitionFeed {
  private readonly feeds = new Map<string, Feed>();
  private readonly busy = new Set<number>();
  private readonly ended = new AbortController();
  private retryMs = 0;

  /**
   * @param connection its own: fetches wait
   * @param maxBatchBytes of a batch once decompressed
   */
  constructor(
    private readonly connection: KafkaConnection,
    private readonly events: FeedEvents,
    private readonly maxBatchBytes: number,
  ) {}

  add(topic: string, partition: number, from: number): void {
    this.feeds.set(partitionName(topic, partition), {
      topic,
      partition,
      records: [],
      bytes: 0,
      next: from,
      high: -1,
      unknownSinceMs: undefined,
    });
    this.pump();
  }

  remove(topic: string, partition: number): void {
    this.feeds.delete(partitionName(topic, partition));
  }

  /** Up to `maxRecords` records from `from` on; forgets what is before. */
  take(topic: string, partition: number, from: number, maxRecords: number): readonly LogRecord[] {
    const feed = this.feeds.get(partitionName(topic, partition));
    if (!feed) return [];
    let passed = 0;
    while (passed < feed.records.length && feed.records[passed]!.offset < from)
      feed.bytes -= bytesOf(feed.records[passed++]!);
    if (passed > 0) {
      feed.records = feed.records.slice(passed);
      this.pump();
    }
    return feed.records.slice(0, maxRecords);
  }

  /** Where committed records of a partition ended when last looked; -1 before the first look. */
  high(topic: string, partition: number): number {
    return this.feeds.get(partitionName(topic, partition))?.high ?? -1;
  }

  close(): void {
    this.ended.abort();
    this.feeds.clear();
  }

  private pump(): void {
    if (this.ended.signal.aborted) return;
    const wants = new Map<number, Feed[]>();
    let hasLeaderless = false;
    for (const feed of this.feeds.values()) {
      if (feed.bytes >= READ_AHEAD_BYTES) continue;
      const leader = this.connection.leaderIdOf(feed.topic, feed.partition);
      if (leader === undefined) hasLeaderless = true;
      else wants.set(leader, [...(wants.get(leader) ?? []), feed]);
    }
    for (const [node, feeds] of wants) {
      if (!this.busy.has(node)) void this.serve(node, () => this.fetch(node, feeds));
    }
    if (hasLeaderless && !this.busy.has(-1)) void this.serve(-1, () => this.lookForLeaders());
  }

  private async serve(node: number, act: () => Promise<void>): Promise<void> {
    this.busy.add(node);
    try {
      await act();
      this.retryMs = 0;
    } catch (error) {
      if (!this.ended.signal.aborted) await this.recover(error);
    }
    this.busy.delete(node);
    this.pump();
  }

  /** Brokers come back: reading waits for them for as long as it takes. What will not change by waiting ends it. */
  private async recover(error: unknown): Promise<void> {
    if (remedyFor(error) === 'none') {
      this.fail(translated('read', error));
      return;
    }
    this.retryMs = Math.min(Math.max(10, this.retryMs * 2), MAX_RETRY_MS);
    await delay(this.retryMs, undefined, { signal: this.ended.signal }).catch(() => undefined);
    await this.connection.refresh().catch(() => undefined); // the next fetch says what is wrong
  }

  private fail(error: SeamError): void {
    if (this.ended.signal.aborted) return;
    this.close();
    this.events.failed(error);
  }

  private async lookForLeaders(): Promise<void> {
    await this.connection.refresh();
    for (const feed of this.feeds.values()) {
      if (this.connection.topics().get(feed.topic)?.leaders[feed.partition] === undefined) this.missing(feed);
    }
    await delay(100, undefined, { signal: this.ended.signal }).catch(() => undefined);
  }

  private missing(feed: Feed): void {
    const now = performance.now();
    feed.unknownSinceMs ??= now;
    if (now - feed.unknownSinceMs > UNKNOWN_GRACE_MS) {
      const { topic, partition } = feed;
      this.fail(
        new SeamError('UNKNOWN_TOPIC', `Cannot read ${topic}/${partition}: the partition is gone.`, {
          details: { topic, partition },
        }),
      );
    }
  }

  private async fetch(node: number, feeds: readonly Feed[]): Promise<void> {
    const broker = await this.connection.node(node);
    const places = feeds.map(({ topic, partition, next }) => ({ topic, partition, from: next }));
    const maxWaitMs = feeds.length === this.feeds.size ? IDLE_WAIT_MS : BUSY_WAIT_MS;
    const answers = await fetchCommitted(broker, places, { maxWaitMs, maxBatchBytes: this.maxBatchBytes });
    let trouble: Error | undefined;
    for (const answer of answers) {
      const feed = this.feeds.get(partitionName(answer.topic, answer.partition));
      // Removed meanwhile, or added again at another place.
      if (!feed || !feeds.includes(feed) || feed.next !== answer.from) continue;
      if (!answer.error) this.receive(feed, answer);
      else trouble = (await this.cope(feed, answer.error)) ?? trouble;
    }
    if (trouble) throw trouble;
  }

  /** The error is given back when there is nothing to do about it here. */
  private async cope(feed: Feed, error: Error): Promise<Error | undefined> {
    const { topic, partition, next } = feed;
    const type = brokerErrorOf(error);
    if (type === 'UNKNOWN_TOPIC_OR_PARTITION') this.missing(feed);
    if (type !== 'OFFSET_OUT_OF_RANGE') return error;
    const low = (await listOffsets(this.connection, topic, [partition], EARLIEST)).get(partition)!;
    if (low <= next) return error;
    this.events.deleted(topic, partition, next, low);
    return undefined;
  }

  private receive(feed: Feed, { records, nextOffset, high }: FetchedPartition): void {
    const { topic, partition } = feed;
    feed.unknownSinceMs = undefined;
    feed.high = high;
    feed.next = nextOffset;
    if (records.length === 0) return;
    feed.records = feed.records.length === 0 ? [...records] : feed.records.concat(records);
    for (const record of records) feed.bytes += bytesOf(record);
    this.events.arrived(topic, partition);
  }
}

function bytesOf({ value }: LogRecord): number {
  return RECORD_OVERHEAD_BYTES + (value?.length ?? 0);
}
