/**
 * The fold of outcomes into groups. The state remembers every result of the groups that count, so that what the buffer
 * keeps is a function of the set of results, regardless of their order and of how often a commit looked at them:
 * - A result is known by its attempt; an experience that is tried once is its own attempt. The same result again changes
 *   nothing. A verdict counts before a failure, of two verdicts the one with the smaller id, and of two under one id the first.
 * - Results grow old one by one, each by its own record. A forgotten result could not have counted again, regardless of when it
 *   was forgotten and which results of its group arrive again. A group is complete as long as it has a result for each member.
 */

import { partitionName } from '@seamstream/event-log';
import { attemptIdOf, type OffsetRange, promptOf } from '@seamstream/events';
import { canonicalJson, compareText } from '@seamstream/kernel';
import type { BufferConfig } from './buffer.config.js';
import type { BufferInput, InputPosition, OutcomeFacts } from './buffer.types.js';
import {
  type Announcement,
  type Group,
  type GroupMember,
  isComplete,
  type MemberResults,
  type Success,
  withResult,
} from './group.js';
import { ResultAges } from './result-ages.js';
import type { Selection } from './selection.js';
import { type Shard, shardOf, WHOLE_BUFFER } from './shard.js';

/** A group of a domain that another shard keeps: only when it is complete matters here. */
export interface GroupElsewhere {
  readonly groupId: string;
  readonly groupSize: number;
  /** topic/partition */
  readonly partition: string;
  /** By attempt the offset of its youngest result; null once there is one for each, where results do not grow old. */
  results: Map<string, number> | null;
}

/** By partition of the groups. */
type Ages = Map<string, ResultAges<Group | GroupElsewhere>>;

/** Computed from the rest of the state whenever it is missing; no part of a snapshot. */
interface Workspace {
  /** What the last commit chose, as long as it was under the same rules. */
  selection: Selection | undefined;
  /** Groups with results that the selection has not seen; by groupId. */
  readonly changed: Map<string, Group>;
  /** Undefined: to be made from the groups, where results grow old. */
  ages: Ages | undefined;
  /** Domains seen, and whether this shard keeps them. */
  readonly domains: Map<string, boolean>;
}

export interface BufferState {
  readonly config: BufferConfig;
  /** Which domains are kept. */
  readonly shard: Shard;
  /** Commits so far. */
  readonly sequence: number;
  readonly groups: Map<string, Group>;
  /** By groupId: what is complete counts for all shards, so that they cut their versions at the same places. */
  readonly elsewhere: Map<string, GroupElsewhere>;
  /** What was folded, by topic/partition. */
  readonly ranges: Map<string, OffsetRange>;
  readonly workspace: Workspace;
}

export function initialState(config: BufferConfig, shard: Shard = WHOLE_BUFFER): BufferState {
  return {
    config,
    shard,
    sequence: 0,
    groups: new Map(),
    elsewhere: new Map(),
    ranges: new Map(),
    workspace: { selection: undefined, changed: new Map(), ages: undefined, domains: new Map() },
  };
}

/** The same state under these rules: what was computed under others is computed again. */
export function withRules(state: BufferState, config: BufferConfig): BufferState {
  if (canonicalJson(state.config) === canonicalJson(config)) return state;
  return { ...state, config, workspace: initialState(config, state.shard).workspace };
}

/**
 * Folds one result. The state is taken over: the same object comes back, changed (a copy per event would cost the whole
 * buffer).
 */
export function evolve(state: BufferState, event: BufferInput, position: InputPosition): BufferState {
  const partition = partitionName(position.topic, position.partition);
  const range = state.ranges.get(partition);
  state.ranges.set(partition, {
    topic: position.topic,
    partition: position.partition,
    from: Math.min(range?.from ?? position.offset, position.offset),
    to: Math.max(range?.to ?? 0, position.offset + 1),
  });
  if (!keepsDomain(state, event.problem.domain)) {
    countElsewhere(state, event, { partition, offset: position.offset });
    return state;
  }
  const group = state.groups.get(event.groupId) ?? {
    groupId: event.groupId,
    domain: event.problem.domain,
    arm: event.arm,
    groupSize: event.groupSize,
    partition,
    members: new Map<string, MemberResults>(),
    announced: new Map<string, Announcement>(),
  };
  const attemptId = attemptIdOf(event);
  const known = group.members.get(attemptId);
  group.members.set(attemptId, withResult(known, memberOf(event, position.offset)));
  state.groups.set(event.groupId, group);
  state.workspace.changed.set(event.groupId, group);
  noteAge(state, group, position.offset);
  return state;
}

/**
 * Why a verdict contradicts the one that an experience already has; undefined where there was none, or the same one. The first
 * counts, regardless of who reports a second.
 */
export function contradiction({ groups }: BufferState, event: BufferInput): string | undefined {
  const known = groups.get(event.groupId)?.members.get(attemptIdOf(event))?.[0];
  if (event.type !== 'OutcomeRecorded' || known === undefined || known.status === 'failed') return undefined;
  const came = memberOf(event, known.offset);
  if (came.status !== known.status) return `it was ${known.status} before, and is ${came.status} now`;
  return canonicalJson(came) === canonicalJson(known) ? undefined : 'its reward or content is not as it was before';
}

/** What was folded so far, per partition, in the order of topic and partition. */
export function inputRanges(state: BufferState): readonly OffsetRange[] {
  return [...state.ranges.values()].sort((a, b) => compareText(a.topic, b.topic) || a.partition - b.partition);
}

