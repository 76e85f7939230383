import { type Random, SeamError } from '@seamstream/kernel';

/** 97.5 % quantile of the standard normal distribution. */
const Z = 1.959963984540054;

/**
 * Wilson's score interval for a proportion at 95 % (Wilson 1927, doi:10.1080/01621459.1927.10502953):
 * (p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n). The whole [0, 1] where nothing was counted.
 */
export function wilsonInterval(successes: number, n: number): readonly [low: number, high: number] {
  if (n === 0) return [0, 1];
  const p = successes / n;
  const centre = p + (Z * Z) / (2 * n);
  const margin = Z * Math.sqrt((p * (1 - p)) / n + (Z * Z) / (4 * n * n));
  const scale = 1 + (Z * Z) / n;
  // At the ends rounding would leave 5e-17 where the formula gives 0.
  return [
    successes === 0 ? 0 : Math.max(0, (centre - margin) / scale),
    successes === n ? 1 : Math.min(1, (centre + margin) / scale),
  ];
}

/**
 * A random permutation of 0 … n − 1 without a fixed point, one cycle through all (Sattolo 1986): no element keeps its place.
 * @throws INVALID_INPUT when n is 1: there is none.
 */
export function cyclicDerangement(n: number, random: Random): number[] {
  if (n === 1)
    throw new SeamError('INVALID_INPUT', 'Cannot exchange entries: expected at least two problems, got one.');
  const result = Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const j = random.int(i);
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}

/**
 * Probability that at least one of k answers is right, estimated without bias from n answers of which c are right
 * (Chen et al. 2021, arXiv:2107.03374, equation 1): 1 − C(n − c, k) / C(n, k) = 1 − Π_{i = n−c+1 … n} (1 − k / i).
 * For k = 1 that is c / n.
 * @throws INVALID_INPUT unless 0 ≤ c ≤ n and 1 ≤ k ≤ n: fewer answers than k tell nothing about k of them.
 */
export function passAtK(n: number, c: number, k: number): number {
  if (!(c >= 0 && c <= n && k >= 1 && k <= n)) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot estimate pass@k: expected 0 ≤ right answers ≤ answers and 1 ≤ k ≤ answers, got ${c} right of ${n} and k = ${k}. Draw at least k answers.`,
    );
  }
  if (n - c < k) return 1;
  let allWrong = 1;
  for (let i = n - c + 1; i <= n; i++) allWrong *= 1 - k / i;
  return 1 - allWrong;
}

export interface MajorityVote {
  /** Position of the first answer of the class with most votes; null without any answer. */
  readonly winner: number | null;
  readonly votes: number;
  /** Another class had as many votes; of the tied classes the one that began first won. */
  readonly tied: boolean;
}

/**
 * The class that most answers belong to. Null, no answer, has no vote. Ties go to the class whose first answer came first, so
 * the same answers give the same winner.
 * @param classes the class of each answer, equal answers having equal ones
 */
export function majorityVote(classes: readonly (number | null)[]): MajorityVote {
  const votes = new Map<number, number>();
  for (const each of classes) if (each !== null) votes.set(each, (votes.get(each) ?? 0) + 1);
  const most = Math.max(0, ...votes.values());
  const leading = [...votes].filter(([, count]) => count === most); // in the order of their first votes
  const [first] = leading;
  return { winner: first === undefined ? null : classes.indexOf(first[0]), votes: most, tied: leading.length > 1 };
}

/** Arithmetic mean; 0 of nothing. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** A mean over items, say problems, with its interval at 95 %. */
export interface Estimate {
  readonly value: number;
  readonly interval95: readonly [low: number, high: number];
}

/**
 * Difference of two proportions on the same items with Newcombe's interval at 95 % (Newcombe 1998, Statistics in Medicine 17:2635, method
 * 10): Wilson's limits of both, joined with the correlation φ of the pairs, corrected for continuity. It has a width however few the pairs
 * are and however alike: two problems, both won, give 0.07 to 1.
 * @param pairs outcomes of either on each item; the difference is the first less the second
 * @returns null without pairs
 */
export function pairedDifference(pairs: readonly (readonly [one: boolean, other: boolean])[]): Estimate | null {
  const n = pairs.length;
  if (n === 0) return null;
  const count = (one: boolean, other: boolean): number =>
    pairs.filter(([own, others]) => own === one && others === other).length;
  const [e, f, g, h] = [count(true, true), count(true, false), count(false, true), count(false, false)];
  const [p1, p2] = [(e + f) / n, (e + g) / n];
  const [l1, u1] = wilsonInterval(e + f, n);
  const [l2, u2] = wilsonInterval(e + g, n);
  const margins = (e + f) * (g + h) * (e + g) * (f + h);
  const excess = e * h - f * g;
  const corrected = excess > n / 2 ? excess - n / 2 : Math.min(0, excess);
  const phi = margins === 0 ? 0 : corrected / Math.sqrt(margins);
  const joined = (a: number, b: number): number => Math.sqrt(Math.max(0, a * a - 2 * phi * a * b + b * b));
  const value = (f - g) / n;
  return {
    value,
    interval95: [Math.max(-1, value - joined(p1 - l1, u2 - p2)), Math.min(1, value + joined(p2 - l2, u1 - p1))],
  };
}

/**
 * Mean of values that lie within known bounds, with the interval of Agresti and Coull (1998, doi:10.1080/00031305.1998.10480550) taken from
 * right and wrong to any values: z²/2 items at either bound join those that were seen, and the interval is c ± z·√(v / (n + z²)) with mean c and
 * variance v of all. It has a width however few and alike the items are; of many it is the usual normal interval.
 * @returns null without values
 */
export function boundedMean(values: readonly number[], [low, high]: readonly [number, number]): Estimate | null {
  const n = values.length;
  if (n === 0) return null;
  const weight = Z * Z;
  const total = n + weight;
  const centre = (values.reduce((sum, each) => sum + each, 0) + (weight / 2) * (low + high)) / total;
  const squares =
    values.reduce((sum, each) => sum + (each - centre) ** 2, 0) +
    (weight / 2) * ((low - centre) ** 2 + (high - centre) ** 2);
  const margin = Z * Math.sqrt(squares / total / total);
  return { value: mean(values), interval95: [Math.max(low, centre - margin), Math.min(high, centre + margin)] };
}

/** Resamples of a bootstrap; Efron and Tibshirani 1993, section 13.3, ask for at least 1,000 for percentiles. */
const RESAMPLES = 2000;

/**
 * The mean over items with its percentile bootstrap interval at 95 % (Efron and Tibshirani 1993, chapter 13): items are drawn with
 * replacement, as many as there are; the interval reaches from the 2.5 % to the 97.5 % quantile of the resampled means (the
 * ordered means at ⌊0.025 · R⌋ and ⌈0.975 · R⌉ − 1). Items are what varies: several values of one item come in as their mean.
 * For values without bounds, as tokens and seconds are; equal ones give an interval without width. Shares have {@link boundedMean}.
 * @param random decides the resamples; the same one gives the same interval
 * @returns null where there are no items: of what they would have said nothing is known, its range included
 */
export function bootstrapMean(values: readonly number[], random: Random): Estimate | null {
  const n = values.length;
  if (n === 0) return null;
  const means = Float64Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += values[random.int(n)]!;
    return sum / n;
  }).sort();
  return {
    value: mean(values),
    interval95: [means[Math.floor(0.025 * RESAMPLES)]!, means[Math.ceil(0.975 * RESAMPLES) - 1]!],
  };
}
