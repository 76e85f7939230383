/**
 * Decides what the rounds' driver does next, from the progress folded so far: publish the next round, wait, or end. A
 * round ends with the decision on its training run and the version of the buffer: results of the next round that the buffer
 * met before the last ones of this would be in a version where a quicker buffer has none.
 */
import { ratesAsParent } from './rates-as-parent.js';
import { endedRuns, type LoopProgress, ofServed, type RunProgress } from './round-progress.js';

export interface RoundPlan {
  /** Problems per round. */
  readonly roundSize: number;
  /** Rounds of the base phase at most, and of the phase in which the domain variant appears. */
  readonly maxBaseRounds: number;
  readonly maxShiftedRounds: number;
  /** A phase has converged once an adapter with this validation success in every domain was confirmed by the run after it. */
  readonly targetPerDomain: number;
  /**
   * Whether problems that went to the dead letters are made good by others of the stream: a window of the trainer is full only when as many
   * problems as a round has are complete.
   */
  readonly refills?: boolean;
  /** Give up when neither of this many last runs was promoted. */
  readonly patience: number;
}

export type RoundDecision =
  | {
      readonly kind: 'publish';
      readonly round: number;
      readonly phase: 'base' | 'shifted';
      /** Place of the first problem to publish among all of the stream, and how many. */
      readonly startIndex: number;
      readonly count: number;
    }
  | { readonly kind: 'wait' }
  | { readonly kind: 'finished'; readonly reason: string; readonly converged: boolean };

/**
 * Whether the served adapter reaches the target in every domain, on problems that its promotion did not rest on: {@link ratesAsParent}.
 * Where candidates and parents were not asked side by side a later run has to confirm it: by a successor that reaches the target too, or
 * by finding nothing better. One measurement alone may be luck.
 * @param servedDigest null is the base model. What was promoted last may have been rolled back since, or a person's own choice be served:
 * then no run of another adapter says how good it is
 */
function hasConverged(runs: readonly RunProgress[], target: number, servedDigest: string | null): boolean {
  const areReached = (rates: readonly number[]): boolean => rates.length > 0 && rates.every((rate) => rate >= target);
  const asParent = Object.values(ratesAsParent(ofServed(runs, servedDigest)));
  if (asParent.length > 0) return areReached(asParent);
  const reaches = (run: RunProgress | undefined): boolean => areReached(Object.values(run?.validationPerDomain ?? {}));
  const served = runs.findLastIndex((run) => run.status === 'promoted' && run.adapterDigest === servedDigest);
  const before = runs.slice(0, Math.max(0, served)).findLast((run) => run.status === 'promoted');
  return reaches(runs[served]) && (served < runs.length - 1 || reaches(before));
}

/** A run whose adapter a person took back improved nothing. */
function isStuck(runs: readonly RunProgress[], patience: number, { rolledBack }: LoopProgress['adapters']): boolean {
  return (
    runs.length >= patience &&
    runs
      .slice(-patience)
      .every(({ status, adapterDigest }) => status !== 'promoted' || rolledBack.has(adapterDigest ?? ''))
  );
}

/**
 * Pure: equal progress and plan, equal decision.
 * @param lost problems that went to the dead letters before they had a result
 */
export function decideRound(progress: LoopProgress, plan: RoundPlan, lost = 0): RoundDecision {
  const rounds = [...progress.rounds.values()].sort((a, b) => a.round - b.round);
  const last = rounds.at(-1);
  const ended = endedRuns(progress);
  const isSettled = (runs: readonly RunProgress[]): boolean =>
    hasConverged(runs, plan.targetPerDomain, servedDigestOf(progress)) ||
    isStuck(runs, plan.patience, progress.adapters);
  const startIndex = rounds.reduce((sum, row) => sum + row.published, 0);
  const publish = (round: number, phase: 'base' | 'shifted', count = plan.roundSize): RoundDecision => ({
    kind: 'publish',
    round,
    phase,
    startIndex,
    count,
  });
  if (last === undefined) return publish(1, 'base');
  const lacking =
    plan.refills === true ? last.round * plan.roundSize + lost - startIndex : plan.roundSize - last.published;
  if (lost >= plan.roundSize && 2 * lost > startIndex) {
    const reason = `Stopped: ${lost} of ${startIndex} problems went to the dead letters.`;
    return { kind: 'finished', reason, converged: false };
  }
  if (lacking > 0) return publish(last.round, last.phase, lacking);
  if (ended.length < last.round || progress.buffer.sequence < last.round) return { kind: 'wait' };

  const baseRounds = rounds.filter((row) => row.phase === 'base').length;
  const shiftedRounds = rounds.length - baseRounds;
  if (last.phase === 'base') {
    if (!isSettled(ended) && baseRounds < plan.maxBaseRounds) return publish(last.round + 1, 'base');
    if (plan.maxShiftedRounds > 0) return publish(last.round + 1, 'shifted');
    return finished(ended, progress, plan, baseRounds >= plan.maxBaseRounds);
  }
  const shiftedRuns = ended.slice(baseRounds);
  if (isSettled(shiftedRuns) || shiftedRounds >= plan.maxShiftedRounds)
    return finished(shiftedRuns, progress, plan, shiftedRounds >= plan.maxShiftedRounds);
  return publish(last.round + 1, 'shifted');
}

function servedDigestOf({ adapters }: LoopProgress): string | null {
  return adapters.served?.adapterDigest ?? null;
}

function finished(
  runs: readonly RunProgress[],
  progress: LoopProgress,
  plan: RoundPlan,
  outOfRounds: boolean,
): RoundDecision {
  const converged = hasConverged(runs, plan.targetPerDomain, servedDigestOf(progress));
  const endReason = (): string => {
    if (converged) return `Converged: every domain reached ${plan.targetPerDomain * 100} % on the validation problems.`;
    if (isStuck(runs, plan.patience, progress.adapters))
      return `Stopped: none of the last ${plan.patience} training runs improved on its parent.`;
    return outOfRounds ? 'Stopped: the planned rounds are over.' : 'Stopped.';
  };
  return { kind: 'finished', reason: endReason(), converged };
}
