/**
 * Everything that changes a log. Runs in a separate thread (log-writer.worker.ts), because a commit waits for the disk and
 * for writers in other processes, and the event loop must not. All requests that wait when a transaction begins share it, so
 * that many callers pay for one fsync (group commit).
 */

import { mkdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  checkProgress,
  offsetOutOfRange,
  partitionConflict,
  type TopicSpec,
  unknownTopic,
} from '@seamstream/event-log';
import { isSeamError, SeamError } from '@seamstream/kernel';
import {
  coordinate,
  createHeartbeat,
  HEARTBEAT_FOLDER,
  type MemberRow,
  type MembershipChange,
  monotonicMs,
  nextId,
  release,
  writeHeartbeat,
} from './group-membership.js';
import { type LogFiles, logFull, translated } from './log-files.js';
import { blockKey, type OwnerRow, stateKey, type TopicRow } from './log-keys.js';
import { placeBlock, type UnplacedBlock } from './record-block.js';

/** How far a claim's owner has read, and the proof that it is the owner. */
export interface ConsumedPart {
  readonly group: string;
  readonly memberId: string;
  readonly topic: string;
  readonly partition: number;
  readonly generation: number;
  /** Absent when nothing was read on; the claim is checked all the same. */
  readonly nextOffset: number | undefined;
}

export interface TransactRequest {
  readonly blocks: readonly UnplacedBlock[];
  readonly consumed: ConsumedPart | undefined;
}

interface Waiting {
  readonly request: TransactRequest;
  readonly resolve: (baseOffsets: readonly number[]) => void;
  readonly reject: (error: SeamError) => void;
}

interface Member {
  readonly group: string;
  readonly memberId: string;
  readonly row: MemberRow;
  readonly timer: NodeJS.Timeout;
  readonly round: () => void;
}

/** Room that a transaction may take besides its blocks: changed B-tree pages. */
const SLACK_BYTES = 64 * 1024;

/** A disk with less is full for our purposes: a commit of blocks needs about as much in one piece. */
const LOW_SPACE_BYTES = 1024 ** 2;

/**
 * Where this much is left, the next half of it is committed without asking again, for so long: nothing else on a machine
 * writes the other half in that time.
 */
const PLENTY_BYTES = 2 * 1024 ** 3;
const PLENTY_MS = 50;

export class LogWriter {
  private waiting: Waiting[] = [];
  private readonly members = new Map<string, Member>();
  private readonly topicRows = new Map<string, TopicRow>();
  /** What may be committed without asking for space, and until when by the monotonic clock. */
  private plenty = { bytes: 0, untilMs: 0 };

  constructor(
    private readonly files: LogFiles,
    private readonly options: { readonly folder: string; readonly mapSizeBytes: number },
  ) {}

