/**
 * The event log on Apache Kafka. A topic is a Kafka topic, an offset a Kafka offset; transactions leave
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
  checkRecord,
  EventLog,
  followFrom,
  instanceName,
  type LogRecord,
  type NewRecord,
  offsetOutOfRange,
  partitionForKey,
  type ReadOptions,
  type RecordPosition,
  recordBytes,
  type Subscription,
  type TopicSpec,
  type Transaction,
  unknownTopic,
  type Watermarks,
} from '@seamstream/event-log';
import { canonicalJson, newId, SeamError } from '@seamstream/kernel';
import { type Acl, type AclDifference, compareAcls } from './acl-plan.js';
import { AppendQueue } from './append-queue.js';
import type { FetchPlace } from './broker-protocol.port.js';
import { ClusterNames } from './cluster-names.js';
import { ClusterTopics } from './cluster-topics.js';
import { CommittedReading } from './committed-reading.js';
import { describeAcls, giveAcls, takeAcls } from './kafka-acls.js';
import { type ConnectionSettings, KafkaConnection } from './kafka-connection.js';
import { type KafkaEventLogOptions, type ResolvedOptions, resolveOptions } from './kafka-log-options.js';
import { type Holding, KafkaSubscription } from './kafka-subscription.js';
import { followPlaces } from './log-follower.js';
import { original } from './lossless-headers.js';
import { ProducerSession, type ProducerSettings } from './producer-session.js';
import { blocksOf, type PlacedRecord } from './record-blocks.js';
import type { TopicDifference, WantedTopic } from './topic-plan.js';

/** Most bytes of a record's varints, attributes and offsets, in addition to its key, value and headers. */
const RECORD_FRAME_BYTES = 40;

/** Proof of ownership: the partition, and the producer that may commit for it. A claimed name is partition 0 of itself. */
interface Token {
  readonly topic: string;
  readonly partition: number;
  readonly producerId: string;
  readonly producerEpoch: number;
}

export class KafkaEventLog extends EventLog {
  private readonly settings: ConnectionSettings;
  private readonly producer: ProducerSettings;
  private readonly options: ResolvedOptions['log'];
  private readonly connection: KafkaConnection;
  private readonly names: ClusterNames;
  private readonly clusterTopics: ClusterTopics;
  private readonly reading: CommittedReading;
  private readonly others = new Set<KafkaConnection>();
  private readonly subscriptions = new Set<KafkaSubscription>();
  private readonly ended = new AbortController();
  private readonly appends: AppendQueue;
  /** By what their claim's token says. */
  private readonly holdings = new Map<string, Holding>();
  private closing: Promise<void> | undefined;
  private readonly instance: string;
  private keyless = 0;

  private constructor({ connection, producer, log }: ResolvedOptions) {
    super();
    this.settings = connection;
    this.producer = producer;
    this.options = log;
    this.connection = new KafkaConnection(connection);
    this.names = new ClusterNames(log.prefix);
    this.clusterTopics = new ClusterTopics(this.connection, this.names, log.replicationFactor);
    this.reading = new CommittedReading(this.connection, this.clusterTopics, this.names, log.maxBatchBytes);
    this.instance = instanceName(log.clock);
    this.appends = new AppendQueue(this.connection, producer, `${log.prefix}append.${connection.clientId}.${newId()}`);
  }

  /**
   * Opens the log of a cluster. INVALID_CONFIGURATION: the cluster refuses these credentials or this client its
   * certificate; LOG_UNAVAILABLE: no broker answers within `operationTimeoutMs`.
   */
  static async open(options: KafkaEventLogOptions): Promise<KafkaEventLog> {
    const opened = new KafkaEventLog(resolveOptions(options));
    try {
      await opened.connection.attempt('open the event log', () => opened.connection.refresh());
    } catch (error) {
      await opened.connection.close();
      throw error;
    }
    return opened;
  }

  /** The cluster's id, with the prefix where there is one, since each prefix is a separate log. */
  override async identity(): Promise<string> {
    this.assertOpen('ask for the identity');
    const { prefix } = this.options;
    const clusterId = await this.connection.attempt('ask for the identity', () => this.connection.clusterId());
    return prefix === '' ? clusterId : `${clusterId}.${prefix}`;
  }

  override async createTopics(topics: readonly TopicSpec[]): Promise<void> {
    this.assertOpen('create topics');
    await this.clusterTopics.create(topics);
  }

  /** What differs between the wanted topics and the cluster's; changes nothing. */
  async compareTopics(wanted: readonly WantedTopic[]): Promise<readonly TopicDifference[]> {
    this.assertOpen('compare topics');
    return this.clusterTopics.compare(wanted);
  }

  /** Creates missing topics and sets settings, as far as no record is lost; returns the differences from before. */
  async applyTopics(wanted: readonly WantedTopic[]): Promise<readonly TopicDifference[]> {
    this.assertOpen('apply topics');
    return this.clusterTopics.apply(wanted);
  }

