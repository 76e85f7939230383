/**
 * Evidence on a running mean that holds at every look: a mixture of bets that are fixed beforehand.
 *
 * A score Z of known range has a conditional mean δ, regardless of what happened before and of what drifts. For each bet λ the product of
 * (1 + λ Z) / (1 + λ δ) is a nonnegative martingale of mean 1, and so is the mean of twenty of them. ln is concave, so the mean of the δ
 * may stand for the single ones, and by Ville's inequality (1939) the evidence against the true mean reaches 1/α with probability α at
 * most, ever. A bet knows neither the mean that is tested nor what came before: so the evidence depends on how often each score was met,
 * and on no order.
 *
 * Bets on a bounded mean: Waudby-Smith and Ramdas 2024, doi:10.1093/jrsssb/qkad009; fixed ones, so that the mean may drift.
 */

/** How often a score was met. */
export interface ScoreCount {
  readonly score: number;
  readonly problems: number;
}

/** The least and the greatest score that are possible, whether they were met or not; below and above 0. */
export interface ScoreRange {
  readonly least: number;
  readonly greatest: number;
}

/** 1: the mean is above; −1: the mean is below. */
export type Side = 1 | -1;

/** Bets as fractions of the largest that cannot lose more than all: for effects from large to a thousandth. */
const FRACTIONS = Array.from({ length: 20 }, (_, j) => 0.95 * 2 ** (-j / 2));
/** Halvings of the interval that a limit is looked for in: 2⁻⁴⁰ is below what a figure shows. */
const HALVINGS = 40;

/** ln of the evidence that the mean score is above `mean` (side 1) or below it (side −1). @param mean in [−1, 1] */
export function logBetEvidence(
  counts: readonly ScoreCount[],
  { least, greatest }: ScoreRange,
  mean: number,
  side: Side,
): number {
  const bound = side === 1 ? -least : greatest;
  const n = counts.reduce((sum, { problems }) => sum + problems, 0);
  const logs = FRACTIONS.map((fraction) => {
    const bet = (side * fraction) / bound;
    return counts.reduce(
      (sum, { score, problems }) => sum + problems * Math.log1p(bet * score),
      -n * Math.log1p(bet * mean),
    );
  });
  return logMean(logs);
}

/** ln of the mean of numbers that are given by their logarithms. */
export function logMean(logs: readonly number[]): number {
  const top = Math.max(...logs);
  return top + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - top), 0) / logs.length);
}

/**
 * The means in [−1, 1] that the evidence of neither side excludes.
 * @param evidence ln of the evidence that the mean is above (side 1) or below (side −1) the given one
 * @param alpha probability that the interval ever misses
 */
export function meanInterval(
  evidence: (mean: number, side: Side) => number,
  alpha: number,
): readonly [low: number, high: number] {
  const needed = Math.log(2 / alpha);
  const edge = (side: Side): number => {
    // The evidence against a mean grows from one end to the other.
    let inside: number = side;
    let outside: number = -side;
    if (evidence(outside, side) < needed) return outside;
    for (let i = 0; i < HALVINGS; i++) {
      const middle = (inside + outside) / 2;
      if (evidence(middle, side) >= needed) outside = middle;
      else inside = middle;
    }
    return outside;
  };
  return [edge(1), edge(-1)];
}
