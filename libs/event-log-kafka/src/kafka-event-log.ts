/**
 * The event log on Apache Kafka, through kafkajs. A topic is a Kafka topic, an offset a Kafka offset; transactions leave
 * markers in the log, so offsets have gaps. Read is only what is committed. ADR 0013 has the reasons.
 *
 * What is appended without offsets is grouped: while one step is under way, those that wait are gathered and go together in
 * the next, each whole and in order. One record batch needs no transaction to be atomic; several do.
 */
import {
  type ConsumedOffset,
  type ConsumeOptions,
  checkConsumeOptions,
  checkOffset,
  checkRecord,
  checkTopicSpec,
  EventLog,
  type LogRecord,
  type NewRecord,
  offsetOutOfRange,
  partitionConflict,
  partitionForKey,
  partitionName,
  type ReadOptions,
  type RecordPosition,
  recordBytes,
  type Subscription,
  type TopicSpec,
  type Transaction,
  unknownTopic,
  type Watermarks,
} from '@seamstream/event-log';
import { type Clock, isSeamError, newId, SeamError, systemClock } from '@seamstream/kernel';
import { type Compression, compressionType } from './compression.js';
import { fetchCommitted } from './fetching.js';
import { type ConnectionSettings, KafkaConnection, type TopicPartitions } from './kafka-connection.js';
import { brokerErrorOf } from './kafka-errors.js';
import { type KafkaLogSink, silent } from './kafka-logger.js';
import type { KafkaSecurity } from './kafka-security.js';
import { checkClaimedOffset, type Holding, KafkaSubscription } from './kafka-subscription.js';
import { EARLIEST, fetchGroupOffsets, LATEST, listOffsets } from './offsets.js';
import { PartitionFeed } from './partition-feed.js';
import { type Block, ProducerSession, type ProducerSettings } from './producer-session.js';

export interface KafkaEventLogOptions {
  /** `host:port` of some brokers of the cluster; the others are found through them. */
  readonly brokers: readonly string[];
  /** How this process is called in the brokers' logs and quotas. */
  readonly clientId?: string;
  readonly security?: KafkaSecurity;
  /**
   * Stands before every name of topics, groups and transactional ids in the cluster, so that several systems share it.
   * Callers do not see it.
   */
  readonly prefix?: string;
  /** Copies of each partition of topics that are created here; the cluster's default when absent. */
  readonly replicationFactor?: number;
  /** Of record batches. Default zstd. */
  readonly compression?: Compression;
  /** Time stamps of records that bring none. */
  readonly clock?: Clock;
  /** After how many milliseconds without heartbeat a group's member is replaced; default 10 000, brokers want 6000 to 1 800 000. */
  readonly sessionTimeoutMs?: number;
  /** Default 1000. A rebalance is noticed by a heartbeat. */
  readonly heartbeatMs?: number;
  /**
   * After how many milliseconds a broker aborts the open transaction of a process that is gone; default 10 000. Readers of
   * the partitions in it wait for that. A transaction is one commit, it holds no handler's time.
   */
  readonly transactionTimeoutMs?: number;
  /** Default 3000. */
  readonly connectTimeoutMs?: number;
  /** Default 30 000. */
  readonly requestTimeoutMs?: number;
  /** How long an operation is tried again before it is LOG_UNAVAILABLE; default 30 000. Consumers wait for as long as it takes. */
  readonly operationTimeoutMs?: number;
  /** Takes kafkajs' own log lines; silent by default. */
  readonly log?: KafkaLogSink;
}

/** Records of a chunk of `read` and `follow` when not told otherwise. */
const DEFAULT_CHUNK_RECORDS = 1000;
/**
 * Most bytes of records in one batch, before compression. A broker's `max.message.bytes` (1 048 588) bounds the batch; a
 * single record of the largest size has one of its own.
 */
const MAX_BATCH_BYTES = 900_000;
/** Varints, attributes and offsets of a record beside its own bytes, at most. */
const RECORD_FRAME_BYTES = 40;
/** Most bytes that are gathered into one step. */
const MAX_STEP_BYTES = 8 * 1024 ** 2;
const READ_WAIT_MS = 500;

/** A call that waits for its turn. */
interface Waiting {
  readonly records: readonly PlacedRecord[];
  readonly bytes: number;
  readonly resolve: (positions: readonly RecordPosition[]) => void;
  readonly reject: (error: unknown) => void;
}