  /** What differs between the wanted rights and the cluster's, by the cluster's names; nothing is changed. */
  async compareAcls(wanted: readonly Acl[]): Promise<readonly AclDifference[]> {
    this.assertOpen('compare rights');
    const physical = wanted.map((acl) =>
      acl.resource === 'cluster' ? acl : { ...acl, name: this.names.physical(acl.name) },
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

  override async topics(): Promise<readonly TopicSpec[]> {
    this.assertOpen('list topics');
    return this.clusterTopics.list();
  }

  override append(records: readonly NewRecord[]): Promise<readonly RecordPosition[]> {
    return this.transact({ records });
  }

  override async transact({ records, consumed }: Transaction): Promise<readonly RecordPosition[]> {
    this.assertOpen('commit');
    const placed = await this.place(records);
    if (consumed) return this.commitConsumed(placed, consumed.claim, consumed.offsets);
    if (placed.length === 0) return [];
    this.assertOpen('commit');
    return this.names.logicalPositions(await this.appends.append(placed));
  }

  /** The broker fences the previous producer with the name's transactional id, and its last transaction is at an end. */
  override async claim(name: string): Promise<Claim> {
    this.assertOpen('claim a name');
    checkClaimName(name);
    const session = await ProducerSession.open(this.connection, this.producer, this.names.physical(`append.${name}`));
    const holding: Holding = {
      topic: this.names.physical(name),
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

  override async release({ group: name, token }: Claim): Promise<void> {
    this.assertOpen('release a name');
    const key = canonicalJson(token);
    this.holdings
      .get(key)
      ?.session.end(
        new SeamError('FENCED', `Cannot commit as who claimed ${name}: the claim was released. Claim it again.`),
      );
    this.holdings.delete(key);
  }

  override async consume(options: ConsumeOptions): Promise<Subscription> {
    this.assertOpen('consume');
    checkConsumeOptions(options);
    for (const topic of options.topics) await this.clusterTopics.find(`consume as group ${options.group}`, topic);
    const group = this.names.physical(options.group);
    const onBatch: ConsumeOptions['onBatch'] = (batch) =>
      options.onBatch({
        ...batch,
        topic: this.names.logical(batch.topic),
        records: batch.records.map(this.names.toLogical),
      });
    const connections = { group: this.connect(), fetch: this.connect(), write: this.connect() };
    await Promise.all(
      Object.values(connections).map((connection) =>
        connection.attempt(`consume as group ${options.group}`, () => connection.refresh()),
      ),
    );
    const { sessionTimeoutMs, heartbeatMs, maxBatchBytes } = this.options;
    const subscription = new KafkaSubscription(
      { ...options, group, topics: options.topics.map((topic) => this.names.physical(topic)), onBatch },
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

  override async *read(options: ReadOptions): AsyncIterable<readonly LogRecord[]> {
    this.assertOpen('read');
    yield* this.reading.read(options, () => this.assertOpen('read'));
  }

  override async *follow(options: {
    readonly topics: readonly string[];
    readonly from: 'earliest' | 'latest' | readonly ConsumedOffset[];
    readonly signal: AbortSignal;
  }): AsyncIterable<readonly LogRecord[]> {
    this.assertOpen('follow');
    const { topics, from, signal } = options;
    const places: FetchPlace[] = [];
    for (const topic of topics) {
      for (const stored of await this.reading.watermarks(topic)) {
        const at = followFrom({ topic, ...stored }, from);
        places.push({ topic: this.names.physical(topic), partition: stored.partition, from: at });
      }
    }
    const until = AbortSignal.any([signal, this.ended.signal]);
    const connection = this.connect();
    try {
      const followed = followPlaces(connection, places, { until, maxBatchBytes: this.options.maxBatchBytes });
      for await (const records of followed) yield records.map(this.names.toLogical);
    } finally {
      this.others.delete(connection);
    }
    if (!signal.aborted) this.assertOpen('follow');
  }

  override async offsetForTime(topic: string, partition: number, timestampMs: number): Promise<number> {
    this.assertOpen('look up a time');
    return this.reading.offsetForTime(topic, partition, timestampMs);
  }

  override async committedOffsets(group: string): Promise<readonly ConsumedOffset[]> {
    this.assertOpen('read committed offsets');
    return this.reading.committedOffsets(group);
  }

  override async watermarks(topic: string): Promise<readonly Watermarks[]> {
    this.assertOpen('read watermarks');
    return this.reading.watermarks(topic);
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
      const known = this.clusterTopics.known(topic) ?? (await this.clusterTopics.find('append', topic));
      const partitions = known.leaders.length;
      if (partition !== undefined && (!Number.isInteger(partition) || partition < 0 || partition >= partitions))
        throw unknownTopic('append', topic, [topic], partition);
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
        `Cannot commit as a member of group ${claim.group}: ${claimed.topic}/${claimed.partition} is no longer its. What was not committed is delivered again.`,
      );
    }
    const { topic, partition, session } = holding;
    const group = this.names.physical(claim.group);
    const nextOffset = offsets.at(-1)?.nextOffset;
    if (nextOffset !== undefined && nextOffset > holding.high()) {
      const name = this.names.logical(topic);
      const stored = await this.reading.watermarksOf('commit offsets', name, partition);
      if (nextOffset > stored.high)
        throw offsetOutOfRange('commit offsets', { topic: name, ...stored, offset: nextOffset });
    }
    if (nextOffset !== undefined) {
      checkProgress(claim.group, { topic: this.names.logical(topic), partition, nextOffset }, holding.begun);
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
      // A group that reads on need not wait for it. Other callers look at what they wrote, as after an append.
      if (nextOffset === undefined && blocks.length > 0) await session.isVisible();
      return this.names.logicalPositions(positionsAt(baseOffsets));
    } catch (error) {
      if (session.isBroken) holding.broke();
      throw error;
    }
  }

  /** Plain data, as consumers compare and keep claims. */
  private tokenOf({ topic, partition, session }: Holding): Token {
    return { topic: this.names.logical(topic), partition, ...session.identity };
  }

  private prefixed(subscription: KafkaSubscription): Subscription {
    return {
      closed: subscription.closed,
      assignment: () => subscription.assignment().map((name) => this.names.logical(name)),
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
      throw new SeamError('LOG_UNAVAILABLE', `Cannot ${operation}: this log was closed. Open it again.`);
  }
}