/** What is remembered: results, and groups of other shards. Looks at every group. */
export function rememberedCount({ groups, elsewhere }: BufferState): number {
  return groups.values().reduce((sum, { members }) => sum + members.size, elsewhere.size);
}

/** Whether every member of the group, which may be another shard's, has a result. */
export function isGroupComplete(state: BufferState, groupId: string): boolean {
  const group = state.groups.get(groupId);
  if (group !== undefined) return isComplete(group);
  const elsewhere = state.elsewhere.get(groupId);
  return elsewhere !== undefined && (elsewhere.results === null || elsewhere.results.size >= elsewhere.groupSize);
}

/** Drops the results past the age limit, and the groups that have no other. Changes the state in place. */
export function forgetAged(state: BufferState): void {
  const { maxAgeRecords } = state.config;
  if (maxAgeRecords === 0) return;
  state.workspace.ages ??= agesOf(state);
  for (const [partition, ages] of state.workspace.ages) {
    const oldest = (state.ranges.get(partition)?.to ?? 0) - 1 - maxAgeRecords;
    for (const group of new Set(ages.takeBefore(oldest))) {
      if ('announced' in group) forgetResults(state, group, oldest);
      else forgetElsewhere(state, group, oldest);
    }
  }
}

function forgetResults({ groups, workspace }: BufferState, group: Group, oldest: number): void {
  for (const [experienceId, results] of group.members) {
    if (results.every(({ offset }) => offset >= oldest)) continue;
    const [counting, ...later] = results.filter(({ offset }) => offset >= oldest);
    if (counting === undefined) group.members.delete(experienceId);
    else group.members.set(experienceId, [counting, ...later]);
  }
  if (group.members.size === 0) groups.delete(group.groupId);
  workspace.changed.set(group.groupId, group);
}

function forgetElsewhere({ elsewhere }: BufferState, group: GroupElsewhere, oldest: number): void {
  for (const [experienceId, offset] of group.results ?? []) if (offset < oldest) group.results?.delete(experienceId);
  if (group.results?.size === 0) elsewhere.delete(group.groupId);
}

function noteAge({ config, workspace }: BufferState, group: Group | GroupElsewhere, offset: number): void {
  // Where they are not known yet, they are made from the groups when they are needed.
  if (config.maxAgeRecords > 0 && workspace.ages !== undefined) agesIn(workspace.ages, group).add(offset, group);
}

function agesOf({ groups, elsewhere }: BufferState): Ages {
  const results: (readonly [number, Group | GroupElsewhere])[] = [];
  for (const group of groups.values())
    for (const each of group.members.values()) for (const { offset } of each) results.push([offset, group]);
  for (const group of elsewhere.values())
    for (const offset of group.results?.values() ?? []) results.push([offset, group]);
  const ages: Ages = new Map();
  for (const [offset, group] of results.sort(([a], [b]) => a - b)) agesIn(ages, group).add(offset, group);
  return ages;
}

function agesIn(ages: Ages, { partition }: Group | GroupElsewhere): ResultAges<Group | GroupElsewhere> {
  const known = ages.get(partition);
  if (known !== undefined) return known;
  const made = new ResultAges<Group | GroupElsewhere>();
  ages.set(partition, made);
  return made;
}

function keepsDomain({ shard, workspace }: BufferState, domain: string): boolean {
  let keeps = workspace.domains.get(domain);
  if (keeps === undefined) {
    keeps = shardOf(domain, shard.of) === shard.index;
    workspace.domains.set(domain, keeps);
  }
  return keeps;
}

function countElsewhere(
  state: BufferState,
  { groupId, groupSize, ...event }: BufferInput,
  { partition, offset }: { readonly partition: string; readonly offset: number },
): void {
  const { config, elsewhere } = state;
  let group = elsewhere.get(groupId);
  if (group === undefined) {
    group = { groupId, groupSize, partition, results: new Map() };
    elsewhere.set(groupId, group);
  }
  const attemptId = attemptIdOf(event);
  group.results?.set(attemptId, Math.max(offset, group.results.get(attemptId) ?? 0));
  noteAge(state, group, offset);
  if (config.maxAgeRecords === 0 && group.results !== null && group.results.size >= group.groupSize)
    group.results = null;
}

// Keys in their order, as in pairOf.
function memberOf(event: BufferInput, offset: number): GroupMember {
  if (event.type !== 'OutcomeRecorded') return { offset, status: 'failed' };
  const outcomeId = event.meta.messageId;
  if (!event.success) return { offset, outcomeId, status: 'unsolved' };
  return { offset, outcomeId, pair: pairOf(event), status: 'solved' };
}

function pairOf(outcome: OutcomeFacts): Success | null {
  if (outcome.entry === null) return null;
  // Keys in their order: a snapshot is canonical JSON of all pairs, and copies none of them.
  return {
    adapterDigest: outcome.adapterDigest,
    baseModelDigest: outcome.baseModelDigest,
    domain: outcome.problem.domain,
    entry: outcome.entry,
    experienceId: attemptIdOf(outcome),
    forced: outcome.forced,
    outcomeId: outcome.meta.messageId,
    problemId: outcome.problem.problemId,
    prompt: promptOf(outcome.problem),
    promptTokenIds: outcome.promptTokenIds,
    reward: outcome.reward,
    subject: outcome.meta.subject,
    tokenIds: outcome.tokenIds,
  };
}
