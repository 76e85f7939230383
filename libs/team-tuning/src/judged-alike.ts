/** Which rollouts of a batch are learned from: rewards that different revisions of a judge gave are not compared with one another. Pure. */
import { isMix } from '@seamstream/events';
import { areOfOneJudge, isSameJudge, type JudgedBy, tallyJudges } from '@seamstream/rollout';
import type { TeamRollout } from './team-rollout.js';

type Judged = Pick<TeamRollout, 'problem' | 'judgedBy'>;

const judgeOf = ({ judgedBy = null }: Pick<Judged, 'judgedBy'>): JudgedBy => judgedBy;

/** Rollouts of problems whose rollouts have verdicts of one revision, or of none. The mean of a group rests on all of it: all count, or none. */
export function alikeInGroups<T extends Judged>(rollouts: readonly T[]): readonly T[] {
  const groups = Map.groupBy(rollouts, ({ problem }) => problem.problemId);
  const isAlike = new Map([...groups].map(([id, group]) => [id, areOfOneJudge(tallyJudges(group.map(judgeOf)))]));
  return rollouts.filter(({ problem }) => isAlike.get(problem.problemId));
}

/** The revision that judged most of the batch alone; null where none did. */
export function mainJudge(rollouts: readonly Judged[]): JudgedBy {
  const first = tallyJudges(rollouts.map(judgeOf)).find((tally) => !isMix(tally));
  return first === undefined ? null : { model: first.model, revision: first.revision };
}

/** Rollouts that this revision judged, and those that no model had to judge. */
export function judgedBy<T extends Judged>(rollouts: readonly T[], judge: JudgedBy): readonly T[] {
  return rollouts.filter((rollout) => isSameJudge(judgeOf(rollout), judge));
}
