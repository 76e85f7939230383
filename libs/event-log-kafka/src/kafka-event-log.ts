/**
 * The event log on Apache Kafka, through kafkajs. A topic is a Kafka topic, an offset a Kafka offset; transactions leave
 * markers in the log, so offsets have gaps. Read is only what is committed. ADR 0013 has the reasons.
 */
import {
  type Claim,
  type ConsumedOffset,
  type ConsumeOptions,
  checkClaimedOffsets,
  checkClaimName,
  checkConsumeOptions,
  checkProgress,
  checkReadRange,
  checkRecord,
  checkTopicSpec,
  DEFAULT_CHUNK_RECORDS,
  EventLog,
  followFrom,
  instanceName,
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
import { type Clock, canonicalJson, compareText, newId, SeamError, systemClock } from '@seamstream/kernel';
import { type Acl, type AclDifference, compareAcls } from './acl-plan.js';
import { AppendQueue } from './append-queue.js';
import { type Compression, compressionType } from './compression.js';
import { fetchCommitted } from './fetch-request.js';
import { describeAcls, giveAcls, takeAcls } from './kafka-acls.js';
import { type ConnectionSettings, KafkaConnection, type TopicPartitions } from './kafka-connection.js';
import { NotYet } from './kafka-errors.js';
import { type KafkaLogSink, silent } from './kafka-logger.js';
import type { KafkaSecurity } from './kafka-security.js';
import { type Holding, KafkaSubscription } from './kafka-subscription.js';
import { createMissingTopics, describeTopics, setTopicConfigs } from './kafka-topics.js';
import { original } from './lossless-headers.js';
import { EARLIEST, fetchGroupOffsets, LATEST, listOffsets } from './offsets.js';
import { PartitionFeed } from './partition-feed.js';
import { ProducerSession, type ProducerSettings } from './producer-session.js';
import { blocksOf, type PlacedRecord } from './record-blocks.js';
import { DEFAULT_MAX_BATCH_BYTES } from './record-set.js';
import { compareTopics, type TopicDifference, type WantedTopic } from './topic-plan.js';

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
  readonly replicationFactor?: number | undefined;
  /** Of record batches. Default zstd. */
  readonly compression?: Compression;
  /**
   * Most bytes of a record batch once decompressed; default 16 MiB. What is more, or has been compressed more than 128 times,
   * is not read: it comes as a record that says so.
   */
  readonly maxBatchBytes?: number;
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
  /** Takes log lines, the driver's few and kafkajs' own; silent by default. */
  readonly log?: KafkaLogSink;
}

/** Varints, attributes and offsets of a record beside its own bytes, at most. */
const RECORD_FRAME_BYTES = 40;
const READ_WAIT_MS = 500;

/** Proof of ownership: the partition, and the producer that may commit for it. A claimed name is partition 0 of itself. */
interface Token {
  readonly topic: string;
  readonly partition: number;
  readonly producerId: string;
  readonly producerEpoch: number;
}

export class KafkaEventLog extends EventLog {
  private readonly connection: KafkaConnection;
  private readonly others = new Set<KafkaConnection>();
  private readonly subscriptions = new Set<KafkaSubscription>();
  private readonly ended = new AbortController();
  private readonly appends: AppendQueue;
  /** By what their claim's token says. */
  private readonly holdings = new Map<string, Holding>();
  private closing: Promise<void> | undefined;
  private readonly instance: string;
  private keyless = 0;

  private constructor(
    private readonly settings: ConnectionSettings,
    private readonly producer: ProducerSettings,
    private readonly options: Required<
      Pick<KafkaEventLogOptions, 'prefix' | 'clock' | 'sessionTimeoutMs' | 'heartbeatMs' | 'maxBatchBytes'>
    > &
      Pick<KafkaEventLogOptions, 'replicationFactor'>,
  ) {
    super();
    this.connection = new KafkaConnection(settings);
    this.instance = instanceName(options.clock);
    this.appends = new AppendQueue(
      this.connection,
      producer,
      `${options.prefix}append.${settings.clientId}.${newId()}`,
    );
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
        maxBatchBytes: options.maxBatchBytes ?? DEFAULT_MAX_BATCH_BYTES,
        replicationFactor: options.replicationFactor,
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
    await createMissingTopics(
      connection,
      // A log keeps what it has until someone says otherwise.
      missing.map(({ name, partitions }) => ({
        name: this.physical(name),
        partitions,
        replicationFactor: this.options.replicationFactor,
        config: { 'retention.ms': '-1' },
      })),
    );
    await this.awaitLeaders(missing);
  }

  /** What differs between the wanted topics and the cluster's; nothing is changed. */
  async compareTopics(wanted: readonly WantedTopic[]): Promise<readonly TopicDifference[]> {
    this.assertOpen('comparing topics');
    const physical = wanted.map((topic) => ({ ...topic, name: this.physical(topic.name) }));
    const existing = await describeTopics(
      this.connection,
      physical.map(({ name }) => name),
    );
    return compareTopics(physical, existing).map((difference) => ({
      ...difference,
      topic: this.logical(difference.topic),
    }));
  }