interface PlacedRecord {
  readonly topic: string;
  readonly partition: number;
  readonly bytes: number;
  readonly message: Block['messages'][number];
}

export class KafkaEventLog extends EventLog {
  private readonly connection: KafkaConnection;
  private readonly others = new Set<KafkaConnection>();
  private readonly subscriptions = new Set<KafkaSubscription>();
  private readonly ended = new AbortController();
  private readonly waiting: Waiting[] = [];
  private readonly sessions: { plain?: ProducerSession | undefined; transactional?: ProducerSession | undefined } = {};
  private draining: Promise<void> | undefined;
  private closing: Promise<void> | undefined;
  private keyless = 0;
  private readonly transactionalId: string;

  private constructor(
    private readonly settings: ConnectionSettings,
    private readonly producer: ProducerSettings,
    private readonly options: Required<
      Pick<KafkaEventLogOptions, 'prefix' | 'clock' | 'sessionTimeoutMs' | 'heartbeatMs'>
    > &
      Pick<KafkaEventLogOptions, 'replicationFactor'>,
  ) {
    super();
    this.connection = new KafkaConnection(settings);
    this.transactionalId = `${options.prefix}append.${settings.clientId}.${newId()}`;
  }

  /**
   * Opens the log of a cluster. INVALID_CONFIGURATION: the cluster refuses these credentials or this client its
   * certificate; LOG_UNAVAILABLE: no broker answers within `operationTimeoutMs`.
   */
  static async open(options: KafkaEventLogOptions): Promise<KafkaEventLog> {
    const {
      brokers,
      clientId = 'seamstream',
      security = {},
      compression = 'zstd',
      transactionTimeoutMs = 10_000,
      connectTimeoutMs = 3000,
      requestTimeoutMs = 30_000,
      operationTimeoutMs = 30_000,
      log = silent,
    } = options;
    if (brokers.length === 0)
      throw new SeamError('INVALID_CONFIGURATION', 'opening the event log on Kafka: expected at least one broker');
    for (const broker of brokers) {
      if (!/^[^\s:/]+:\d+$/.test(broker)) {
        throw new SeamError(
          'INVALID_CONFIGURATION',
          `opening the event log on Kafka: expected brokers as host:port, got ${JSON.stringify(broker)}`,
        );
      }
    }
    const opened = new KafkaEventLog(
      { brokers, clientId, security, connectTimeoutMs, requestTimeoutMs, operationTimeoutMs, log },
      { transactionTimeoutMs, requestTimeoutMs, compression: compressionType(compression) },
      {
        prefix: options.prefix ?? '',
        clock: options.clock ?? systemClock,
        sessionTimeoutMs: options.sessionTimeoutMs ?? 10_000,
        heartbeatMs: options.heartbeatMs ?? 1000,
        ...(options.replicationFactor === undefined ? {} : { replicationFactor: options.replicationFactor }),
      },
    );
    try {
      await opened.connection.attempt('opening the event log', () => opened.connection.refresh());
    } catch (error) {
      await opened.connection.close();
      throw error;
    }
    return opened;
  }

  /** The cluster's id; with the prefix where there is one, since each prefix is a log of its own. */
  override async identity(): Promise<string> {
    this.assertOpen('asking for the identity');
    const { prefix } = this.options;
    const clusterId = await this.connection.attempt('asking for the identity', () => this.connection.clusterId());
    return prefix === '' ? clusterId : `${clusterId}.${prefix}`;
  }

  override async createTopics(topics: readonly TopicSpec[]): Promise<void> {
    this.assertOpen('creating topics');
    for (const spec of topics) checkTopicSpec(spec);
    const { connection } = this;
    await connection.attempt('creating topics', () => connection.refresh());
    const missing: TopicSpec[] = [];
    for (const spec of topics) {
      const existing = this.known(spec.name)?.leaders.length;
      if (existing === undefined) missing.push(spec);
      else if (existing !== spec.partitions) throw partitionConflict(spec.name, existing, spec.partitions);
    }
    if (missing.length === 0) return;
    await connection.attempt('creating topics', async () => {
      const controller = await connection.controller();
      await controller
        .createTopics({
          topics: missing.map(({ name, partitions }) => ({
            topic: this.physical(name),
            numPartitions: partitions,
            replicationFactor: this.options.replicationFactor ?? -1,
            // A log keeps what it has until someone says otherwise.
            configEntries: [{ name: 'retention.ms', value: '-1' }],
          })),
          timeout: this.settings.requestTimeoutMs,
        })
        .catch((error: unknown) => {
          const failure = creationFailure(error);
          if (failure !== undefined) throw failure as Error;
        });
    });
    await connection.attempt('waiting for the topics that were created', async () => {
      await connection.refresh();
      for (const { name, partitions } of missing) {
        const found = this.known(name);
        if (found && found.leaders.length !== partitions)
          throw partitionConflict(name, found.leaders.length, partitions);
        for (let partition = 0; partition < partitions; partition++) {
          if (connection.leaderIdOf(this.physical(name), partition) === undefined) throw notCreatedYet(name);
        }
      }
    });
  }

