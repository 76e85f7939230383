/**
 * What experiences add, with an interval that holds at every look: a mixture of fixed bets on the inverse-propensity score.
 *
 * A problem is treated with a known probability π (its share), else it is a control; its result y is in [0, 1]. The score
 *   Z = (y − c) / π  where it is treated,   Z = −(y − c) / (1 − π)  where it is a control
 * has the problem's own effect as its mean, regardless of what happened before and of what drifts. For each bet λ the product of
 * (1 + λ Z) / (1 + λ δ) is a nonnegative martingale of mean 1, and so is the mean of twenty of them. ln is concave, so the mean effect may
 * stand for the single ones, and by Ville's inequality (1939) the evidence against the true mean reaches 2/α with probability α/2 at
 * most, ever. The bets are fixed beforehand, so the evidence depends on how often each score was met, and on no order.
 *
 * Bets on a bounded mean: Waudby-Smith and Ramdas 2024, doi:10.1093/jrsssb/qkad009; fixed ones, so that the mean may drift.
 */
import { SeamError } from '@seamstream/kernel';
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
  /** Probability that the interval ever misses. */
  readonly alpha?: number;
}

/** A problem's result less this: between the arms' rates it makes the interval narrower, and any value keeps it valid. */
const CENTRE = 0.5;
/** Bets as fractions of the largest that cannot lose more than all: for effects from large to a thousandth. */
const FRACTIONS = Array.from({ length: 20 }, (_, j) => 0.95 * 2 ** (-j / 2));
/** Halvings of the interval that a limit is looked for in: 2⁻⁴⁰ is below what a figure shows. */
const HALVINGS = 40;

/**
 * ln of the evidence that the mean effect is above `mean` (side 1) or below it (side −1). At or above ln(2/α) the mean is outside of the interval.
 * @param mean in [−1, 1]
 */
export function logLiftEvidence(
  counts: readonly ArmCount[],
  { treatedShare: share }: LiftDesign,
  mean: number,
  side: 1 | -1,
): number {
  checkDesign(counts, share);
  // The largest loss of a bet on this side, over all results that are possible.
  const bound =
    side === 1
      ? Math.max(CENTRE / share, (1 - CENTRE) / (1 - share))
      : Math.max((1 - CENTRE) / share, CENTRE / (1 - share));
  const n = counts.reduce((sum, { problems }) => sum + problems, 0);
  const logs = FRACTIONS.map((fraction) => {
    const bet = (side * fraction) / bound;
    return counts.reduce(
      (sum, { treated, result, problems }) =>
        sum + problems * Math.log1p((bet * (result - CENTRE)) / (treated ? share : share - 1)),
      -n * Math.log1p(bet * mean),
    );
  });
  const top = Math.max(...logs);
  return top + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - top), 0) / logs.length);
}

/**
 * Rate of the treated less that of the controls, with the interval of the mean effect that holds at every look (95 % unless said otherwise).
 * The interval is that of the scores, so the difference of the rates is its middle only roughly.
 * @returns null where an arm has no problem yet
 * @throws INVALID_INPUT for a share outside (0, 1) and a result outside [0, 1]
 */
export function liftInterval(counts: readonly ArmCount[], design: LiftDesign): Estimate | null {
  checkDesign(counts, design.treatedShare);
  const rate = (treated: boolean): number => {
    const own = counts.filter((each) => each.treated === treated);
    const problems = own.reduce((sum, each) => sum + each.problems, 0);
    return own.reduce((sum, { result, problems: times }) => sum + result * times, 0) / problems;
  };
  const value = rate(true) - rate(false);
  if (Number.isNaN(value)) return null;
  const needed = Math.log(2 / (design.alpha ?? 0.05));
  const edge = (side: 1 | -1): number => {
    // The evidence against a mean grows from one end to the other.
    let inside: number = side;
    let outside: number = -side;
    if (logLiftEvidence(counts, design, outside, side) < needed) return outside;
    for (let i = 0; i < HALVINGS; i++) {
      const middle = (inside + outside) / 2;
      if (logLiftEvidence(counts, design, middle, side) >= needed) outside = middle;
      else inside = middle;
    }
    return outside;
  };
  return { value, interval95: [edge(1), edge(-1)] };
}

function checkDesign(counts: readonly ArmCount[], share: number): void {
  if (!(share > 0 && share < 1))
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot estimate a lift: expected a treated share between 0 and 1, got ${share}. Without both arms there is nothing to compare.`,
    );
  const wrong = counts.find(({ result, problems }) => !(result >= 0 && result <= 1 && problems >= 0));
  if (wrong !== undefined)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot estimate a lift: expected results between 0 and 1, got ${wrong.result} (${wrong.problems} problems).`,
    );
}
