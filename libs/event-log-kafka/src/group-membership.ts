/**
 * A member of a Kafka group: joining, heartbeats, joining again. Handlers do not stop for it: a
 * rebalance only changes who owns what, see cooperative-assignment.ts. Heartbeats have their own timer, so no work delays
 * them that keeps the event loop free.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parsePartitionName, partitionName } from '@seamstream/event-log';
import { isSeamError, messageOf, SeamError } from '@seamstream/kernel';
import type { GroupAssignment, JoinedGroup } from './broker-protocol.port.js';
import { assignCooperatively, type JoinedMember } from './cooperative-assignment.js';
import type { KafkaConnection } from './kafka-connection.js';
import { brokerErrorOf, remedyFor, translated } from './kafka-errors.js';

/** Members of another protocol cannot join the same group: a broker answers INCONSISTENT_GROUP_PROTOCOL. */
const PROTOCOL = 'seamstream-cooperative';
const MAX_RETRY_MS = 1000;

export interface MembershipSettings {
  readonly sessionTimeoutMs: number;
  readonly heartbeatMs: number;
  /** How long the others wait for a member that does not join again. */
  readonly rebalanceTimeoutMs: number;
}

export interface MembershipEvents {
  /** Partitions that are worked on, as "topic/partition". Asked while joining. */
  owned(): readonly string[];
  /** What this member has from this generation on. */
  assigned(names: ReadonlySet<string>, generation: number): void;
  /** The group has continued without this member: all that it owned belongs to others. */
  lost(): void;
  /** The membership has ended with an error; nothing follows. */
  failed(error: SeamError): void;
}

/** What a member says about itself when it joins. */
interface MemberData extends Pick<JoinedMember, 'owned' | 'generation' | 'turn' | 'instance'> {
  readonly sharing: 'spread' | 'whole';
}

/** The group as its member knows it. */
interface MembersGroup extends Pick<JoinedMember, 'topics' | 'turn' | 'instance'> {
  readonly id: string;
  readonly sharing: 'spread' | 'whole';
}

export class GroupMembership {
  private readonly stopped = new AbortController();
  private memberId = '';
  private generationId = -1;
  /** The last generation that assigned anything: that of what is owned. */
  private assignedIn = -1;
  private wantsRejoin = false;
  private wake: () => void = () => undefined;
  private running: Promise<void> = Promise.resolve();

  /** @param connection its own: a join waits for all members */
  constructor(
    private readonly connection: KafkaConnection,
    private readonly group: MembersGroup,
    private readonly settings: MembershipSettings,
    private readonly events: MembershipEvents,
  ) {}

  start(): void {
    this.running = this.run();
  }

  /** The generation that the member is in; -1 while it joins. */
  get generation(): number {
    return this.generationId;
  }

  /** A method, since the compiler takes a field's value to outlive an await. */
  private isStopped(): boolean {
    return this.stopped.signal.aborted;
  }

  /** What the group calls this member. */
  get id(): string {
    return this.memberId;
  }

  /** Joins again soon, with what is owned then. */
  rejoin(): void {
    this.wantsRejoin = true;
    this.wake();
  }

  /**
   * Whether the group still has this member in this generation. If so, no other member has its partitions yet.
   */
  async confirms(generation: number): Promise<boolean> {
    if (generation !== this.generationId || this.isStopped()) return false;
    const answer = await this.heartbeat(generation);
    return answer !== 'gone' && generation === this.generationId;
  }

  /**
   * Leaves the group and ends. The goodbye goes over another connection: on its own it would wait behind a join.
   */
  async leave(goodbye: KafkaConnection): Promise<void> {
    this.stopped.abort();
    this.wake();
    const { memberId } = this;
    try {
      if (memberId !== '') {
        await goodbye.attempt(
          `leave group ${this.group.id}`,
          async () => {
            const broker = await goodbye.coordinator('group', this.group.id);
            return broker.leaveGroup(this.group.id, memberId);
          },
          { timeoutMs: this.settings.sessionTimeoutMs },
        );
      }
    } catch (error) {
      // UNKNOWN_MEMBER_ID: the group has removed this member already. After any other failure it does so when the session times out.
      if (brokerErrorOf((error as SeamError).cause) !== 'UNKNOWN_MEMBER_ID') throw error;
    } finally {
      await this.connection.close();
      await this.running;
    }
  }