  override async topics(): Promise<readonly TopicSpec[]> {
    this.assertOpen('listing topics');
    await this.connection.attempt('listing topics', () => this.connection.refresh());
    return this.visible().map(({ name, leaders }) => ({ name: this.logical(name), partitions: leaders.length }));
  }

  override append(records: readonly NewRecord[]): Promise<readonly RecordPosition[]> {
    return this.transact({ records });
  }

  override async transact({ records, consumed }: Transaction): Promise<readonly RecordPosition[]> {
    this.assertOpen('committing');
    const placed = await this.place(records);
    if (consumed) return this.commitConsumed(placed, consumed.claim, consumed.offsets);
    if (placed.length === 0) return [];
    this.assertOpen('committing');
    return new Promise((resolve, reject) => {
      const bytes = placed.reduce((sum, record) => sum + record.bytes, 0);
      this.waiting.push({ records: placed, bytes, resolve, reject });
      this.draining ??= this.drain().finally(() => (this.draining = undefined));
    });
  }

  override async consume(options: ConsumeOptions): Promise<Subscription> {
    this.assertOpen('consuming');
    checkConsumeOptions(options);
    for (const topic of options.topics) await this.topicOf(`consuming as group ${options.group}`, topic);
    const group = this.physical(options.group);
    const onBatch: ConsumeOptions['onBatch'] = (batch) =>
      options.onBatch({ ...batch, topic: this.logical(batch.topic), records: batch.records.map(this.toLogical) });
    const connections = { group: this.connect(), fetch: this.connect(), write: this.connect() };
    await Promise.all(
      Object.values(connections).map((connection) =>
        connection.attempt(`consuming as group ${options.group}`, () => connection.refresh()),
      ),
    );
    const { sessionTimeoutMs, heartbeatMs } = this.options;
    const subscription = new KafkaSubscription(
      { ...options, group, topics: options.topics.map((topic) => this.physical(topic)), onBatch },
      connections,
      {
        sessionTimeoutMs,
        heartbeatMs,
        rebalanceTimeoutMs: sessionTimeoutMs,
        producer: this.producer,
        transactionalIdOf: (topic, partition) => `${group}.${topic}.${partition}`,
        warn: (message) => this.settings.log({ level: 'warn', message }),
        ended: () => {
          this.subscriptions.delete(subscription);
          for (const connection of Object.values(connections)) this.others.delete(connection);
        },
      },
    );
    this.subscriptions.add(subscription);
    return this.prefixed(subscription);
  }

  override async *read({
    topic,
    partition,
    from,
    to,
    chunkRecords = DEFAULT_CHUNK_RECORDS,
  }: ReadOptions): AsyncIterable<readonly LogRecord[]> {
    this.assertOpen('reading');
    await this.topicOf('reading', topic, partition);
    const { low, high } = await this.rangeOf('reading', topic, partition);
    const end = to ?? high;
    checkOffset('reading', 'from', from);
    checkOffset('reading', 'to', end);
    for (const offset of [from, end]) {
      if (offset > high || offset < low) throw offsetOutOfRange('reading', { topic, partition, low, high, offset });
    }
    const fetch = (at: number) => this.fetchOnce(topic, partition, at);
    let answer = from < end ? fetch(from) : undefined;
    answer?.catch(() => undefined); // thrown where it is awaited
    while (answer) {
      const { records, nextOffset } = await answer;
      // The next answer is on its way while this one is looked at.
      answer = nextOffset < end ? fetch(nextOffset) : undefined;
      answer?.catch(() => undefined);
      const wanted = (records.at(-1)?.offset ?? 0) < end ? records : records.filter(({ offset }) => offset < end);
      for (let at = 0; at < wanted.length; at += chunkRecords) {
        this.assertOpen('reading');
        yield wanted.slice(at, at + chunkRecords).map(this.toLogical);
      }
    }
  }

