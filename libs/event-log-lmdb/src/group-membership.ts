/**
 * Consumer groups without a broker. Who is a member and who owns which partition is in the log's `state` database and
 * changes only inside write transactions; every member computes the same assignment from it. Ownership carries a generation
 * that only grows: a commit under an older one is fenced, inside the transaction that would have committed it.
 *
 * That a member lives is not worth a transaction: it writes the monotonic clock into its own small file
 * (`members/<memberId>`), which needs no fsync and no space. The monotonic clock is one per machine and never jumps; a value
 * from the future is from before a restart of the machine. A member whose process is known to be gone (same machine, same
 * process name space) is replaced at once, others when their session ran out.
 */
import { readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assignPartitions, grantablePartitions, parsePartitionName } from '@seamstream/event-log';
import type { LogFiles } from './log-files.js';
import { type OwnerRow, prefixRange, stateKey, type TopicRow } from './log-keys.js';

/** A member as its row in the log says. */
export interface MemberRow {
  readonly topics: readonly string[];
  readonly sharing?: 'spread' | 'whole' | undefined;
  readonly turn?: number | undefined;
  readonly instance?: string | undefined;
  readonly from: 'earliest' | 'latest';
  readonly sessionTimeoutMs: number;
  readonly process: ProcessIdentity;
}

/** Which process a member runs in: enough to know that it is gone, never to mistake another for it. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start of the process in clock ticks since boot, and its name space; empty where the system does not say. */
  readonly started: string;
  readonly namespace: string;
}

/** What a member has to do or to know after a round of coordination. */
export interface MembershipChange {
  readonly granted: readonly { readonly topic: string; readonly partition: number; readonly generation: number }[];
  /** Wanted by another member: to be handed back. */
  readonly wanted: readonly { readonly topic: string; readonly partition: number }[];
  /** Everything the member owns right now; what it holds besides is lost. */
  readonly owned: readonly { readonly topic: string; readonly partition: number; readonly generation: number }[];
}

export const HEARTBEAT_FOLDER = 'members';

/** Milliseconds of the machine's monotonic clock (CLOCK_MONOTONIC: one for all processes, zero at boot). */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, started: startOf(process.pid) ?? '', namespace: namespaceOf('self') };
}

/** Field 22 of /proc/<pid>/stat: when the process started; empty when it has ended and was not reaped, undefined when nothing can be read. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? '' : (fields[19] ?? '');
  } catch {
    return undefined; // gone, hidden from this user, or a system without /proc
  }
}

/** Whether there is a process of that number, also where /proc does not show other users' (hidepid). */
function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function namespaceOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return '';
  }
}

/** Whether the process is known to have ended; where that cannot be seen, its session decides. */
function isGone(member: ProcessIdentity, self: ProcessIdentity): boolean {
  if (member.namespace === '' || member.started === '' || member.namespace !== self.namespace) return false;
  const started = startOf(member.pid);
  return started === undefined ? !isThere(member.pid) : started !== member.started;
}

/** Writes a member's sign of life: 16 digits, always the same size, in place. */
export function writeHeartbeat(folder: string, memberId: string, nowMs: number): void {
  writeFileSync(join(folder, HEARTBEAT_FOLDER, memberId), String(nowMs).padStart(16, '0'), { flag: 'r+' });
}

export function createHeartbeat(folder: string, memberId: string, nowMs: number): void {
  writeFileSync(join(folder, HEARTBEAT_FOLDER, memberId), String(nowMs).padStart(16, '0'));
}

function removeHeartbeat(folder: string, memberId: string): void {
  rmSync(join(folder, HEARTBEAT_FOLDER, memberId), { force: true });
}

function heartbeatOf(folder: string, memberId: string): number {
  try {
    return Number(readFileSync(join(folder, HEARTBEAT_FOLDER, memberId), 'latin1'));
  } catch {
    return Number.NaN;
  }
}

/** Whether a member's session has run out or its process has ended. */
function isDead(folder: string, memberId: string, member: MemberRow, self: ProcessIdentity): boolean {
  if (isGone(member.process, self)) return true;
  const ageMs = monotonicMs() - heartbeatOf(folder, memberId);
  return !(ageMs >= 0 && ageMs <= member.sessionTimeoutMs);
}

interface GroupState {
  readonly members: Map<string, MemberRow>;
  readonly owners: Map<string, OwnerRow>;
}

function readGroup({ state }: LogFiles, group: string): GroupState {
  const members = new Map<string, MemberRow>();
  const owners = new Map<string, OwnerRow>();
  for (const [prefix, rows] of [
    [`m/${group}/`, members],
    [`o/${group}/`, owners],
  ] as const) {
    for (const { key, value } of state.getRange({ ...prefixRange(prefix), snapshot: false })) {
      (rows as Map<string, unknown>).set(
        Buffer.from(key).toString('latin1').slice(prefix.length),
        JSON.parse(Buffer.from(value).toString()),
      );
    }
  }
  return { members, owners };
}

function topicPartitions({ state }: LogFiles, members: Iterable<MemberRow>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const topic of new Set([...members].flatMap((member) => member.topics))) {
    const row = state.getBinary(stateKey.topic(topic));
    if (row) counts.set(topic, (JSON.parse(row.toString()) as TopicRow).partitions);
  }
  return counts;
}

/** A group as one member sees it: who is dead, which partitions it may take and for which of its partitions others wait. */
interface GroupView {
  readonly dead: readonly string[];
  readonly claimable: readonly string[];
  readonly wanted: readonly string[];
  /** The member itself is not in the group. */
  readonly missing: boolean;
  /** Without the dead and what they owned. */
  readonly state: GroupState;
}

