/**
 * A member of a group at work. This decides what a claim is worth: a partition is taken over in four steps, and their
 * order makes consume-process-produce exactly once.
 *
 *   1. InitProducerId of the partition's transactional id: the former owner can commit no more.
 *   2. A heartbeat: the group still gives the partition to this member. (A member that was late with step 1 has fenced the
 *      true owner, which takes the partition over again. The late member gets no further.)
 *   3. The committed offset, read after step 1: no other member can move it any more.
 *   4. Work.
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Claim,
  type ConsumeOptions,
  ConsumerLoop,
  type GroupSeat,
  type LogRecord,
  parsePartitionName,
  partitionName,
  type Subscription,
} from '@seamstream/event-log';
import { backoffMs, isSeamError, SeamError } from '@seamstream/kernel';
import { GroupMembership, type MembershipSettings } from './group-membership.js';
import type { KafkaConnection } from './kafka-connection.js';
import { EARLIEST, LATEST, listOffsets } from './offsets.js';
import { PartitionFeed } from './partition-feed.js';
import { ProducerSession, type ProducerSettings } from './producer-session.js';

/** Wait before a partition is taken over again after a second failure in a row; doubles with each further one. */
const RETAKE_MS = 100;
const MAX_RETAKE_MS = 5_000;

/** A partition as its owner holds it. */
export interface Holding {
  readonly topic: string;
  readonly partition: number;
  readonly session: ProducerSession;
  /** The group's committed offset. */
  readonly position: number;
  /** What the last step commits, decided or not: a step that fails is the last of its session. Before the first, the position. */
  begun: number;
  /** Where committed records end as far as the owner has seen. */
  high(): number;
  /** A step was committed, with this offset or without any. */
  committed(nextOffset: number | undefined): void;
  /** The session failed: the owner has to take the partition over again, or another member has it. */
  broke(): void;
}

export interface SubscriptionConnections {
  /** Joins, heartbeats. */
  readonly group: KafkaConnection;
  readonly fetch: KafkaConnection;
  readonly write: KafkaConnection;
}

export interface SubscriptionSettings extends MembershipSettings {
  /** The open log that the subscription belongs to, among all that consume. */
  readonly instance: string;
  readonly producer: ProducerSettings;
  /** Of a record batch once decompressed. */
  readonly maxBatchBytes: number;
  readonly transactionalIdOf: (topic: string, partition: number) => string;
  /** The claim of a partition that this member, by that id, has from now on. */
  readonly granted: (holding: Holding, memberId: string) => Claim;
  /** The partition's claim is worth nothing any more. */
  readonly released: (holding: Holding) => void;
  ended(): void;
}

/** Options carry the names that the cluster knows. */
export class KafkaSubscription implements Subscription, GroupSeat {
  private readonly loop: ConsumerLoop;
  private readonly feed: PartitionFeed;
  private readonly membership: GroupMembership;
  private readonly holdings = new Map<string, Holding>();
  /** Claimed towards the group: also while the last handler of a revoked partition still runs. */
  private readonly claimed = new Set<string>();
  /** What this member said at the last join that it owns. */
  private pledged: ReadonlySet<string> = new Set();
  /** By partition: sessions that failed one after the other. */
  private readonly losses = new Map<string, number>();
  private takingOver: Promise<void> = Promise.resolve();
  private assigned: { readonly names: ReadonlySet<string>; readonly generation: number } | undefined;
  private isOver = false;

  constructor(
    private readonly options: ConsumeOptions,
    private readonly connections: SubscriptionConnections,
    private readonly settings: SubscriptionSettings,
  ) {
    this.loop = new ConsumerLoop(options, this);
    this.feed = new PartitionFeed(
      connections.fetch,
      {
        arrived: (topic, partition) => this.loop.wake(topic, partition),
        failed: (error) => this.loop.fail(error),
        deleted: (topic, partition, from, low) =>
          this.loop.fail(
            new SeamError(
              'OFFSET_OUT_OF_RANGE',
              `Cannot read ${topic}/${partition} as group ${options.group}: expected records from ${from}, got only those from ${low} on, since older ones have been deleted. Find out what is missing. To continue without it, set the group's offset to ${low} with Kafka's kafka-consumer-groups.`,
              { details: { group: options.group, topic, partition, from, low } },
            ),
          ),
      },
      settings.maxBatchBytes,
    );
    const { group, topics, sharing = 'spread', turn } = options;
    const place = { id: group, topics, sharing, turn, instance: settings.instance };
    this.membership = new GroupMembership(connections.group, place, settings, {
      owned: () => this.pledge(),
      assigned: (names, generation) => this.onAssigned(names, generation),
      lost: () => this.onLost(),
      failed: (error) => this.loop.fail(error),
    });
    this.membership.start();
  }

  get closed(): Promise<void> {
    return this.loop.closed;
  }

  assignment(): readonly string[] {
    return this.loop.assignment();
  }

  close(): Promise<void> {
    return this.loop.close();
  }

  // What the loop asks.

  async fetch(topic: string, partition: number, _claim: Claim, maxRecords: number): Promise<readonly LogRecord[]> {
    const holding = this.holdings.get(partitionName(topic, partition));
    return holding ? this.feed.take(topic, partition, holding.position, maxRecords) : [];
  }

  async handBack(topic: string, partition: number): Promise<void> {
    this.release(partitionName(topic, partition), 'it was handed back');
    this.membership.rejoin();
  }

  async leave(): Promise<void> {
    this.isOver = true;
    for (const name of [...this.holdings.keys()]) this.release(name, 'the subscription was closed');
    this.feed.close();
    await this.takingOver;
    try {
      await this.membership.leave(this.connections.write);
    } finally {
      await Promise.all([this.connections.fetch.close(), this.connections.write.close()]);
      this.settings.ended();
    }
  }