  /** Makes missing topics and sets settings, as far as no record is lost; answers what was found before, refusals included. */
  async applyTopics(wanted: readonly WantedTopic[]): Promise<readonly TopicDifference[]> {
    for (const topic of wanted) checkTopicSpec(topic);
    const differences = await this.compareTopics(wanted);
    const missing = new Set(differences.filter(({ what }) => what === 'topic').map(({ topic }) => topic));
    if (missing.size > 0) {
      const topics = wanted.filter(({ name }) => missing.has(name));
      const { replicationFactor } = this.options;
      await createMissingTopics(
        this.connection,
        topics.map((topic) => ({ replicationFactor, ...topic, name: this.physical(topic.name) })),
      );
      await this.awaitLeaders(topics);
    }
    const settings = new Map<string, Record<string, string>>();
    for (const { topic, setting, wanted: value, refused } of differences) {
      if (setting === undefined || refused !== null) continue;
      const name = this.physical(topic);
      settings.set(name, { ...settings.get(name), [setting]: value });
    }
    if (settings.size > 0) await setTopicConfigs(this.connection, settings);
    return differences;
  }

  /** What differs between the wanted rights and the cluster's, by the cluster's names; nothing is changed. */
  async compareAcls(wanted: readonly Acl[]): Promise<readonly AclDifference[]> {
    this.assertOpen('comparing rights');
    const physical = wanted.map((acl) =>
      acl.resource === 'cluster' ? acl : { ...acl, name: this.physical(acl.name) },
    );
    return compareAcls(physical, await describeAcls(this.connection));
  }

  /** Gives what is missing and, if `revoke`, takes what is surplus; answers what was found before. */
  async applyAcls(wanted: readonly Acl[], { revoke }: { readonly revoke: boolean }): Promise<readonly AclDifference[]> {
    const differences = await this.compareAcls(wanted);
    const of = (what: AclDifference['what']): Acl[] =>
      differences.filter((each) => each.what === what).map(({ acl }) => acl);
    await giveAcls(this.connection, of('missing'));
    if (revoke) await takeAcls(this.connection, of('surplus'));
    return differences;
  }

