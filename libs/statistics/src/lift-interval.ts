/**
 * What experiences, or one adapter against another, add, with an interval that holds at every look: fixed bets on the inverse-propensity score.
 *
 * A problem is treated with a known probability π (its share), else it is a control; its result y is in [0, 1]. The score
 *   Z = (y − c) / π  where it is treated,   Z = −(y − c) / (1 − π)  where it is a control
 * has the problem's own effect as its mean, regardless of what happened before and of what drifts (fixed-bets.ts). Where the share changed,
 * each stretch of one share has its own evidence, and their product tests a mean effect that they have in common.
 */
import { SeamError } from '@seamstream/kernel';
import { logBetEvidence, meanInterval, type Side } from './fixed-bets.js';
import type { Estimate } from './intervals.js';

/** How often a result was met in an arm. */
export interface ArmCount {
  readonly treated: boolean;
  /** In [0, 1]: solved or not, or the share of a group's candidates that solved it. */
  readonly result: number;
  /** Problems. */
  readonly problems: number;
}

export interface LiftDesign {
  /** π, the probability with which a problem is treated; above 0 and below 1. */
  readonly treatedShare: number;
  /** c, what a result is compared with: between the arms' rates it makes the interval narrower, and any value keeps it valid. */
  readonly centre?: number;
}

/** Problems that were drawn with one share. */
export interface LiftStage extends LiftDesign {
  readonly counts: readonly ArmCount[];
}

const CENTRE = 0.5;

/**
 * ln of the evidence that the mean effect is above `mean` (side 1) or below it (side −1). At or above ln(2/α) the mean is outside of the interval.
 * @param mean in [−1, 1]
 * @throws INVALID_INPUT for a share outside (0, 1), a centre or a result outside [0, 1]
 */
export function logLiftEvidence(counts: readonly ArmCount[], design: LiftDesign, mean: number, side: Side): number {
  checkDesign(counts, design);
  const { treatedShare: share, centre = CENTRE } = design;
  const scores = counts.map(({ treated, result, problems }) => ({
    score: (result - centre) / (treated ? share : share - 1),
    problems,
  }));
  const least = -Math.max(centre / share, (1 - centre) / (1 - share));
  const greatest = Math.max((1 - centre) / share, centre / (1 - share));
  return logBetEvidence(scores, { least, greatest }, mean, side);
}

/** The same over stages that each have a share: the product of their evidence. */
export function logStagedEvidence(stages: readonly LiftStage[], mean: number, side: Side): number {
  return stages.reduce((sum, { counts, ...design }) => sum + logLiftEvidence(counts, design, mean, side), 0);
}

/**
 * Rate of the treated less that of the controls, with the interval of the mean effect that holds at every look.
 * The interval is that of the scores, so the difference of the rates is its middle only roughly. Of several stages the difference is their mean
 * by problems, and the interval is that of an effect that they have in common.
 * @param alpha probability that the interval ever misses
 * @returns null where no stage has a problem in each arm yet
 * @throws INVALID_INPUT as {@link logLiftEvidence}
 */
export function liftInterval(stages: readonly LiftStage[], alpha = 0.05): Estimate | null {
  for (const { counts, ...design } of stages) checkDesign(counts, design);
  const differences = stages.flatMap(({ counts }) => {
    const { treated, control } = ratesOf(counts);
    const difference = treated.rate - control.rate;
    return Number.isNaN(difference) ? [] : [{ difference, problems: treated.problems + control.problems }];
  });
  const problems = differences.reduce((sum, each) => sum + each.problems, 0);
  if (problems === 0) return null;
  return {
    value: differences.reduce((sum, each) => sum + each.difference * (each.problems / problems), 0),
    interval95: meanInterval((mean, side) => logStagedEvidence(stages, mean, side), alpha),
  };
}

function ratesOf(counts: readonly ArmCount[]) {
  const arm = (treated: boolean) => {
    const own = counts.filter((each) => each.treated === treated);
    const problems = own.reduce((sum, each) => sum + each.problems, 0);
    return { problems, rate: own.reduce((sum, { result, problems: times }) => sum + result * times, 0) / problems };
  };
  return { treated: arm(true), control: arm(false) };
}

function checkDesign(counts: readonly ArmCount[], { treatedShare: share, centre = CENTRE }: LiftDesign): void {
  if (!(share > 0 && share < 1))
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot estimate a lift: expected a treated share between 0 and 1, got ${share}. Without both arms there is nothing to compare.`,
    );
  if (!(centre >= 0 && centre <= 1))
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot estimate a lift: expected a centre from 0 to 1, got ${centre}. Take a rate between those of the arms.`,
    );
  const wrong = counts.find(({ result, problems }) => !(result >= 0 && result <= 1 && problems >= 0));
  if (wrong !== undefined)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot estimate a lift: expected results between 0 and 1, got ${wrong.result} (${wrong.problems} problems).`,
    );
}