  private async run(): Promise<void> {
    for (let waitMs = 50; !this.isStopped(); ) {
      try {
        await this.join();
        waitMs = 50;
        await this.beat();
      } catch (error) {
        if (this.isStopped()) return;
        const cause = isSeamError(error) ? (error.cause ?? error) : error;
        const type = brokerErrorOf(cause);
        if (type === 'UNKNOWN_MEMBER_ID' || type === 'ILLEGAL_GENERATION') {
          this.forget();
        } else if (type === 'REBALANCE_IN_PROGRESS') {
          continue;
        } else if (remedyFor(cause) === 'none') {
          this.events.failed(translated(`consume as group ${this.group.id}`, error));
          return;
        }
        await delay(waitMs, undefined, { signal: this.stopped.signal }).catch(() => undefined);
        waitMs = Math.min(waitMs * 2, MAX_RETRY_MS);
      }
    }
  }

  private forget(): void {
    this.memberId = '';
    this.generationId = this.assignedIn = -1;
    this.events.lost();
  }

  private async join(): Promise<void> {
    const { id, topics, sharing, turn, instance } = this.group;
    const { sessionTimeoutMs, rebalanceTimeoutMs } = this.settings;
    const joining = `join group ${id}`;
    // From here on nothing is taken over under the old generation.
    this.generationId = -1;
    this.wantsRejoin = false;
    const data: MemberData = {
      owned: this.events.owned(),
      generation: this.assignedIn,
      sharing,
      turn,
      instance,
    };
    const joined = await this.connection.attempt(joining, async () => {
      const broker = await this.connection.coordinator('group', id);
      return broker.joinGroup({
        group: id,
        memberId: this.memberId,
        sessionTimeoutMs,
        rebalanceTimeoutMs,
        protocol: PROTOCOL,
        topics,
        userData: Buffer.from(JSON.stringify(data)),
      });
    });
    this.memberId = joined.memberId;
    const { generationId, memberId } = joined;
    const assignments =
      joined.leaderId === memberId ? this.assign(joined.members, this.partitionCounts()) : new Map<string, never>();
    const assignment = await this.connection.attempt(joining, async () => {
      const broker = await this.connection.coordinator('group', id);
      return broker.syncGroup({ group: id, generationId, memberId }, assignments);
    });
    if (this.isStopped()) return;
    this.generationId = this.assignedIn = generationId;
    const names = Object.entries(assignment).flatMap(([topic, partitions]) =>
      partitions.map((partition) => partitionName(topic, partition)),
    );
    this.events.assigned(new Set(names), generationId);
  }

  private partitionCounts(): ReadonlyMap<string, number> {
    return new Map([...this.connection.topics().values()].map(({ name, leaders }) => [name, leaders.length]));
  }

  private assign(
    members: JoinedGroup['members'],
    partitions: ReadonlyMap<string, number>,
  ): ReadonlyMap<string, GroupAssignment> {
    const joined = members.map(
      ({ memberId, topics, userData }): JoinedMember => ({ memberId, topics, ...readMemberData(userData) }),
    );
    return new Map(
      [...assignCooperatively(joined, partitions)].map(([memberId, names]) => {
        const assignment: Record<string, number[]> = {};
        for (const name of names) {
          const { topic, partition } = parsePartitionName(name);
          (assignment[topic] ??= []).push(partition);
        }
        return [memberId, assignment];
      }),
    );
  }

  /** Returns when the group has to be joined again. */
  private async beat(): Promise<void> {
    const generation = this.generationId;
    while (!this.mustStopBeating()) {
      await this.pauseBeforeHeartbeat();
      if (this.mustStopBeating()) return;
      const answer = await this.heartbeat(generation);
      if (answer === 'gone') this.forget();
      if (answer !== 'member') return;
    }
  }

  private mustStopBeating(): boolean {
    return this.isStopped() || this.wantsRejoin;
  }

  /** `rejoin`: still a member, and a rebalance has begun. `gone`: the group has continued without it. */
  private async heartbeat(generation: number): Promise<'member' | 'rejoin' | 'gone'> {
    const { id } = this.group;
    const { memberId } = this;
    try {
      await this.connection.attempt(`heartbeat of group ${id}`, async () => {
        const broker = await this.connection.coordinator('group', id);
        return broker.heartbeat({ group: id, generationId: generation, memberId });
      });
      return 'member';
    } catch (error) {
      const type = brokerErrorOf((error as SeamError).cause);
      if (type === 'REBALANCE_IN_PROGRESS') return 'rejoin';
      if (type === 'UNKNOWN_MEMBER_ID' || type === 'ILLEGAL_GENERATION') return 'gone';
      throw error;
    }
  }

  private async pauseBeforeHeartbeat(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.settings.heartbeatMs);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = () => undefined;
  }
}

function readMemberData(userData: Buffer): MemberData {
  try {
    return JSON.parse(userData.toString()) as MemberData;
  } catch (error) {
    throw new SeamError('CONFLICT', `Cannot read what a member of the group says about itself: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
