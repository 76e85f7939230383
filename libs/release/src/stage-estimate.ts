/** How much better the candidate of a release is than its parent, with an interval of the same evidence that decides. Pure. */
import { liftInterval, pairedInterval } from '@seamstream/statistics';
import { liftsUpTo, type PairedStageCounts, type ReleaseEvidence } from './release.decide.js';
import type { ReleasePlan } from './release-plan.js';

/** The candidate's success less its parent's. */
export interface StageEstimate {
  readonly difference: number;
  /** Misses with the plan's `alpha` at most, however often one looks. */
  readonly interval: readonly [low: number, high: number];
}

/**
 * Below −tolerance as a whole: the stage is rolled back. Above −margin as a whole, on enough problems: it is passed. Of a canary all canaries
 * up to it count, as they do for its decision.
 * @param stage index of the stage in the plan
 * @returns null where nothing can be compared yet
 * @throws INVALID_INPUT for counts that contradict each other
 */
export function stageEstimate(plan: ReleasePlan, stage: number, evidence: ReleaseEvidence): StageEstimate | null {
  if (plan.stages[stage]?.kind !== 'canary')
    return pairedEstimate(
      plan,
      evidence.paired.find((each) => each.stage === stage),
    );
  const lift = liftInterval(liftsUpTo(plan, stage, evidence), plan.alpha);
  return lift === null ? null : { difference: lift.value, interval: lift.interval95 };
}

/** Which of two answers lost its verdict is not known: it counts against the candidate at the lower end, and not at the upper one. */
function pairedEstimate({ alpha }: ReleasePlan, counts: PairedStageCounts | undefined): StageEstimate | null {
  if (counts === undefined) return null;
  const { problems, candidateAlone: rescued, parentAlone: broken, missing } = counts;
  const known = pairedInterval({ problems, rescued, broken }, alpha);
  const worst = pairedInterval({ problems: problems + missing, rescued, broken: broken + missing }, alpha);
  if (known === null || worst === null) return null;
  return { difference: known.value, interval: [worst.interval95[0], known.interval95[1]] };
}