  override async *follow(options: {
    readonly topics: readonly string[];
    readonly from: 'earliest' | 'latest' | readonly ConsumedOffset[];
    readonly signal: AbortSignal;
  }): AsyncIterable<readonly LogRecord[]> {
    this.assertOpen('following');
    const { topics, from, signal } = options;
    const cursors = new Map<string, { topic: string; partition: number; next: number }>();
    for (const topic of topics) {
      for (const { partition, low, high } of await this.watermarks(topic)) {
        const given =
          typeof from === 'string'
            ? undefined
            : from.find((place) => place.topic === topic && place.partition === partition)?.nextOffset;
        const next = given ?? (from === 'latest' ? high : low);
        if (next > high || next < low)
          throw offsetOutOfRange('following', { topic, partition, low, high, offset: next });
        const name = this.physical(topic);
        cursors.set(partitionName(name, partition), { topic: name, partition, next });
      }
    }
    const until = AbortSignal.any([signal, this.ended.signal]);
    const news = new Set<string>();
    let failure: SeamError | undefined;
    let wake = (): void => undefined;
    const connection = this.connect();
    const feed = new PartitionFeed(connection, {
      arrived: (topic, partition) => {
        news.add(partitionName(topic, partition));
        wake();
      },
      failed: (error) => {
        failure = error;
        wake();
      },
      skipped: (topic, partition, _from, low) => {
        cursors.get(partitionName(topic, partition))!.next = low;
      },
    });
    const onAbort = (): void => wake();
    until.addEventListener('abort', onAbort);
    const isOver = (): boolean => until.aborted; // it changes while a reader holds what was yielded
    const currentFailure = (): SeamError | undefined => failure;
    try {
      await connection.attempt('following', () => connection.refresh());
      for (const { topic, partition, next } of cursors.values()) feed.add(topic, partition, next);
      while (!isOver()) {
        const thrown = currentFailure();
        if (thrown) throw thrown;
        const [name] = news;
        if (name === undefined) {
          await new Promise<void>((resolve) => (wake = resolve));
          continue;
        }
        const cursor = cursors.get(name)!;
        const records = feed.take(cursor.topic, cursor.partition, cursor.next, DEFAULT_CHUNK_RECORDS);
        if (records.length === 0) {
          news.delete(name);
          continue;
        }
        cursor.next = records.at(-1)!.offset + 1;
        yield records.map(this.toLogical);
      }
    } finally {
      until.removeEventListener('abort', onAbort);
      feed.close();
      await connection.close();
      this.others.delete(connection);
    }
    if (!signal.aborted) this.assertOpen('following');
  }

  override async offsetForTime(topic: string, partition: number, timestampMs: number): Promise<number> {
    this.assertOpen('looking up a time');
    await this.topicOf('looking up a time', topic, partition);
    const name = this.physical(topic);
    const { high } = await this.rangeOf('looking up a time', topic, partition);
    const found = await this.connection.attempt('looking up a time', () =>
      listOffsets(this.connection, name, [partition], timestampMs),
    );
    // Markers of transactions have a time, too: the broker's. The answer may be one; the record is not before it.
    for (let at = found.get(partition)!; at >= 0 && at < high; ) {
      const { records, nextOffset } = await this.fetchOnce(topic, partition, at);
      const first = records.find((record) => record.timestampMs >= timestampMs && record.offset < high);
      if (first) return first.offset;
      at = nextOffset;
    }
    return high;
  }

  override async committedOffsets(group: string): Promise<readonly ConsumedOffset[]> {
    this.assertOpen('reading committed offsets');
    const name = this.physical(group);
    const { connection } = this;
    const offsets = await connection.attempt('reading committed offsets', async () =>
      fetchGroupOffsets(await connection.coordinator('group', name), name),
    );
    return offsets
      .map((offset) => ({ ...offset, topic: this.logical(offset.topic) }))
      .sort((a, b) => (a.topic === b.topic ? a.partition - b.partition : a.topic < b.topic ? -1 : 1));
  }

  override async watermarks(topic: string): Promise<readonly Watermarks[]> {
    this.assertOpen('reading watermarks');
    const { leaders } = await this.topicOf('reading watermarks', topic);
    const partitions = [...leaders.keys()];
    const name = this.physical(topic);
    return this.connection.attempt('reading watermarks', async () => {
      const low = await listOffsets(this.connection, name, partitions, EARLIEST);
      const high = await listOffsets(this.connection, name, partitions, LATEST);
      return partitions.map((partition) => ({
        partition,
        low: low.get(partition)!,
        high: Math.max(low.get(partition)!, high.get(partition)!),
      }));
    });
  }

