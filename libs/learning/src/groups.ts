/**
 * Joins what was generated with what became of it: the groups of an exploration, as a function of the set of records
 * (order and repeats do not matter).
 */

import { attemptIdOf, type EventOf, type ExperienceGenerated } from '@seamstream/events';
import { areJudgedAlike, definiteResults, isComplete } from '@seamstream/experience-groups';
import { compareText, SeamError } from '@seamstream/kernel';
import type { LearningContext, LogInput } from './learning.types.js';

export interface GroupMember {
  readonly experience: ExperienceGenerated;
  /** As recorded: the verdict, or the mean of several. */
  readonly reward: number;
  /** Whether a verifier judged; otherwise the reward is what a person said. */
  readonly isMeasured: boolean;
  /** Whether the experience could not act at all, its own fault. */
  readonly isRefused: boolean;
  /** Tokens that the executor answered with. */
  readonly responseTokens: number;
  /** Served adapters since the one that wrote it; 0 is the adapter that training starts from. */
  readonly age: number;
}

export interface ScoredGroup {
  readonly groupId: string;
  /** Judged members by candidate index, at least two. */
  readonly members: readonly GroupMember[];
  /** Served adapters since the one that wrote the oldest member in use; 0 is the adapter that training starts from. */
  readonly age: number;
}

/** What was left out and why; counts of groups. */
export interface GroupCounts {
  /** Explored groups with at least one record. */
  readonly groups: number;
  /** A result is still missing. */
  readonly incompleteGroups: number;
  /** Fewer than two members were judged: the rest failed in the infrastructure, or have no verdict. */
  readonly smallGroups: number;
  /** Different revisions of a judge gave the verdicts, which are not compared. */
  readonly judgedApartGroups: number;
  /** All members are older than the window, or written by an adapter that was never served. */
  readonly staleGroups: number;
  /** Members left out of their group for the same reason: scouts of the base model next to the served adapter's entries. */
  readonly staleMembers: number;
  /** Of another base model. */
  readonly foreignGroups: number;
  /** Sampled with another distribution than the logged log-probabilities speak of. */
  readonly otherSamplingGroups: number;
  /** Members without a verdict (failed in the infrastructure, or ungraded), in groups that were used without them. */
  readonly failedMembers: number;
}

export interface JoinOptions {
  /** Greatest age that is used. */
  readonly maxStaleness: number;
  /** Leave out groups whose sampling was not temperature 1, top-k 0, top-p 1. */
  readonly plainSamplingOnly: boolean;
}

/** Groups that can be learned from, ascending by groupId. DATA_REFUSED when a member lacks its behaviour log-probabilities. */
export function joinGroups(
  { experiences, results }: LogInput,
  { baseModelDigest, servedAdapters }: Omit<LearningContext, 'entrySchemaOf'>,
  { maxStaleness, plainSamplingOnly }: JoinOptions,
): { readonly groups: ScoredGroup[]; readonly counts: GroupCounts } {
  const resultOf = definiteResults(results);
  // Of an experience that was written twice the first one counts.
  const explored = new Map(
    experiences
      .filter(({ arm }) => arm === 'explore')
      .map((each) => [attemptIdOf(each), each] as const)
      .reverse(),
  );
  const byGroup = [...Map.groupBy(explored.values(), ({ groupId }) => groupId)].sort(([a], [b]) => compareText(a, b));
  const counts = {
    groups: byGroup.length,
    incompleteGroups: 0,
    smallGroups: 0,
    judgedApartGroups: 0,
    staleGroups: 0,
    foreignGroups: 0,
    otherSamplingGroups: 0,
    failedMembers: 0,
    staleMembers: 0,
  };
  const groups: ScoredGroup[] = [];
  for (const [groupId, members] of byGroup) {
    const complete =
      isComplete({ groupSize: members[0]!.groupSize, members: members.length }) &&
      members.every((each) => resultOf.has(attemptIdOf(each)));
    // A group may hold scouts of the base model: what is too old for the ratios is left out, not the whole group.
    const fresh = members
      .map((experience) => ({ experience, age: ageOf(experience.adapterDigest, servedAdapters) }))
      .filter(({ age }) => age <= maxStaleness);
    const age = Math.max(...fresh.map((member) => member.age));
    const judged = fresh.flatMap((member) => {
      const result = resultOf.get(attemptIdOf(member.experience));
      if (result?.type !== 'OutcomeRecorded') return [];
      return [{ member, result }];
    });
    if (!complete) counts.incompleteGroups++;
    else if (members.some((member) => member.baseModelDigest !== baseModelDigest)) counts.foreignGroups++;
    else if (fresh.length === 0) counts.staleGroups++;
    else if (plainSamplingOnly && !fresh.every(({ experience }) => isPlainlySampled(experience)))
      counts.otherSamplingGroups++;
    else if (judged.length < 2) counts.smallGroups++;
    else if (!areJudgedAlike(judged.map(({ result }) => result))) counts.judgedApartGroups++;
    else {
      judged.forEach(({ member }) => assertBehaviourLogged(member.experience));
      judged.sort((a, b) => a.member.experience.candidateIndex - b.member.experience.candidateIndex);
      groups.push({ groupId, members: judged.map(scored), age });
      counts.failedMembers += fresh.length - judged.length;
      counts.staleMembers += members.length - fresh.length;
    }
  }
  return { groups, counts };
}

function scored({
  member,
  result: { reward, responseTokens, feedbackId, editRefusal },
}: {
  readonly member: Pick<GroupMember, 'experience' | 'age'>;
  readonly result: EventOf<'OutcomeRecorded'>;
}): GroupMember {
  const isRefused = (editRefusal ?? null) !== null;
  return { ...member, reward, isMeasured: feedbackId === null, isRefused, responseTokens: responseTokens ?? 0 };
}

function ageOf(adapterDigest: string | null, served: readonly (string | null)[]): number {
  const at = served.lastIndexOf(adapterDigest);
  return at < 0 ? Number.POSITIVE_INFINITY : served.length - 1 - at;
}

function isPlainlySampled({ sampling }: ExperienceGenerated): boolean {
  return sampling.temperature === 1 && sampling.topK === 0 && sampling.topP === 1;
}

function assertBehaviourLogged({ experienceId, tokenIds, logProbs, forced }: ExperienceGenerated): void {
  const complete = logProbs.length === tokenIds.length && forced.length === tokenIds.length;
  // A probability is at most 1; float32 logs of sampled tokens may exceed 0 by rounding only.
  if (complete && logProbs.every((logProb) => Number.isFinite(logProb) && logProb <= 1e-3)) return;
  throw new SeamError(
    'DATA_REFUSED',
    `Cannot learn from experience ${experienceId}: expected the behaviour log-probability and the forced flag of each of its ${tokenIds.length} tokens, got ${logProbs.length} log-probabilities${complete ? ' that are not all finite and at most 0' : ` and ${forced.length} flags`}. Without them data of another policy cannot be weighed: replay records of a generator that logs them.`,
    { details: { experienceId } },
  );
}
