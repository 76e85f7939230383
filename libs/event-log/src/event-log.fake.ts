/**
 * The event log in memory: the port's whole behaviour without durability. Several logs on one {@link InMemoryLogStorage}
 * behave like several processes on one log.
 */
import { type Clock, compareText, SeamError, systemClock } from '@seamstream/kernel';
import { ConsumerLoop, type GroupSeat } from './consumer-loop.js';
import {
  type Claim,
  type ConsumedOffset,
  type ConsumeOptions,
  EventLog,
  type LogRecord,
  type NewRecord,
  type ReadOptions,
  type RecordPosition,
  type Subscription,
  type TopicSpec,
  type Transaction,
  type Watermarks,
} from './event-log.js';
import { copyOf, type Group, InMemoryLogStorage, type Seat, type Token } from './in-memory-log-storage.fake.js';
import { partitionForKey } from './murmur2.js';
import { assignPartitions, grantablePartitions, partitionName } from './partition-assignment.js';
import {
  checkClaimedOffsets,
  checkClaimName,
  checkConsumeOptions,
  checkProgress,
  checkReadRange,
  checkRecord,
  checkTopicSpec,
  DEFAULT_CHUNK_RECORDS,
  followFrom,
  offsetOutOfRange,
  partitionConflict,
  unknownTopic,
} from './record-rules.js';

export class InMemoryEventLog extends EventLog {
  private readonly storage: InMemoryLogStorage;
  private readonly clock: Clock;
  private readonly instance: string;
  private readonly subscriptions = new Map<ConsumerLoop, { readonly group: string; readonly seat: Seat }>();
  private readonly ended = new AbortController();

  constructor(options: { storage?: InMemoryLogStorage; clock?: Clock } = {}) {
    super();
    this.storage = options.storage ?? new InMemoryLogStorage();
    this.clock = options.clock ?? systemClock;
    this.instance = `log-${String(this.storage.nextInstance++).padStart(6, '0')}`;
  }

  override async identity(): Promise<string> {
    this.assertOpen('ask for the identity');
    return this.storage.identity;
  }

  override async createTopics(topics: readonly TopicSpec[]): Promise<void> {
    this.assertOpen('create topics');
    for (const spec of topics) {
      checkTopicSpec(spec);
      const existing = this.storage.topics.get(spec.name);
      if (existing && existing.length !== spec.partitions)
        throw partitionConflict(spec.name, existing.length, spec.partitions);
    }
    for (const { name, partitions } of topics) {
      if (!this.storage.topics.has(name))
        this.storage.topics.set(
          name,
          Array.from({ length: partitions }, () => []),
        );
    }
  }

  override async topics(): Promise<readonly TopicSpec[]> {
    this.assertOpen('list topics');
    return [...this.storage.topics]
      .map(([name, partitions]) => ({ name, partitions: partitions.length }))
      .sort((a, b) => compareText(a.name, b.name));
  }

  override append(records: readonly NewRecord[]): Promise<readonly RecordPosition[]> {
    return this.transact({ records });
  }

  override async transact({ records, consumed }: Transaction): Promise<readonly RecordPosition[]> {
    this.assertOpen('commit');
    const now = this.clock.now();
    // 1. Refuse everything that can be refused before anything changes.
    let keyless = this.storage.keyless;
    const placed = records.map((record, index) => {
      checkRecord(record, index);
      const partitions = this.partitionsOf('append', record.topic);
      const partition =
        record.partition ??
        (record.key === null ? keyless++ % partitions.length : partitionForKey(record.key, partitions.length));
      const log = partitions[partition];
      if (!log) throw unknownTopic('append', record.topic, this.topicNames(), partition);
      return { record, partition, log };
    });
    const group = consumed && this.checkConsumed(consumed.claim, consumed.offsets);
    // 2. Apply, without a chance to fail half-way.
    this.storage.keyless = keyless;
    const positions = placed.map(({ record, partition, log }): RecordPosition => {
      const position = { topic: record.topic, partition, offset: log.length };
      log.push({
        ...position,
        key: record.key,
        value: record.value && new Uint8Array(record.value),
        headers: { ...record.headers },
        timestampMs: record.timestampMs ?? now,
      });
      return position;
    });
    for (const offset of consumed?.offsets ?? []) {
      const { topic, partition, nextOffset } = offset;
      group?.offsets.set(partitionName(topic, partition), { topic, partition, nextOffset });
    }
    if (positions.length > 0) for (const listener of [...this.storage.listeners]) listener();
    return positions;
  }

  override async claim(name: string): Promise<Claim> {
    this.assertOpen('claim a name');
    checkClaimName(name);
    const memberId = `member-${String(this.storage.nextMember++).padStart(6, '0')}`;
    const generation = ++this.storage.nextGeneration;
    this.groupOf(name).owners.set(partitionName(name, 0), { memberId, generation });
    const token: Token = { topic: name, partition: 0, generation };
    return { group: name, memberId, token };
  }

