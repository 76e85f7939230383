/**
 * What people say of answers, as a part of the reward. For an attempt with the measured reward r and the last scores s_1 … s_n of n people:
 *
 *   r' = r · (1 + weight · Σ (2·s_i − 1) / max(n, people))
 *
 * So r' is r without feedback, with scores of ½, and where people contradict each other evenly. A reward of 0 stays 0: people rank what the
 * measurement let pass, and pay for nothing that it did not. Decision and bounds: docs/adr/0128.
 */
import { attemptIdOf, type FeedbackGiven, tenantOf } from '@seamstream/events';
import { compareText } from '@seamstream/kernel';
import { mean } from '@seamstream/statistics';
import { z } from 'zod';
import type { GroupMember, ScoredGroup } from './groups.js';
import type { Diagnostics } from './learning.types.js';

export const feedbackSchema = z.strictObject({
  /** The most by which people raise or lower a reward, as a share of it. 0: they are counted, and change nothing. */
  weight: z.number().min(0).max(1),
  /** People that it takes for all of the weight. One person moves a reward by a share of weight / people at most. */
  people: z.int().min(2).max(1000).default(3),
});

type FeedbackSettings = z.infer<typeof feedbackSchema>;

/** Of one person about one attempt. */
interface Word {
  readonly person: string;
  readonly score: number;
}

export interface HeardGroup {
  readonly group: ScoredGroup;
  /** With feedback; parallel to the members. */
  readonly rewards: readonly number[];
}

/** The groups with rewards that feedback has joined. A function of the set of records: order and repeats do not matter. */
export function heardGroups(
  groups: readonly ScoredGroup[],
  feedback: readonly FeedbackGiven[],
  settings: FeedbackSettings | undefined,
): { readonly heard: readonly HeardGroup[]; readonly figures: Diagnostics } {
  if (settings === undefined) return { heard: groups.map(asMeasured), figures: {} };
  const byAttempt = Map.groupBy(feedback, ({ attemptId }) => attemptId);
  const people = new Set<string>();
  let judged = 0;
  const heard = groups.map((group): HeardGroup => {
    const rewards = group.members.map((member) => {
      const words = lastWords(byAttempt.get(attemptIdOf(member.experience)) ?? [], member);
      for (const { person } of words) people.add(person);
      judged += Number(words.length > 0);
      return member.reward * (1 + settings.weight * voiceOf(words, settings.people));
    });
    return { group, rewards };
  });
  const figures = {
    feedbackAttempts: judged,
    feedbackPeople: people.size,
    feedbackReward: mean(heard.flatMap(({ rewards }) => rewards)),
  };
  return { heard, figures };
}

export function asMeasured(group: ScoredGroup): HeardGroup {
  return { group, rewards: group.members.map(({ reward }) => reward) };
}

/** From -1, all say that it is worth nothing, to 1. */
function voiceOf(words: readonly Word[], people: number): number {
  return words.reduce((sum, { score }) => sum + 2 * score - 1, 0) / Math.max(words.length, people);
}

/** Of each person the last word that counts, in the order of their names: to the last bit, sums must not follow from the order of records. */
function lastWords(given: readonly FeedbackGiven[], member: GroupMember): readonly Word[] {
  const last = new Map<string, FeedbackGiven>();
  for (const each of given) {
    const person = personOf(each, member);
    if (person === undefined) continue;
    const known = last.get(person);
    if (known === undefined || isLater(each, known)) last.set(person, each);
  }
  return [...last]
    .sort(([a], [b]) => compareText(a, b))
    .map(([person, { score }]) => ({ person: `${tenantOf(member.experience.meta)}/${person}`, score }));
}

/** Who says it, where it counts: a client that the gateway knew, of the answer's tenant, who did not publish the problem. */
function personOf(
  { meta, problemId, score }: FeedbackGiven,
  { experience, isMeasured }: GroupMember,
): string | undefined {
  const { problem, meta: own } = experience;
  const isOnAnswer = isMeasured && problemId === problem.problemId && tenantOf(meta) === tenantOf(own);
  // What `by` says is the giver's own account, and would be as many people as they like.
  const isOfAnother = meta.subject !== null && meta.subject !== own.subject;
  return isOnAnswer && isOfAnother && score >= 0 && score <= 1 ? meta.subject : undefined;
}

function isLater(a: FeedbackGiven, b: FeedbackGiven): boolean {
  return (a.meta.occurredAt - b.meta.occurredAt || compareText(a.meta.messageId, b.meta.messageId)) > 0;
}
