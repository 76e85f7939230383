/**
 * Whether an experiment went as it was drawn: as many problems in each arm as its share says, and results missing as often in both. An
 * effect that is read from an experiment that did not is not causal. Both tests hold at every look.
 */
import { SeamError } from '@seamstream/kernel';
import { logBetEvidence, logMean } from './fixed-bets.js';

/** Problems of an experiment that were drawn with one share. */
export interface AllocationCounts {
  /** π, the probability of the treated arm; above 0 and below 1. */
  readonly treatedShare: number;
  readonly treated: number;
  readonly control: number;
}

/** Of the problems of each arm, those that ended without a result. */
export interface MissingCounts extends AllocationCounts {
  readonly treatedMissing: number;
  readonly controlMissing: number;
}

/**
 * ln of the evidence that the arms are not drawn with π: a bet on every other share, drawn uniformly, multiplies a stake of 1 to
 *   B(1 + t, 1 + c) / (π^t (1 − π)^c)      t treated, c controls
 * a martingale of mean 1 while they are (Robbins 1970, doi:10.1214/aoms/1177696786; as a test of sample ratios: Lindon and Malek 2022,
 * "Anytime-Valid Inference for Multinomial Count Data", which for two arms is this).
 * @throws INVALID_INPUT for a share outside (0, 1) and for what are no counts
 */
export function logSampleRatioEvidence({ treatedShare: share, treated, control }: AllocationCounts): number {
  check({ treatedShare: share, treated, control });
  // B(1 + t, 1 + c) = 1 / ((t + c + 1) · C(t + c, t)), as a sum over the smaller arm.
  const fewer = Math.min(treated, control);
  const n = treated + control;
  let logChoose = 0;
  for (let i = 1; i <= fewer; i++) logChoose += Math.log((n - fewer + i) / i);
  return -Math.log(n + 1) - logChoose - treated * Math.log(share) - control * Math.log1p(-share);
}

/**
 * ln of the evidence that results are missing more often in one arm than in the other, in either direction: bets on the inverse-propensity
 * score of "no result". Only the problems without one are counted, so the evidence is that of few events however many the problems.
 * @throws INVALID_INPUT as {@link logSampleRatioEvidence}, and for more missing than problems
 */
export function logMissingEvidence(counts: MissingCounts): number {
  check(counts);
  const { treatedShare: share, treatedMissing, controlMissing } = counts;
  if (treatedMissing > counts.treated || controlMissing > counts.control)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot weigh missing results: expected at most ${counts.treated} and ${counts.control}, got ${treatedMissing} and ${controlMissing}. Count again.`,
    );
  const scores = [
    { score: 1 / share, problems: treatedMissing },
    { score: -1 / (1 - share), problems: controlMissing },
  ];
  const range = { least: -1 / (1 - share), greatest: 1 / share };
  return logMean(([1, -1] as const).map((side) => logBetEvidence(scores, range, 0, side)));
}

/** Of each field that is a count, the value; what else a caller carries along is not looked at. */
function check(counts: AllocationCounts & Partial<MissingCounts>): void {
  const { treatedShare: share, treated, control, treatedMissing = 0, controlMissing = 0 } = counts;
  if (!(share > 0 && share < 1))
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot check an experiment: expected a treated share between 0 and 1, got ${share}. Give the share that it was drawn with.`,
    );
  const wrong = Object.entries({ treated, control, treatedMissing, controlMissing }).find(
    ([, count]) => !Number.isSafeInteger(count) || count < 0,
  );
  if (wrong !== undefined)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot check an experiment: expected counts of problems, got ${wrong[1]} (${wrong[0]}). Count again.`,
    );
}
