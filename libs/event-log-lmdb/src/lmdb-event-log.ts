/**
 * The event log in an LMDB file: several processes read and write one folder at once, one commit is one LMDB transaction,
 * on disk before it is acknowledged. Reads run in the caller's thread; writes, and the heartbeats of group members, in a
 * separate thread (log-writer.ts). Not for network file systems: LMDB needs one machine's locks and memory map.
 *
 * A process that is killed holds up no one: LMDB's lock passes on. One that is stopped (SIGSTOP) inside a commit keeps the
 * lock, and others' commits wait until it is continued or killed; reads continue.
 */
import { realpathSync } from 'node:fs';
import {
  type Claim,
  type ConsumedOffset,
  type ConsumeOptions,
  ConsumerLoop,
  checkClaimedOffsets,
  checkClaimName,
  checkConsumeOptions,
  checkReadRange,
  checkRecord,
  checkTopicSpec,
  DEFAULT_CHUNK_RECORDS,
  EventLog,
  followFrom,
  instanceName,
  type LogRecord,
  type NewRecord,
  partitionForKey,
  partitionName,
  type ReadOptions,
  type RecordPosition,
  type Subscription,
  type TopicSpec,
  type Transaction,
  unknownTopic,
  type Watermarks,
} from '@seamstream/event-log';
import { type Clock, newId, SeamError, systemClock } from '@seamstream/kernel';
import { BlockMemory } from './block-memory.js';
import { CommitWatch } from './commit-watch.js';
import { applyChange, type Token } from './consumer-change.js';
import { thisProcess } from './group-membership.js';
import { DEFAULT_MAP_SIZE_BYTES, type LogFiles, openLogFiles } from './log-files.js';
import { LogReader } from './log-reader.js';
import type { ConsumedPart, TransactRequest } from './log-writer.js';
import { encodeBlocks } from './record-block.js';
import { WriterThread } from './writer-thread.js';

export interface LmdbEventLogOptions {
  /** Created when it does not exist. */
  readonly folder: string;
  /** Most bytes of the log, then LOG_FULL. Address space is reserved, disk is not. Default 64 GiB. */
  readonly mapSizeBytes?: number;
  /** Time stamps of records that bring none. */
  readonly clock?: Clock;
  /** Refuses every write with LOG_READ_ONLY and creates nothing. */
  readonly readOnly?: boolean;
  /**
   * After how many milliseconds without a sign of life a group's member is replaced; default 3000. Heartbeats come from a
   * separate thread, so a busy event loop misses none; a stopped process does. One whose process has ended on the same
   * machine is replaced at once.
   */
  readonly sessionTimeoutMs?: number;
}

const DEFAULT_SESSION_TIMEOUT_MS = 3000;

/** Records of a transaction that belong into one partition, and which of the transaction's they are. */
interface Bucket {
  readonly topic: string;
  readonly partition: number;
  readonly indices: number[];
  readonly records: NewRecord[];
}

export class LmdbEventLog extends EventLog {
  private readonly reader: LogReader;
  private readonly writer: WriterThread;
  private readonly watch: CommitWatch;
  private readonly memory = new BlockMemory();
  private readonly subscriptions = new Set<ConsumerLoop>();
  private readonly ended = new AbortController();
  private closing: Promise<void> | undefined;
  private readonly instance: string;
  private keyless = 0;

  private constructor(
    private readonly files: LogFiles,
    private readonly options: Required<LmdbEventLogOptions>,
  ) {
    super();
    const { folder, mapSizeBytes, clock } = options;
    this.instance = instanceName(clock);
    this.reader = new LogReader(files);
    this.writer = new WriterThread({ folder, mapSizeBytes }, (lent) => this.memory.bringHome(lent));
    this.watch = new CommitWatch(realpathSync(folder), () => this.reader.lastCommit());
  }