  override async release({ group: name, memberId, token }: Claim): Promise<void> {
    this.assertOpen('release a name');
    const { owners } = this.groupOf(name);
    const owner = owners.get(partitionName(name, 0));
    if (owner?.memberId === memberId && owner.generation === (token as Token).generation)
      owners.delete(partitionName(name, 0));
  }

  override async consume(options: ConsumeOptions): Promise<Subscription> {
    this.assertOpen('consume');
    checkConsumeOptions(options);
    for (const topic of options.topics) this.partitionsOf(`consume as group ${options.group}`, topic);
    const memberId = `member-${String(this.storage.nextMember++).padStart(6, '0')}`;
    const group = this.groupOf(options.group);
    const wake = (): void => loop.wake();
    const seat: GroupSeat = {
      fetch: async (topic, partition, claim, maxRecords) => {
        this.checkClaim(claim);
        const next = group.offsets.get(partitionName(topic, partition))?.nextOffset ?? 0;
        return this.partitionsOf('consume', topic)
          [partition]!.slice(next, next + maxRecords)
          .map(copyOf);
      },
      handBack: async (topic, partition, claim) => {
        this.checkClaim(claim);
        group.owners.delete(partitionName(topic, partition));
        this.rebalance(options.group);
      },
      leave: async () => {
        this.storage.listeners.delete(wake);
        this.subscriptions.delete(loop);
        group.members.delete(memberId);
        for (const [name, owner] of group.owners) if (owner.memberId === memberId) group.owners.delete(name);
        this.rebalance(options.group);
      },
    };
    const loop = new ConsumerLoop(options, seat);
    const member: Seat = {
      memberId,
      topics: options.topics,
      instance: this.instance,
      sharing: options.sharing,
      turn: options.turn,
      from: options.from,
      loop,
    };
    this.subscriptions.set(loop, { group: options.group, seat: member });
    this.storage.listeners.add(wake);
    group.members.set(memberId, member);
    this.rebalance(options.group);
    return loop;
  }

  override async *read({
    topic,
    partition,
    from,
    to,
    chunkRecords = DEFAULT_CHUNK_RECORDS,
  }: ReadOptions): AsyncIterable<readonly LogRecord[]> {
    this.assertOpen('read');
    const log = this.partitionOf('read', topic, partition);
    const high = log.length;
    const end = to ?? high;
    checkReadRange({ topic, partition, low: 0, high }, from, end);
    for (let at = from; at < end; at += chunkRecords) {
      this.assertOpen('read');
      yield log.slice(at, Math.min(at + chunkRecords, end)).map(copyOf);
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
      this.partitionsOf('follow', topic).map((log, partition) => ({
        log,
        next: followFrom({ topic, partition, low: 0, high: log.length }, from),
      })),
    );
    const until = AbortSignal.any([signal, this.ended.signal]);
    const isOver = (): boolean => until.aborted; // it changes while a reader holds what was yielded
    while (!isOver()) {
      let found = false;
      for (const cursor of cursors) {
        const records = cursor.log.slice(cursor.next, cursor.next + DEFAULT_CHUNK_RECORDS).map(copyOf);
        if (records.length === 0) continue;
        found = true;
        cursor.next += records.length;
        yield records;
        if (isOver()) break;
      }
      if (!found && !isOver()) await this.nextCommit(until);
    }
    if (!signal.aborted) this.assertOpen('follow');
  }

  override async offsetForTime(topic: string, partition: number, timestampMs: number): Promise<number> {
    this.assertOpen('look up a time');
    const log = this.partitionOf('look up a time', topic, partition);
    const found = log.findIndex((record) => record.timestampMs >= timestampMs);
    return found < 0 ? log.length : found;
  }

  override async committedOffsets(group: string): Promise<readonly ConsumedOffset[]> {
    this.assertOpen('read committed offsets');
    return [...(this.storage.groups.get(group)?.offsets.values() ?? [])].sort(
      (a, b) => compareText(a.topic, b.topic) || a.partition - b.partition,
    );
  }

  override async watermarks(topic: string): Promise<readonly Watermarks[]> {
    this.assertOpen('read watermarks');
    return this.partitionsOf('read watermarks', topic).map((log, partition) => ({
      partition,
      low: 0,
      high: log.length,
    }));
  }

  override async close(): Promise<void> {
    await Promise.all([...this.subscriptions.keys()].map((loop) => loop.close()));
    this.ended.abort();
  }