  private async awaitLeaders(topics: readonly TopicSpec[]): Promise<void> {
    const { connection } = this;
    await connection.attempt('waiting for the topics that were created', async () => {
      await connection.refresh();
      for (const { name, partitions } of topics) {
        const found = this.known(name);
        if (found && found.leaders.length !== partitions)
          throw partitionConflict(name, found.leaders.length, partitions);
        for (let partition = 0; partition < partitions; partition++) {
          if (connection.leaderIdOf(this.physical(name), partition) === undefined)
            throw new NotYet('LEADER_NOT_AVAILABLE');
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
    return this.logicalPositions(await this.appends.append(placed));
  }

  /** Whoever opened the name's transactional id before is fenced by the broker, and its last transaction is at an end. */
  override async claim(name: string): Promise<Claim> {
    this.assertOpen('claiming a name');
    checkClaimName(name);
    const session = await ProducerSession.open(this.connection, this.producer, this.physical(`append.${name}`));
    const holding: Holding = {
      topic: this.physical(name),
      partition: 0,
      session,
      position: 0,
      begun: 0,
      high: () => 0,
      committed: () => undefined,
      broke: () => this.holdings.delete(canonicalJson(token)),
    };
    const token = this.tokenOf(holding);
    this.holdings.set(canonicalJson(token), holding);
    return { group: name, memberId: newId(), token };
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
    const { sessionTimeoutMs, heartbeatMs, maxBatchBytes } = this.options;
    const subscription = new KafkaSubscription(
      { ...options, group, topics: options.topics.map((topic) => this.physical(topic)), onBatch },
      connections,
      {
        sessionTimeoutMs,
        heartbeatMs,
        rebalanceTimeoutMs: sessionTimeoutMs,
        instance: this.instance,
        producer: this.producer,
        maxBatchBytes,
        transactionalIdOf: (topic, partition) => `${group}.${topic}.${partition}`,
        granted: (holding, memberId) => {
          const token = this.tokenOf(holding);
          this.holdings.set(canonicalJson(token), holding);
          return { group: options.group, memberId, token };
        },
        released: (holding) => this.holdings.delete(canonicalJson(this.tokenOf(holding))),
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
    const stored = await this.storedIn('reading', topic, partition);
    const end = to ?? stored.high;
    checkReadRange({ topic, ...stored }, from, end);
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
      for (const stored of await this.watermarks(topic)) {
        const { partition } = stored;
        const next = followFrom({ topic, ...stored }, from);
        const name = this.physical(topic);
        cursors.set(partitionName(name, partition), { topic: name, partition, next });
      }
    }
    const until = AbortSignal.any([signal, this.ended.signal]);
    const news = new Set<string>();
    let failure: SeamError | undefined;
    let wake = (): void => undefined;
    const connection = this.connect();
    const feed = new PartitionFeed(
      connection,
      {
        arrived: (topic, partition) => {
          news.add(partitionName(topic, partition));
          wake();
        },
        failed: (error) => {
          failure = error;
          wake();
        },
        deleted: (topic, partition, from, low) => {
          failure = new SeamError(
            'OFFSET_OUT_OF_RANGE',
            `following ${topic}/${partition} from ${from}: what stands before ${low} has been deleted. Follow from there, or from the beginning.`,
            { details: { topic, partition, from, low } },
          );
          wake();
        },
      },
      this.options.maxBatchBytes,
    );
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
    const { high } = await this.storedIn('looking up a time', topic, partition);
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
    // Asked about "all", a broker leaves out a partition whose first offset is about to be committed; asked about the
    // partition it says so, and the answer is waited for.
    await connection.attempt('reading committed offsets', () => connection.refresh());
    const places = this.visible().flatMap((topic) =>
      topic.leaders.map((_leader, partition) => ({ topic: topic.name, partition })),
    );
    const offsets = await connection.attempt('reading committed offsets', async () =>
      fetchGroupOffsets(await connection.coordinator('group', name), name, places),
    );
    return offsets
      .map((offset) => ({ ...offset, topic: this.logical(offset.topic) }))
      .sort((a, b) => compareText(a.topic, b.topic) || a.partition - b.partition);
  }

  override async watermarks(topic: string): Promise<readonly Watermarks[]> {
    this.assertOpen('reading watermarks');
    const { leaders } = await this.topicOf('reading watermarks', topic);
    return this.stored('reading watermarks', topic, [...leaders.keys()]);
  }

  override close(): Promise<void> {
    this.closing ??= this.closeOnce();
    return this.closing;
  }

  private async closeOnce(): Promise<void> {
    await Promise.all([...this.subscriptions].map((subscription) => subscription.close()));
    this.ended.abort();
    await this.appends.quiet();
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
        ...original({ key, headers }),
        value: value && Buffer.from(value),
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

  private async commitConsumed(
    records: readonly PlacedRecord[],
    claim: Claim,
    offsets: readonly ConsumedOffset[],
  ): Promise<readonly RecordPosition[]> {
    const claimed = claim.token as Token;
    checkClaimedOffsets(claim, claimed, offsets);
    const holding = this.holdings.get(canonicalJson(claimed));
    if (!holding) {
      throw new SeamError(
        'FENCED',
        `committing as a member of group ${claim.group}: ${claimed.topic}/${claimed.partition} is no longer its. What was not committed is delivered again.`,
      );
    }
    const { topic, partition, session } = holding;
    const group = this.physical(claim.group);
    const nextOffset = offsets.at(-1)?.nextOffset;
    if (nextOffset !== undefined && nextOffset > holding.high()) {
      const name = this.logical(topic);
      const stored = await this.storedIn('committing offsets', name, partition);
      if (nextOffset > stored.high)
        throw offsetOutOfRange('committing offsets', { topic: name, ...stored, offset: nextOffset });
    }
    if (nextOffset !== undefined) {
      checkProgress(claim.group, { topic: this.logical(topic), partition, nextOffset }, holding.begun);
      holding.begun = nextOffset;
    }
    const { blocks, positionsAt } = blocksOf(records);
    try {
      const baseOffsets = await session.commit(
        blocks,
        nextOffset === undefined ? undefined : { group, topic, partition, nextOffset },
      );
      holding.committed(nextOffset);
      if (session.isBroken) holding.broke();
      // Whoever reads on has no use for it. Others look at what they wrote, as after an append.
      if (nextOffset === undefined && blocks.length > 0) await session.isVisible();
      return this.logicalPositions(positionsAt(baseOffsets));
    } catch (error) {
      if (session.isBroken) holding.broke();
      throw error;
    }
  }

  /** Plain data, as consumers compare and keep claims. */
  private tokenOf({ topic, partition, session }: Holding): Token {
    return { topic: this.logical(topic), partition, ...session.identity };
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
      const [answer] = await fetchCommitted(broker, [{ topic: name, partition, from }], {
        maxWaitMs: READ_WAIT_MS,
        maxBatchBytes: this.options.maxBatchBytes,
      });
      if (answer!.error) throw answer!.error;
      return answer!;
    });
  }

  private stored(operation: string, topic: string, partitions: readonly number[]): Promise<readonly Watermarks[]> {
    const name = this.physical(topic);
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

  private async storedIn(operation: string, topic: string, partition: number): Promise<Watermarks> {
    return (await this.stored(operation, topic, [partition]))[0]!;
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