  /**
   * Opens the log of a folder, creating it unless `readOnly`. NOT_FOUND: nothing to read there; LOG_READ_ONLY: the
   * folder cannot be made or written; LOG_CORRUPT: another program's file or a damaged one; LOG_INCOMPATIBLE_VERSION: another
   * release's.
   */
  static async open(options: LmdbEventLogOptions): Promise<LmdbEventLog> {
    const complete = {
      mapSizeBytes: DEFAULT_MAP_SIZE_BYTES,
      clock: systemClock,
      readOnly: false,
      sessionTimeoutMs: DEFAULT_SESSION_TIMEOUT_MS,
      ...options,
    };
    if (!(complete.mapSizeBytes >= 1024 ** 2) || !(complete.sessionTimeoutMs >= 100)) {
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot open the event log in ${options.folder}: expected mapSizeBytes of at least 1 MiB and sessionTimeoutMs of at least 100, ` +
          `got ${complete.mapSizeBytes} and ${complete.sessionTimeoutMs}.`,
      );
    }
    return new LmdbEventLog(openLogFiles(complete.folder, complete), complete);
  }

  override async identity(): Promise<string> {
    this.assertOpen('ask for the identity');
    return this.files.identity();
  }

  override async createTopics(topics: readonly TopicSpec[]): Promise<void> {
    this.assertWritable('create topics');
    for (const spec of topics) checkTopicSpec(spec);
    await this.writer.request({ kind: 'createTopics', topics });
  }

  override async topics(): Promise<readonly TopicSpec[]> {
    this.assertOpen('list topics');
    return this.reader.topics();
  }

  override append(records: readonly NewRecord[]): Promise<readonly RecordPosition[]> {
    return this.transact({ records });
  }

  override async transact({ records, consumed }: Transaction): Promise<readonly RecordPosition[]> {
    this.assertWritable('commit');
    const parts = consumed ? this.consumedParts(consumed.claim, consumed.offsets) : undefined;
    if (records.length === 0 && !parts) return [];
    // 1. Group by partition, in order.
    const byPartition = new Map<string, Bucket>();
    let bucket: Bucket | undefined;
    for (let index = 0; index < records.length; index++) {
      const record = records[index]!;
      checkRecord(record, index);
      const partition = this.choosePartition(record);
      // What belongs together mostly comes together, and then needs no name.
      if (bucket?.partition !== partition || bucket.topic !== record.topic) {
        const name = partitionName(record.topic, partition);
        bucket = byPartition.get(name);
        if (!bucket) byPartition.set(name, (bucket = { topic: record.topic, partition, indices: [], records: [] }));
      }
      bucket.indices.push(index);
      bucket.records.push(record);
    }
    // 2. Encode here, so that the write lock is held for as short as possible.
    const now = this.options.clock.now();
    const buckets = [...byPartition.values()];
    const { blocks, buffers, lent } = encodeBlocks(buckets, now, this.memory);
    const request: TransactRequest = { blocks, consumed: parts };
    // 3. Commit in the writer's thread; the blocks' memory moves there.
    const baseOffsets = await this.writer.request<readonly number[]>({ kind: 'transact', request, lent }, buffers);
    this.watch.announce();
    // 4. Positions in the order of the records.
    const positions = new Array<RecordPosition>(records.length);
    let block = 0;
    for (const { topic, partition, indices } of buckets) {
      for (let at = 0; at < indices.length; block++) {
        const baseOffset = baseOffsets[block]!;
        const { count } = blocks[block]!;
        for (let i = 0; i < count; i++) positions[indices[at++]!] = { topic, partition, offset: baseOffset + i };
      }
    }
    return positions;
  }

  override async claim(name: string): Promise<Claim> {
    this.assertWritable('claim a name');
    checkClaimName(name);
    const memberId = newId();
    const generation = await this.writer.request<number>({ kind: 'claim', name, memberId });
    const token: Token = { topic: name, partition: 0, generation };
    return { group: name, memberId, token };
  }

  override async release({ group: name, memberId, token }: Claim): Promise<void> {
    this.assertWritable('release a name');
    const { generation } = token as Token;
    await this.writer.request({ kind: 'release', name, memberId, generation });
  }

  override async consume(options: ConsumeOptions): Promise<Subscription> {
    this.assertWritable('consume');
    checkConsumeOptions(options);
    const { group, topics, from, sharing, turn } = options;
    for (const topic of topics) this.reader.topic(`consume as group ${group}`, topic);
    const memberId = newId();
    let stopListening = (): void => undefined;
    const loop = new ConsumerLoop(options, {
      fetch: async (topic, partition, claim, maxRecords) => this.fetch(topic, partition, claim, maxRecords),
      handBack: async (topic, partition, claim) => {
        const { generation } = claim.token as Token;
        await this.writer.request({ kind: 'handBack', memberId, topic, partition, generation });
      },
      leave: async () => {
        stopListening();
        this.subscriptions.delete(loop);
        this.writer.members.delete(memberId);
        await this.writer.request({ kind: 'leave', memberId });
      },
    });
    this.writer.members.set(memberId, {
      onChange: (change) => applyChange(loop, { group, memberId }, change),
      onError: (error) => loop.fail(error),
    });
    this.subscriptions.add(loop);
    const { instance } = this;
    const { sessionTimeoutMs } = this.options;
    const row = { topics, sharing, turn, instance, from, sessionTimeoutMs, process: thisProcess() };
    try {
      await this.writer.request({ kind: 'join', group, memberId, row });
    } catch (error) {
      this.subscriptions.delete(loop);
      this.writer.members.delete(memberId);
      throw error;
    }
    stopListening = this.watch.listen(() => loop.wake());
    return loop;
  }

  override async *read({
    topic,
    partition,
    from,
    to,
    chunkRecords = DEFAULT_CHUNK_RECORDS,
    withoutHeaders = false,
  }: ReadOptions): AsyncIterable<readonly LogRecord[]> {
    this.assertOpen('read');
    const high = this.reader.high('read', topic, partition);
    const end = to ?? high;
    checkReadRange({ topic, partition, low: 0, high }, from, end);
    for (let at = from; at < end; ) {
      this.assertOpen('read');
      const records = this.reader.records(topic, partition, {
        from: at,
        to: end,
        maxRecords: chunkRecords,
        withoutHeaders,
      });
      yield records;
      at += records.length;
    }
  }

  override async *follow(options: {
    readonly topics: readonly string[];
    readonly from: 'earliest' | 'latest' | readonly ConsumedOffset[];
    readonly signal: AbortSignal;
  }): AsyncIterable<readonly LogRecord[]> {
    this.assertOpen('follow');
    const { topics, from, signal } = options;
    const cursors = topics.flatMap((topic) =>
      this.reader.watermarks('follow', topic).map((stored) => ({
        topic,
        partition: stored.partition,
        next: followFrom({ topic, ...stored }, from),
      })),
    );
    const until = AbortSignal.any([signal, this.ended.signal]);
    // Listening begins before the first look, so that no commit falls between a look and a wait.
    const state = { hasNews: true };
    let wake = (): void => undefined;
    const stopListening = this.watch.listen(() => {
      state.hasNews = true;
      wake();
    });
    const onAbort = (): void => wake();
    until.addEventListener('abort', onAbort);
    const isOver = (): boolean => until.aborted; // it changes while a reader holds what was yielded
    const nextNews = async (): Promise<void> => {
      if (!state.hasNews && !isOver()) await new Promise<void>((resolve) => (wake = resolve));
    };
    try {
      while (!isOver()) {
        state.hasNews = false;
        for (const cursor of cursors) {
          const { topic, partition } = cursor;
          const high = this.reader.high('follow', topic, partition);
          while (cursor.next < high && !isOver()) {
            const records = this.reader.records(topic, partition, {
              from: cursor.next,
              to: high,
              maxRecords: DEFAULT_CHUNK_RECORDS,
            });
            cursor.next += records.length;
            yield records;
          }
        }
        await nextNews();
      }
    } finally {
      stopListening();
      until.removeEventListener('abort', onAbort);
    }
    if (!signal.aborted) this.assertOpen('follow');
  }

  override async offsetForTime(topic: string, partition: number, timestampMs: number): Promise<number> {
    this.assertOpen('look up a time');
    return this.reader.offsetForTime(topic, partition, timestampMs);
  }

  override async committedOffsets(group: string): Promise<readonly ConsumedOffset[]> {
    this.assertOpen('read committed offsets');
    return this.reader.committedOffsets(group);
  }

  override async watermarks(topic: string): Promise<readonly Watermarks[]> {
    this.assertOpen('read watermarks');
    return this.reader.watermarks('read watermarks', topic);
  }

  override close(): Promise<void> {
    this.closing ??= this.closeOnce();
    return this.closing;
  }

  private async closeOnce(): Promise<void> {
    await Promise.all([...this.subscriptions].map((loop) => loop.close()));
    this.ended.abort();
    this.watch.close();
    await this.writer.close();
    await this.files.root.close();
  }

  private async fetch(
    topic: string,
    partition: number,
    claim: Claim,
    maxRecords: number,
  ): Promise<readonly LogRecord[]> {
    const { nextOffset, owner } = this.reader.progress(claim.group, topic, partition);
    if (owner?.memberId !== claim.memberId || owner.generation !== (claim.token as Token).generation) {
      throw new SeamError(
        'FENCED',
        `Cannot consume as ${claim.memberId} of group ${claim.group}: partition ${topic}/${partition} was taken away.`,
      );
    }
    const from = nextOffset ?? 0;
    const high = this.reader.high('consume', topic, partition);
    return this.reader.records(topic, partition, { from, to: high, maxRecords });
  }

  private choosePartition({ topic, key, partition }: NewRecord): number {
    const { partitions } = this.reader.topic('append', topic);
    if (partition === undefined) return key === null ? this.keyless++ % partitions : partitionForKey(key, partitions);
    if (!Number.isInteger(partition) || partition < 0 || partition >= partitions)
      throw unknownTopic('append', topic, [topic], partition);
    return partition;
  }

  private consumedParts(claim: Claim, offsets: readonly ConsumedOffset[]): ConsumedPart {
    const { group, memberId } = claim;
    const { topic, partition, generation } = claim.token as Token;
    checkClaimedOffsets(claim, { topic, partition }, offsets);
    return { group, memberId, topic, partition, generation, nextOffset: offsets.at(-1)?.nextOffset };
  }

  private assertOpen(operation: string): void {
    if (this.ended.signal.aborted)
      throw new SeamError('LOG_UNAVAILABLE', `Cannot ${operation}: this log was closed. Open it again.`);
  }

  private assertWritable(operation: string): void {
    this.assertOpen(operation);
    if (this.options.readOnly) {
      throw new SeamError(
        'LOG_READ_ONLY',
        `Cannot ${operation}: the event log in ${this.options.folder} was opened for reading alone. Choose a command or a service that writes.`,
      );
    }
  }
}
