/** A group of results that share a problem, as far as they are known. */
import { compareDefiniteness, isComplete as isGroupComplete } from '@seamstream/experience-groups';
import type { BufferRow } from './buffer.types.js';

/** A success as it was recorded: a pair that may be kept. */
export interface Success extends Omit<BufferRow, 'stratum' | 'helpfulness'> {
  /** Whose data it is, for the cap per subject; null: it has no subject. */
  readonly subject: string | null;
}

/** A recorded result. `pair` is null for a success without an entry (the control arm). */
export type GroupMember = {
  /** Of the record, in the partition of its group. */
  readonly offset: number;
} /** Failed in execution, or ungraded. */ & (
  | { readonly status: 'failed' }
  | { readonly status: 'unsolved'; readonly outcomeId: string }
  | { readonly status: 'solved'; readonly outcomeId: string; readonly pair: Success | null }
);

/**
 * First the result that counts, then those that will count when the ones before them have grown old: each less definite and
 * younger than the one before. Nearly always there is one alone.
 */
export type MemberResults = readonly [GroupMember, ...GroupMember[]];

/** The last announcement about a success, with the facts to withdraw it when the success itself is forgotten. */
export interface Announcement {
  readonly outcomeId: string;
  readonly problemId: string;
  readonly status: 'admitted' | 'rejected';
  readonly stratum: string;
  readonly subject: string | null;
}

export interface Group {
  readonly groupId: string;
  readonly domain: string;
  readonly arm: 'explore' | 'deploy' | 'control';
  readonly groupSize: number;
  /** topic/partition */
  readonly partition: string;
  /** By attempt. */
  readonly members: Map<string, MemberResults>;
  /** By attempt: the last commit's announcement on every success that may be kept. */
  readonly announced: Map<string, Announcement>;
}

export function announcementOf(pair: Success, status: Announcement['status'], stratum: string): Announcement {
  const { outcomeId, problemId, subject } = pair;
  // Keys in their order, as snapshots have them.
  return { outcomeId, problemId, status, stratum, subject };
}

/** Whether every member of the group has a result. */
export function isComplete(group: Group): boolean {
  return isGroupComplete({ groupSize: group.groupSize, members: group.members.size });
}

/** The result that counts, of every member that has one. */
export function resultsOf(group: Group): IteratorObject<GroupMember> {
  return group.members.values().map(([counting]) => counting);
}

/** The known results and the new one, without those that can never count. */
export function withResult(known: MemberResults | undefined, added: GroupMember): MemberResults {
  if (known === undefined) return [added];
  const [counting, ...others] = [...known, added].sort(byDefiniteness) as [GroupMember, ...GroupMember[]];
  const kept: [GroupMember, ...GroupMember[]] = [counting];
  for (const other of others) if (other.offset > kept.at(-1)!.offset) kept.push(other);
  return kept;
}

/** Verdicts before failures, the smaller id before the larger, and of equal ids the first in the log. */
function byDefiniteness(a: GroupMember, b: GroupMember): number {
  return compareDefiniteness(definitenessOf(a), definitenessOf(b)) || a.offset - b.offset;
}

/** Results without a verdict are all alike here: of them the first in the log counts. */
function definitenessOf(member: GroupMember): { readonly hasVerdict: boolean; readonly id: string } {
  return member.status === 'failed' ? { hasVerdict: false, id: '' } : { hasVerdict: true, id: member.outcomeId };
}
