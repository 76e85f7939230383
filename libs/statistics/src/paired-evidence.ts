/** Whether one of two solvers of the same problems is better, from counts of those that only one of them solved. */
import { SeamError } from '@seamstream/kernel';
import { logBetEvidence, meanInterval, type Side } from './fixed-bets.js';
import type { Estimate } from './intervals.js';

/** Problems that both were asked and on which they differ. Those that both solved, or neither, say nothing of which is better. */
export interface PairedCounts {
  /** Solved by the candidate alone. */
  readonly rescued: number;
  /** Solved by the other one alone. */
  readonly broken: number;
}

/**
 * Natural logarithm of the evidence that the candidate solves more of the problems than the other one. Under the hypothesis that it
 * does not, each differing problem is rescued with a probability p of at most ½, regardless of the earlier ones; betting on a p that is drawn
 * uniformly from ½ … 1 multiplies a stake of 1 to
 *
 *   E(b, c) = 2 ∫ ½…1 (2p)^b (2(1 − p))^c dp = Σ i=0…b Π k<i (b − k) / (c + 2 + k) / (c + 1)      b rescued, c broken
 *
 * a non-negative supermartingale of mean 1 at most. So a decision at E ≥ 1/α, however often it is looked for, is wrong with a probability
 * of at most α (Ville 1939; the mixture is that of Robbins 1970, doi:10.1214/aoms/1177696786, restricted to one side).
 * @throws INVALID_INPUT for what are no counts
 */
export function logPairedEvidence({ rescued, broken }: PairedCounts): number {
  for (const count of [rescued, broken]) {
    if (!Number.isSafeInteger(count) || count < 0) {
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot weigh paired results: expected two counts of problems, got ${rescued} rescued and ${broken} broken. Count again.`,
      );
    }
  }
  let term = 1;
  let sum = 1;
  let logScale = 0;
  for (let k = 0; k < rescued; k++) {
    term *= (rescued - k) / (broken + 2 + k);
    sum += term;
    if (sum > LARGE) {
      logScale += Math.log(LARGE);
      term /= LARGE;
      sum /= LARGE;
    }
  }
  return Math.log(sum) + logScale - Math.log(broken + 1);
}

/**
 * Fewest problems on which a candidate can reach the evidence 1 / level: as many as it would have to solve alone, while the other one
 * solved none.
 * @param level between 0 and 1
 * @throws INVALID_INPUT for another level
 */
export function fewestProblems(level: number): number {
  if (!(level > 0 && level <= 1)) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot count the problems that a level needs: expected one above 0 and at most 1, got ${level}. Set another.`,
    );
  }
  let rescued = 0;
  while (logPairedEvidence({ rescued, broken: 0 }) < -Math.log(level)) rescued++;
  return rescued;
}

/** Differing problems among all that both were asked. */
export interface PairedProblems extends PairedCounts {
  readonly problems: number;
}

/**
 * ln of the evidence that the candidate's rate less the other one's is above `mean` (side 1) or below it (side −1), at every look: fixed bets
 * on +1 for a rescued problem, −1 for a broken one, 0 for the others. Unlike {@link logPairedEvidence} it can test a margin.
 * @param mean in [−1, 1]
 * @throws INVALID_INPUT for what are no counts, or more differing problems than there are
 */
export function logPairedDifferenceEvidence(counts: PairedProblems, mean: number, side: Side): number {
  const { rescued, broken, problems } = counts;
  if ([rescued, broken, problems - rescued - broken].some((count) => !Number.isSafeInteger(count) || count < 0))
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot weigh paired results: expected counts of differing problems among all, got ${rescued} rescued and ${broken} broken of ${problems}. Count again.`,
    );
  const scores = [
    { score: 1, problems: rescued },
    { score: -1, problems: broken },
    { score: 0, problems: problems - rescued - broken },
  ];
  return logBetEvidence(scores, { least: -1, greatest: 1 }, mean, side);
}

/** The candidate's rate less the other one's, with an interval that holds at every look; null without problems. */
export function pairedInterval(counts: PairedProblems, alpha = 0.05): Estimate | null {
  if (counts.problems === 0) return null;
  return {
    value: (counts.rescued - counts.broken) / counts.problems,
    interval95: meanInterval((mean, side) => logPairedDifferenceEvidence(counts, mean, side), alpha),
  };
}

/** Sums are brought down from here, far below the largest double. */
const LARGE = 1e100;