  /** Queues one atomic step for the next {@link commitWaiting}; answers the base offset of each block. */
  transact(request: TransactRequest): Promise<readonly number[]> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ request, resolve, reject });
    });
  }

  createTopics(topics: readonly TopicSpec[]): void {
    this.attempt('create topics', () =>
      this.files.root.transactionSync(() => {
        const rows = topics.map(({ name }) => this.topicRow(name));
        for (const [index, { name, partitions }] of topics.entries()) {
          const row = rows[index];
          if (row && row.partitions !== partitions) throw partitionConflict(name, row.partitions, partitions);
        }
        for (const { name, partitions } of topics) {
          if (this.topicRow(name)) continue;
          this.files.state.putSync(
            stateKey.topic(name),
            Buffer.from(JSON.stringify({ id: nextId(this.files), partitions } satisfies TopicRow)),
          );
        }
      }),
    );
  }

  /** Takes a name from its holder; answers the generation by which the claim is known. */
  claim(name: string, memberId: string): number {
    return this.attempt(`claim ${name}`, () =>
      this.files.root.transactionSync(() => {
        const owner: OwnerRow = { memberId, generation: nextId(this.files) };
        this.files.state.putSync(stateKey.owner(name, name, 0), Buffer.from(JSON.stringify(owner)));
        return owner.generation;
      }),
    );
  }

  /** Gives a name up, unless another claim has it by now. */
  release(name: string, { memberId, generation }: OwnerRow): void {
    this.attempt(`release ${name}`, () =>
      this.files.root.transactionSync(() => {
        const key = stateKey.owner(name, name, 0);
        const row = this.files.state.getBinary(key);
        if (row === undefined) return;
        const owner = JSON.parse(row.toString()) as OwnerRow;
        if (owner.memberId === memberId && owner.generation === generation) this.files.state.removeSync(key);
      }),
    );
  }

  /** Makes a member of a group and keeps it alive; `onChange` hears of every round that changed or reported something. */
  join(
    group: string,
    memberId: string,
    row: MemberRow,
    onChange: (change: MembershipChange) => void,
    onError: (error: SeamError) => void,
  ): void {
    const { folder } = this.options;
    this.attempt(`join group ${group}`, () => {
      mkdirSync(join(folder, HEARTBEAT_FOLDER), { recursive: true });
      createHeartbeat(folder, memberId, monotonicMs());
    });
    const round = (): void => {
      try {
        try {
          writeHeartbeat(folder, memberId, monotonicMs());
        } catch {
          createHeartbeat(folder, memberId, monotonicMs()); // another member took this one for dead and cleaned up
        }
        onChange(coordinate(this.files, folder, { group, memberId, row }));
      } catch (error) {
        const known = translated(error, `coordinate group ${group}`);
        // Without space nothing can be claimed: owned names stay, the rest waits for space.
        if (known.code !== 'LOG_FULL') onError(known);
      }
    };
    // Often enough that a hand-over takes a few of them, seldom enough to cost nothing.
    const timer = setInterval(round, Math.min(150, Math.max(20, row.sessionTimeoutMs / 20)));
    this.members.set(memberId, { group, memberId, row, timer, round });
    this.coordinateGroup(group);
  }

  /** Gives a partition back. */
  handBack(
    memberId: string,
    owned: { readonly topic: string; readonly partition: number; readonly generation: number },
  ): void {
    const member = this.members.get(memberId);
    if (!member) return;
    this.attempt(`hand back ${owned.topic}/${owned.partition}`, () =>
      release(this.files, this.options.folder, member, owned),
    );
    this.coordinateGroup(member.group);
  }

  leave(memberId: string): void {
    const member = this.members.get(memberId);
    if (!member) return;
    clearInterval(member.timer);
    this.members.delete(memberId);
    this.attempt(`leave group ${member.group}`, () => release(this.files, this.options.folder, member, 'leave'));
    this.coordinateGroup(member.group);
  }

  close(): void {
    for (const { timer } of this.members.values()) clearInterval(timer);
    this.members.clear();
  }

  /** A round for every member of a group in this thread: hand-overs between them need not wait for timers. */
  private coordinateGroup(group: string): void {
    for (const member of this.members.values()) if (member.group === group) member.round();
  }

  /** Commits all queued steps in one transaction. */
  commitWaiting(): void {
    const group = this.waiting;
    if (group.length === 0) return;
    this.waiting = [];
    const outcomes: (readonly number[] | SeamError)[] = [];
    try {
      this.refuseWhenFull(group);
      this.files.root.transactionSync(() => {
        outcomes.length = 0;
        const partitions = new Map<string, PartitionEnd>();
        for (const { request } of group) {
          try {
            outcomes.push(this.apply(request, partitions));
          } catch (error) {
            // A refusal comes before the request's first write; anything else undoes the whole transaction.
            if (!isSeamError(error)) throw error;
            outcomes.push(error);
          }
        }
        if (outcomes.every((outcome) => isSeamError(outcome))) return;
        const commits = Buffer.allocUnsafe(8);
        commits.writeDoubleLE((this.files.state.getBinary(stateKey.commits)?.readDoubleLE(0) ?? 0) + 1);
        this.files.state.putSync(stateKey.commits, commits);
        for (const { key, nextOffset, maxTimestampMs } of partitions.values()) {
          const row = Buffer.allocUnsafe(16);
          row.writeDoubleLE(nextOffset, 0);
          row.writeDoubleLE(maxTimestampMs, 8);
          this.files.state.putSync(key, row);
        }
      });
    } catch (error) {
      const known = this.explained(error);
      for (const { reject } of group) reject(known);
      return;
    }
    for (const [index, { resolve, reject }] of group.entries()) {
      const outcome = outcomes[index]!;
      if (isSeamError(outcome)) reject(outcome);
      else resolve(outcome);
    }
  }

  /** One request inside the transaction: every check first, then the writes. */
  private apply({ blocks, consumed }: TransactRequest, partitions: Map<string, PartitionEnd>): readonly number[] {
    const { records, state } = this.files;
    if (consumed) this.checkOwner(consumed);
    const topics = blocks.map(({ topic, partition }) => {
      const row = this.knownTopic(topic);
      if (!row || partition >= row.partitions) throw unknownTopic('append', topic, [], partition);
      return row;
    });
    if (consumed?.nextOffset !== undefined) {
      const { group, topic, partition, nextOffset } = consumed;
      const row = this.knownTopic(topic);
      if (!row) throw unknownTopic('commit offsets', topic, []);
      const high = this.partitionEnd(row.id, partition, partitions).nextOffset;
      if (nextOffset > high)
        throw offsetOutOfRange('commit an offset of', { topic, partition, low: 0, high, offset: nextOffset });
      const committed = state.getBinary(stateKey.committed(group, topic, partition));
      checkProgress(group, { topic, partition, nextOffset }, committed && Number(committed.toString()));
    }
    const baseOffsets = blocks.map((block, index) => {
      const topicId = topics[index]!.id;
      const end = this.partitionEnd(topicId, block.partition, partitions);
      const baseOffset = end.nextOffset;
      end.maxTimestampMs = Math.max(end.maxTimestampMs, block.maxTimestampMs);
      const { buffer, byteOffset, length } = block.bytes;
      placeBlock(block.bytes, { topicId, partition: block.partition, baseOffset }, end.maxTimestampMs);
      records.putSync(blockKey(topicId, block.partition, baseOffset), Buffer.from(buffer, byteOffset, length));
      end.nextOffset += block.count;
      return baseOffset;
    });
    if (consumed?.nextOffset !== undefined) {
      const { group, topic, partition, nextOffset } = consumed;
      state.putSync(stateKey.committed(group, topic, partition), Buffer.from(String(nextOffset)));
    }
    return baseOffsets;
  }

  private checkOwner({ group, memberId, topic, partition, generation }: ConsumedPart): void {
    const row = this.files.state.getBinary(stateKey.owner(group, topic, partition));
    const owner = row && (JSON.parse(row.toString()) as OwnerRow);
    if (owner?.memberId === memberId && owner.generation === generation) return;
    throw new SeamError(
      'FENCED',
      `Cannot commit as ${memberId} of group ${group}: partition ${topic}/${partition} was taken away. ` +
        'Nothing was committed; its owner gets the records again.',
      { details: { group, memberId, topic, partition } },
    );
  }

  /**
   * LMDB would let the file grow on; the operator set a limit. The disk is asked beforehand as well: lmdb 3.5.6 now and then
   * corrupts its heap when a write finds no space, which ends the process. Asking costs as much as a small commit's writes,
   * so where there is plenty it is not repeated for every one.
   */
  private refuseWhenFull(group: readonly Waiting[]): void {
    let bytes = SLACK_BYTES;
    for (const { request } of group) for (const block of request.blocks) bytes += block.bytes.length;
    if (bytes === SLACK_BYTES) return; // offsets and ownership reuse pages
    const nowMs = performance.now();
    if (nowMs > this.plenty.untilMs || bytes > this.plenty.bytes) {
      const room = this.roomFor(bytes);
      this.plenty = { bytes: room < PLENTY_BYTES ? 0 : PLENTY_BYTES / 2, untilMs: nowMs + PLENTY_MS };
    }
    this.plenty.bytes -= bytes;
  }

  /** How many bytes the disk and the log's limit leave, at least those given: LOG_FULL. */
  private roomFor(bytes: number): number {
    const { bavail, bsize } = statfsSync(this.options.folder);
    if (bavail * bsize < LOW_SPACE_BYTES + bytes) {
      throw logFull(
        'commit to the event log',
        `the disk has ${bavail * bsize} bytes left, the commit needs up to ${bytes} and ${LOW_SPACE_BYTES} stay in reserve`,
      );
    }
    const { size } = statSync(join(this.options.folder, 'data.mdb'));
    if (size + bytes > this.options.mapSizeBytes) {
      throw logFull(
        'commit to the event log',
        `the log has ${size} of at most ${this.options.mapSizeBytes} bytes and the commit needs up to ${bytes}; open it with a larger mapSizeBytes`,
      );
    }
    return Math.min(bavail * bsize - LOW_SPACE_BYTES, this.options.mapSizeBytes - size);
  }

  /** LMDB reports a page that was written in part as EIO; on a full disk that is the disk's fault. */
  private explained(error: unknown): SeamError {
    const operation = 'commit to the event log';
    const EIO = 5;
    if ((error as { code?: unknown }).code === EIO) {
      const { bavail, bsize } = statfsSync(this.options.folder);
      if (bavail * bsize < LOW_SPACE_BYTES)
        return logFull(operation, `the disk has ${bavail * bsize} bytes left`, error);
    }
    return translated(error, operation);
  }

  private partitionEnd(topicId: number, partition: number, known: Map<string, PartitionEnd>): PartitionEnd {
    const key = stateKey.partition(topicId, partition);
    const name = key.toString('latin1');
    let end = known.get(name);
    if (!end) {
      const row = this.files.state.getBinary(key);
      end = { key, nextOffset: row?.readDoubleLE(0) ?? 0, maxTimestampMs: row?.readDoubleLE(8) ?? 0 };
      known.set(name, end);
    }
    return end;
  }

  /** Row of a topic that requests name. Topics never change once made, and this reads only what was committed. */
  private knownTopic(topic: string): TopicRow | undefined {
    const known = this.topicRows.get(topic);
    if (known) return known;
    const row = this.topicRow(topic);
    if (row) this.topicRows.set(topic, row);
    return row;
  }

  private topicRow(topic: string): TopicRow | undefined {
    const row = this.files.state.getBinary(stateKey.topic(topic));
    return row && (JSON.parse(row.toString()) as TopicRow);
  }

  private attempt<T>(operation: string, action: () => T): T {
    try {
      return action();
    } catch (error) {
      throw translated(error, operation);
    }
  }
}

interface PartitionEnd {
  readonly key: Buffer;
  nextOffset: number;
  maxTimestampMs: number;
}