  /**
   * As when the sessions of this log's members run out while its process is silent: their partitions are others', and they
   * learn it when they next use them. They join again, unless the process is gone.
   */
  lapse({ isGone }: { readonly isGone: boolean }): void {
    for (const [loop, { group: name, seat }] of this.subscriptions) {
      const group = this.groupOf(name);
      group.members.delete(seat.memberId);
      for (const [partition, owner] of group.owners)
        if (owner.memberId === seat.memberId) group.owners.delete(partition);
      this.rebalance(name);
      if (isGone) this.subscriptions.delete(loop);
      else {
        group.members.set(seat.memberId, seat);
        this.rebalance(name);
      }
    }
  }

  /** As when the answer to a commit got lost: its caller can commit no more under the same claim. */
  endClaim({ group: name, token }: Claim): void {
    const { topic, partition } = token as Token;
    this.groupOf(name).owners.delete(partitionName(topic, partition));
    this.rebalance(name);
  }

  private assertOpen(operation: string): void {
    if (this.ended.signal.aborted) {
      throw new SeamError('LOG_UNAVAILABLE', `Cannot ${operation}: this log was closed. Open it again.`);
    }
  }

  private topicNames(): readonly string[] {
    return [...this.storage.topics.keys()].sort();
  }

  private partitionsOf(operation: string, topic: string): LogRecord[][] {
    const found = this.storage.topics.get(topic);
    if (!found) throw unknownTopic(operation, topic, this.topicNames());
    return found;
  }

  private partitionOf(operation: string, topic: string, partition: number): LogRecord[] {
    const found = this.partitionsOf(operation, topic)[partition];
    if (!found) throw unknownTopic(operation, topic, this.topicNames(), partition);
    return found;
  }

  private groupOf(name: string): Group {
    const group = this.storage.groups.get(name) ?? { members: new Map(), owners: new Map(), offsets: new Map() };
    this.storage.groups.set(name, group);
    return group;
  }

  private checkClaim(claim: Claim): { readonly group: Group; readonly token: Token } {
    const group = this.groupOf(claim.group);
    const token = claim.token as Token;
    const owner = group.owners.get(partitionName(token.topic, token.partition));
    if (owner?.memberId !== claim.memberId || owner.generation !== token.generation) {
      throw new SeamError(
        'FENCED',
        `Cannot commit as ${claim.memberId} of group ${claim.group}: partition ${token.topic}/${token.partition} was taken away. ` +
          'Nothing was committed; its owner gets the records again.',
        { details: { group: claim.group, memberId: claim.memberId, topic: token.topic, partition: token.partition } },
      );
    }
    return { group, token };
  }

  private checkConsumed(claim: Claim, offsets: readonly ConsumedOffset[]): Group {
    const { group, token } = this.checkClaim(claim);
    checkClaimedOffsets(claim, token, offsets);
    for (const { topic, partition, nextOffset } of offsets) {
      const high = this.partitionOf('commit offsets', topic, partition).length;
      if (nextOffset > high)
        throw offsetOutOfRange('commit an offset of', { topic, partition, low: 0, high, offset: nextOffset });
      const committed = group.offsets.get(partitionName(topic, partition))?.nextOffset;
      checkProgress(claim.group, { topic, partition, nextOffset }, committed);
    }
    return group;
  }

  /** Brings ownership nearer to {@link assignPartitions}: free partitions are granted, misplaced ones asked back. */
  private rebalance(name: string): void {
    const group = this.groupOf(name);
    const members = [...group.members.values()];
    const counts = new Map([...this.storage.topics].map(([topic, partitions]) => [topic, partitions.length]));
    const owners = new Map([...group.owners].map(([partition, { memberId }]) => [partition, memberId]));
    const target = assignPartitions(members, counts, owners);
    const grantable = grantablePartitions(members, target, owners);
    for (const [partition, memberId] of target) {
      const slash = partition.lastIndexOf('/');
      const [topic, number] = [partition.slice(0, slash), Number(partition.slice(slash + 1))];
      const owner = group.owners.get(partition);
      if (owner && owner.memberId !== memberId) group.members.get(owner.memberId)?.loop.revoke(topic, number);
      if (!grantable.has(partition) || group.owners.has(partition)) continue;
      const seat = group.members.get(memberId)!;
      const generation = ++this.storage.nextGeneration;
      group.owners.set(partition, { memberId, generation });
      if (seat.from === 'latest' && !group.offsets.has(partition)) {
        // The start is written down, so that what comes from now on is not lost if another member takes over.
        group.offsets.set(partition, {
          topic,
          partition: number,
          nextOffset: this.storage.topics.get(topic)![number]!.length,
        });
      }
      const token: Token = { topic, partition: number, generation };
      seat.loop.grant(topic, number, { group: name, memberId, token });
    }
  }

  private nextCommit(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.storage.listeners.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.storage.listeners.add(done);
      signal.addEventListener('abort', done);
    });
  }
}
