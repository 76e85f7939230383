/**
 * Decides what the rounds' driver does next, from the progress folded so far: publish the next round, wait, or end. A
 * round ends with the decision on its training run and the version of the buffer: results of the next round that the buffer
 * met before the last ones of this would be in a version where a quicker buffer has none.
 */
import { endedRuns, type LoopProgress, type RunProgress } from './round-progress.js';

export interface RoundPlan {
  /** Problems per round. */
  readonly roundSize: number;
  /** Rounds of the base phase at most, and of the phase in which the domain variant appears. */
  readonly maxBaseRounds: number;
  readonly maxShiftedRounds: number;
  /** A phase has converged once an adapter with this validation success in every domain was confirmed by the run after it. */
  readonly targetPerDomain: number;
  /** Give up when neither of this many last runs was promoted. */
  readonly patience: number;
}

export type RoundDecision =
  | { readonly kind: 'publish'; readonly round: number; readonly phase: 'base' | 'shifted' }
  | { readonly kind: 'wait' }
  | { readonly kind: 'finished'; readonly reason: string; readonly converged: boolean };

/**
 * Whether the served adapter reaches the target in every domain, and a later run confirmed it: by a successor that reaches
 * it too, or by finding nothing better. One measurement alone may be luck.
 */
function hasConverged(runs: readonly RunProgress[], target: number): boolean {
  const reaches = (run: RunProgress | undefined): boolean => {
    const rates = Object.values(run?.validationPerDomain ?? {});
    return rates.length > 0 && rates.every((rate) => rate >= target);
  };
  const served = runs.findLastIndex((run) => run.status === 'promoted');
  const before = runs.slice(0, Math.max(0, served)).findLast((run) => run.status === 'promoted');
  return reaches(runs[served]) && (served < runs.length - 1 || reaches(before));
}

function isStuck(runs: readonly RunProgress[], patience: number): boolean {
  return runs.length >= patience && runs.slice(-patience).every((run) => run.status !== 'promoted');
}

/** Pure: equal progress and plan, equal decision. */
export function decideRound(progress: LoopProgress, plan: RoundPlan): RoundDecision {
  const rounds = [...progress.rounds.values()].sort((a, b) => a.round - b.round);
  const last = rounds.at(-1);
  const ended = endedRuns(progress);
  if (last === undefined) return { kind: 'publish', round: 1, phase: 'base' };
  if (last.published < plan.roundSize) return { kind: 'publish', round: last.round, phase: last.phase };
  if (ended.length < last.round || progress.buffer.sequence < last.round) return { kind: 'wait' };

  const baseRounds = rounds.filter((row) => row.phase === 'base').length;
  const shiftedRounds = rounds.length - baseRounds;
  if (last.phase === 'base') {
    const settled =
      hasConverged(ended, plan.targetPerDomain) || baseRounds >= plan.maxBaseRounds || isStuck(ended, plan.patience);
    if (!settled) return { kind: 'publish', round: last.round + 1, phase: 'base' };
    if (plan.maxShiftedRounds > 0) return { kind: 'publish', round: last.round + 1, phase: 'shifted' };
    return finished(ended, plan, baseRounds >= plan.maxBaseRounds);
  }
  const shiftedRuns = ended.slice(baseRounds);
  if (
    hasConverged(shiftedRuns, plan.targetPerDomain) ||
    shiftedRounds >= plan.maxShiftedRounds ||
    isStuck(shiftedRuns, plan.patience)
  ) {
    return finished(shiftedRuns, plan, shiftedRounds >= plan.maxShiftedRounds);
  }
  return { kind: 'publish', round: last.round + 1, phase: 'shifted' };
}

function finished(runs: readonly RunProgress[], plan: RoundPlan, outOfRounds: boolean): RoundDecision {
  return {
    kind: 'finished',
    reason: endReason(runs, plan, outOfRounds),
    converged: hasConverged(runs, plan.targetPerDomain),
  };
}

function endReason(runs: readonly RunProgress[], plan: RoundPlan, outOfRounds: boolean): string {
  if (hasConverged(runs, plan.targetPerDomain))
    return `Converged: every domain reached ${plan.targetPerDomain * 100} % on the validation problems.`;
  if (isStuck(runs, plan.patience))
    return `Stopped: none of the last ${plan.patience} training runs improved on its parent.`;
  return outOfRounds ? 'Stopped: the planned rounds are over.' : 'Stopped.';
}