  override close(): Promise<void> {
    this.closing ??= this.closeOnce();
    return this.closing;
  }

  private async closeOnce(): Promise<void> {
    await Promise.all([...this.subscriptions].map((subscription) => subscription.close()));
    this.ended.abort();
    await this.draining;
    await Promise.all([...this.others].map((connection) => connection.close()));
    await this.connection.close();
  }

  // Writing.

  /** Checks the records, gives each its partition, and copies what the caller might change. */
  private async place(records: readonly NewRecord[]): Promise<readonly PlacedRecord[]> {
    const now = String(this.options.clock.now());
    const messages = records.map((record, index) => {
      checkRecord(record, index);
      const { key, value, headers = {}, timestampMs } = record;
      return {
        key,
        value: value && Buffer.from(value),
        headers: { ...headers },
        timestamp: timestampMs === undefined ? now : String(timestampMs),
      };
    });
    const placed: PlacedRecord[] = [];
    for (const [index, record] of records.entries()) {
      const { topic, key, partition } = record;
      const known = this.known(topic) ?? (await this.topicOf('appending', topic));
      const partitions = known.leaders.length;
      if (partition !== undefined && (!Number.isInteger(partition) || partition < 0 || partition >= partitions))
        throw unknownTopic('appending', topic, [topic], partition);
      placed.push({
        topic: known.name,
        partition: partition ?? (key === null ? this.keyless++ % partitions : partitionForKey(key, partitions)),
        bytes: recordBytes(record) + RECORD_FRAME_BYTES,
        message: messages[index]!,
      });
    }
    return placed;
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      let bytes = 0;
      let count = 0;
      while (count < this.waiting.length && (count === 0 || bytes + this.waiting[count]!.bytes <= MAX_STEP_BYTES))
        bytes += this.waiting[count++]!.bytes;
      await this.writeTogether(this.waiting.splice(0, count));
    }
  }

  private async writeTogether(calls: readonly Waiting[]): Promise<void> {
    try {
      const positions = await this.write(calls.flatMap(({ records }) => records));
      let at = 0;
      for (const { records, resolve } of calls) resolve(positions.slice(at, (at += records.length)));
    } catch (error) {
      // One call's records must not fail the others, unless nobody can write.
      if (calls.length > 1 && !isSeamError(error, 'LOG_UNAVAILABLE')) {
        for (const call of calls) await this.writeTogether([call]);
      } else {
        for (const { reject } of calls) reject(error);
      }
    }
  }

  private async write(records: readonly PlacedRecord[]): Promise<readonly RecordPosition[]> {
    const { blocks, positionsAt } = blocksOf(records);
    try {
      if (blocks.length === 1) {
        const session = await this.sessionFor('plain');
        return this.logicalPositions(positionsAt([await session.appendBlock(blocks[0]!)]));
      }
      const session = await this.sessionFor('transactional');
      return this.logicalPositions(positionsAt(await session.commit(blocks)));
    } catch (error) {
      if (!isSeamError(error, 'FENCED')) throw error;
      // Nobody else has this instance's id: the coordinator has given the transaction up because it took too long.
      throw new SeamError('LOG_UNAVAILABLE', `appending: the transaction was aborted by the broker, ${error.message}`, {
        cause: error,
      });
    }
  }

  private async sessionFor(kind: 'plain' | 'transactional'): Promise<ProducerSession> {
    const present = this.sessions[kind];
    if (present && !present.isBroken) return present;
    const session = await ProducerSession.open(
      this.connection,
      this.producer,
      kind === 'plain' ? undefined : this.transactionalId,
    );
    this.sessions[kind] = session;
    return session;
  }

  private async commitConsumed(
    records: readonly PlacedRecord[],
    { group, token }: { readonly group: string; readonly token: unknown },
    offsets: readonly ConsumedOffset[],
  ): Promise<readonly RecordPosition[]> {
    const holding = token as Holding;
    const { topic, partition, session } = holding;
    for (const offset of offsets) {
      checkClaimedOffset(holding, { ...offset, topic: this.physical(offset.topic) }, group);
      checkOffset('committing offsets', 'nextOffset', offset.nextOffset);
    }
    const nextOffset = offsets.at(-1)?.nextOffset;
    if (nextOffset !== undefined && nextOffset > holding.high()) {
      const { low, high } = await this.rangeOf('committing offsets', this.logical(topic), partition);
      if (nextOffset > high) {
        throw offsetOutOfRange('committing offsets', {
          topic: this.logical(topic),
          partition,
          low,
          high,
          offset: nextOffset,
        });
      }
    }
    const { blocks, positionsAt } = blocksOf(records);
    try {
      const baseOffsets = await session.commit(
        blocks,
        nextOffset === undefined ? undefined : { group, topic, partition, nextOffset },
      );
      if (nextOffset !== undefined) holding.position = nextOffset;
      return this.logicalPositions(positionsAt(baseOffsets));
    } catch (error) {
      if (session.isBroken) holding.broke();
      throw error;
    }
  }

  // Reading.

  private async fetchOnce(
    topic: string,
    partition: number,
    from: number,
  ): Promise<{ records: readonly LogRecord[]; nextOffset: number }> {
    const name = this.physical(topic);
    return this.connection.attempt('reading', async () => {
      const broker = await this.connection.leader(name, partition);
      const [answer] = await fetchCommitted(broker, [{ topic: name, partition, from }], READ_WAIT_MS);
      if (answer!.error) throw answer!.error;
      return answer!;
    });
  }

  private async rangeOf(
    operation: string,
    topic: string,
    partition: number,
  ): Promise<{ readonly low: number; readonly high: number }> {
    const name = this.physical(topic);
    return this.connection.attempt(operation, async () => {
      const low = (await listOffsets(this.connection, name, [partition], EARLIEST)).get(partition)!;
      const high = (await listOffsets(this.connection, name, [partition], LATEST)).get(partition)!;
      return { low, high: Math.max(low, high) };
    });
  }

  // Names.

  private known(topic: string): TopicPartitions | undefined {
    return this.connection.topics().get(this.physical(topic));
  }

  private visible(): TopicPartitions[] {
    const { prefix } = this.options;
    return [...this.connection.topics().values()].filter(
      ({ name, isInternal }) => !isInternal && name.startsWith(prefix),
    );
  }

  /** UNKNOWN_TOPIC when there is no such topic or partition. */
  private async topicOf(operation: string, topic: string, partition?: number): Promise<TopicPartitions> {
    if (!this.known(topic)) await this.connection.attempt(operation, () => this.connection.refresh());
    const found = this.known(topic);
    if (!found) {
      const names = this.visible().map(({ name }) => this.logical(name));
      throw unknownTopic(operation, topic, names);
    }
    if (partition !== undefined && found.leaders[partition] === undefined)
      throw unknownTopic(operation, topic, [topic], partition);
    return found;
  }

  private physical(name: string): string {
    return this.options.prefix + name;
  }

  private logical(name: string): string {
    return name.slice(this.options.prefix.length);
  }

  private readonly toLogical = (record: LogRecord): LogRecord =>
    this.options.prefix === '' ? record : { ...record, topic: this.logical(record.topic) };

  private logicalPositions(positions: readonly RecordPosition[]): readonly RecordPosition[] {
    return positions.map((position) => ({ ...position, topic: this.logical(position.topic) }));
  }

  private prefixed(subscription: KafkaSubscription): Subscription {
    return {
      closed: subscription.closed,
      assignment: () => subscription.assignment().map((name) => this.logical(name)),
      close: () => subscription.close(),
    };
  }

  private connect(): KafkaConnection {
    const connection = new KafkaConnection(this.settings);
    this.others.add(connection);
    return connection;
  }

  private assertOpen(operation: string): void {
    if (this.ended.signal.aborted)
      throw new SeamError('LOG_UNAVAILABLE', `${operation}: this log was closed. Open it again.`);
  }
}

/** Records by partition, in order, in batches that a broker takes; and where each record stands once the batches do. */
function blocksOf(records: readonly PlacedRecord[]): {
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

/** Another process may create the same topics at the same moment; whether with as many partitions is looked at afterwards. */
function creationFailure(error: unknown): unknown {
  const { errors } = error as { errors?: readonly unknown[] };
  if (!errors) return error;
  return errors.find((one) => brokerErrorOf(one) !== 'TOPIC_ALREADY_EXISTS') ?? undefined;
}

/** What {@link KafkaConnection.attempt} takes for a reason to look again. */
function notCreatedYet(topic: string): Error {
  return Object.assign(new Error(`topic ${topic} has no leader yet`), {
    name: 'KafkaJSProtocolError',
    type: 'LEADER_NOT_AVAILABLE',
  });
}