  // What the group says.

  /** Also what is still being taken over: otherwise every member that joins meanwhile could be given it instead. */
  private pledge(): readonly string[] {
    this.pledged = new Set([...this.claimed, ...(this.assigned?.names ?? [])]);
    return [...this.pledged];
  }

  private onAssigned(names: ReadonlySet<string>, generation: number): void {
    if (this.isOver) return;
    this.assigned = { names, generation };
    // A partition that moves before it was taken over has no handler to wait for: this member rejoins at once.
    if ([...this.pledged].some((name) => !names.has(name) && !this.claimed.has(name))) this.membership.rejoin();
    for (const name of this.holdings.keys()) {
      const { topic, partition } = parsePartitionName(name);
      if (!names.has(name)) this.loop.revoke(topic, partition);
    }
    this.takeOverMissing();
  }

  private onLost(): void {
    this.assigned = undefined;
    for (const name of [...this.holdings.keys()]) {
      const { topic, partition } = parsePartitionName(name);
      this.release(name, 'the group has continued without this member');
      this.loop.drop(topic, partition);
    }
  }

  /** One after the other, so that an older generation's attempt cannot fence a younger one's. */
  private takeOverMissing(): void {
    this.takingOver = this.takingOver.then(() => this.takeOver()).catch((error: unknown) => this.loop.fail(error));
  }

  private async takeOver(): Promise<void> {
    const target = this.assigned;
    if (!target || this.isOver) return;
    const missing = [...target.names].filter((name) => !this.claimed.has(name)).map(parsePartitionName);
    if (missing.length === 0) return;
    const isCurrent = (): boolean =>
      !this.isOver && this.assigned === target && this.membership.generation === target.generation;
    try {
      // A former member must not fence the current one.
      if (!isCurrent() || !(await this.membership.confirms(target.generation))) return;
      const { write } = this.connections;
      const { producer, transactionalIdOf } = this.settings;
      const sessions = await Promise.all(
        missing.map(({ topic, partition }) =>
          ProducerSession.open(write, producer, transactionalIdOf(topic, partition)),
        ),
      );
      if (!(await this.membership.confirms(target.generation))) return;
      const positions = await this.positionsOf(missing, sessions);
      if (!isCurrent()) return;
      // One that committed where to begin may have ended with that.
      if (sessions.some(({ isBroken }) => isBroken)) this.takeOverMissing();
      else
        for (const [index, { topic, partition }] of missing.entries())
          this.hold(topic, partition, sessions[index]!, positions[index]!);
    } catch (error) {
      if (!isCurrent()) return;
      if (!isSeamError(error, 'LOG_UNAVAILABLE') && !isSeamError(error, 'FENCED')) throw error;
      await delay(100);
      this.takeOverMissing();
    }
  }

  private hold(topic: string, partition: number, session: ProducerSession, position: number): void {
    const name = partitionName(topic, partition);
    let committed = position;
    const holding: Holding = {
      topic,
      partition,
      session,
      begun: position,
      get position() {
        return committed;
      },
      high: () => this.feed.high(topic, partition),
      committed: (nextOffset = committed) => {
        committed = nextOffset;
        this.losses.delete(name);
      },
      broke: () => {
        if (this.holdings.get(name) !== holding) return;
        this.release(name, 'its producer failed');
        this.loop.drop(topic, partition);
        const losses = this.losses.get(name) ?? 0;
        this.losses.set(name, losses + 1);
        // One failure may be an accident. A member that is fenced repeatedly has a rival, and each must be able to finish a step.
        const waitMs = losses === 0 ? 0 : backoffMs(losses, { firstRetryMs: RETAKE_MS, maxRetryMs: MAX_RETAKE_MS });
        setTimeout(() => this.takeOverMissing(), waitMs).unref();
        // It was to move on, and its handler has nothing more to hand back.
        if (this.assigned?.names.has(name) === false) this.membership.rejoin();
      },
    };
    this.holdings.set(name, holding);
    this.claimed.add(name);
    this.feed.add(topic, partition, position);
    this.loop.grant(topic, partition, this.settings.granted(holding, this.membership.id));
  }

  /** Nothing can be committed for the partition any more. */
  private release(name: string, reason: string): void {
    const holding = this.holdings.get(name);
    if (!holding) return;
    this.holdings.delete(name);
    this.claimed.delete(name);
    this.feed.remove(holding.topic, holding.partition);
    this.settings.released(holding);
    holding.session.end(
      new SeamError(
        'FENCED',
        `Cannot commit as a member of group ${this.options.group}: ${name} is no longer its, ${reason}.`,
      ),
    );
  }

  /** Where to begin in each partition. */
  private async positionsOf(
    places: readonly { readonly topic: string; readonly partition: number }[],
    sessions: readonly ProducerSession[],
  ): Promise<number[]> {
    const { write } = this.connections;
    const { group, from } = this.options;
    const offsets = await write.attempt('read committed offsets', async () =>
      (await write.coordinator('group', group)).groupOffsets(group, places),
    );
    return Promise.all(
      places.map(async ({ topic, partition }, index) => {
        const committed = offsets.find((offset) => offset.topic === topic && offset.partition === partition);
        if (committed) return committed.nextOffset;
        const ends = await write.attempt('look for where to begin', () =>
          listOffsets(write, topic, [partition], from === 'latest' ? LATEST : EARLIEST),
        );
        const nextOffset = ends.get(partition)!;
        // "latest" names an offset once and for all: another member that takes over must begin there, too.
        if (from === 'latest') await sessions[index]!.commit([], { group, topic, partition, nextOffset });
        return nextOffset;
      }),
    );
  }
}