function viewOf(
  files: LogFiles,
  folder: string,
  { group, memberId, row }: { readonly group: string; readonly memberId: string; readonly row: MemberRow },
): GroupView {
  const state = readGroup(files, group);
  const dead = [...state.members]
    .filter(([id, member]) => id !== memberId && isDead(folder, id, member, row.process))
    .map(([id]) => id);
  const missing = !state.members.has(memberId);
  for (const id of dead) state.members.delete(id);
  state.members.set(memberId, row);
  for (const [name, owner] of state.owners) {
    // A member that was evicted and returns starts afresh: it no longer owns what it owned before.
    if (!state.members.has(owner.memberId) || (missing && owner.memberId === memberId)) state.owners.delete(name);
  }
  const members = [...state.members].map(([id, member]) => ({ ...member, memberId: id }));
  const owners = new Map([...state.owners].map(([name, owner]) => [name, owner.memberId]));
  const target = assignPartitions(members, topicPartitions(files, state.members.values()), owners);
  return {
    dead,
    missing,
    state,
    claimable: [...grantablePartitions(members, target, owners)]
      .filter(([, id]) => id === memberId)
      .map(([name]) => name),
    wanted: [...target]
      .filter(([name, id]) => id !== memberId && state.owners.get(name)?.memberId === memberId)
      .map(([name]) => name),
  };
}

/**
 * One round of coordination for a member: evict the dead, take what is free and meant for it, learn what others wait for.
 * Looks first, and opens a write transaction only when there is something to change, so that a settled group costs no fsync.
 */
export function coordinate(
  files: LogFiles,
  folder: string,
  place: { readonly group: string; readonly memberId: string; readonly row: MemberRow },
): MembershipChange {
  const { group, memberId, row } = place;
  files.root.resetReadTxn();
  const look = (): GroupView => viewOf(files, folder, place);
  let seen = look();
  const granted: { topic: string; partition: number; generation: number }[] = [];
  if (seen.dead.length > 0 || seen.missing || seen.claimable.length > 0) {
    files.root.transactionSync(() => {
      granted.length = 0;
      const { state } = files;
      seen = look(); // another member may have acted meanwhile
      const before = readGroup(files, group);
      for (const id of seen.dead) state.removeSync(stateKey.member(group, id));
      for (const name of before.owners.keys()) {
        if (seen.state.owners.has(name)) continue;
        const { topic, partition } = parsePartitionName(name);
        state.removeSync(stateKey.owner(group, topic, partition));
      }
      if (seen.missing) state.putSync(stateKey.member(group, memberId), Buffer.from(JSON.stringify(row)));
      for (const name of seen.claimable) {
        const { topic, partition } = parsePartitionName(name);
        const generation = nextId(files);
        const owner: OwnerRow = { memberId, generation };
        state.putSync(stateKey.owner(group, topic, partition), Buffer.from(JSON.stringify(owner)));
        seen.state.owners.set(name, owner);
        granted.push({ topic, partition, generation });
        const committed = stateKey.committed(group, topic, partition);
        if (row.from === 'latest' && !state.getBinary(committed)) {
          // The start is written down, so that what comes from now on is not lost if another member takes over.
          state.putSync(committed, Buffer.from(String(partitionEnd(files, topic, partition))));
        }
      }
    });
    for (const id of seen.dead) removeHeartbeat(folder, id);
    // A killed process leaves its snapshot registered, and pages newer than that could not be reused.
    if (seen.dead.length > 0) files.root.readerCheck();
  }
  const owned = [...seen.state.owners]
    .filter(([, owner]) => owner.memberId === memberId)
    .map(([name, { generation }]) => ({ ...parsePartitionName(name), generation }));
  return { granted, owned, wanted: seen.wanted.map(parsePartitionName) };
}

/** Gives one partition back, or with `leave` all of them and the membership. */
export function release(
  files: LogFiles,
  folder: string,
  place: { readonly group: string; readonly memberId: string },
  what: { readonly topic: string; readonly partition: number; readonly generation: number } | 'leave',
): void {
  const { group, memberId } = place;
  files.root.transactionSync(() => {
    const { state } = files;
    for (const [name, owner] of readGroup(files, group).owners) {
      const { topic, partition } = parsePartitionName(name);
      const isIt =
        what === 'leave' ||
        (topic === what.topic && partition === what.partition && owner.generation === what.generation);
      if (owner.memberId === memberId && isIt) state.removeSync(stateKey.owner(group, topic, partition));
    }
    if (what === 'leave') state.removeSync(stateKey.member(group, memberId));
  });
  if (what === 'leave') removeHeartbeat(folder, memberId);
}

/** The next number of the log's one counter; inside a write transaction. */
export function nextId({ state }: LogFiles): number {
  const next = Number(state.getBinary(stateKey.nextId)?.toString() ?? '0') + 1;
  state.putSync(stateKey.nextId, Buffer.from(String(next)));
  return next;
}

/** The offset that the next record of a partition will get. */
function partitionEnd({ state }: LogFiles, topic: string, partition: number): number {
  const row = state.getBinary(stateKey.topic(topic));
  if (!row) return 0;
  const { id } = JSON.parse(row.toString()) as TopicRow;
  return state.getBinary(stateKey.partition(id, partition))?.readDoubleLE(0) ?? 0;
}
