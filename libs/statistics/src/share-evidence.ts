/** Whether one of two solvers has more right of the same problems, where a problem is right in part: of several questions a share. */
import { SeamError } from '@seamstream/kernel';
import { logBetEvidence } from './fixed-bets.js';

/** Of how many problems a difference was met. */
export interface ShareDifferences {
  /** The candidate's share less the other one's, in thousandths. */
  readonly thousandths: number;
  readonly problems: number;
}

const STEPS = 1000;

/** A difference of shares as it is counted. Rounding down favours no candidate: a mean of at most 0 stays at most 0. */
export function shareStep(candidate: number, other: number): number {
  return Math.floor((candidate - other) * STEPS);
}

/**
 * Natural logarithm of the evidence that the candidate has more right on average, at every look: fixed bets on differences in [−1, 1], whose
 * mean is at most 0 under the hypothesis that it has not (see fixed-bets.ts). Equal problems say nothing, and order does not matter.
 * @throws INVALID_INPUT for differences outside −1 … 1, and for what are no counts
 */
export function logShareEvidence(differences: readonly ShareDifferences[]): number {
  for (const { thousandths, problems } of differences) {
    const isPossible = Number.isInteger(thousandths) && Math.abs(thousandths) <= STEPS;
    if (!isPossible || !Number.isSafeInteger(problems) || problems < 0)
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot weigh shares: expected differences of at most ${STEPS} thousandths with counts of problems, got ${thousandths} of ${problems} problems. Count again.`,
      );
  }
  return evidenceOf(differences.map(({ thousandths, problems }) => ({ score: thousandths / STEPS, problems })));
}

function evidenceOf(scores: readonly { readonly score: number; readonly problems: number }[]): number {
  return logBetEvidence(scores, { least: -1, greatest: 1 }, 0, 1);
}

/** Fewest problems on which shares can reach the evidence 1 / level: the candidate has all right, the other one nothing. */
export function fewestForShares(level: number): number {
  let problems = 1;
  while (logShareEvidence([{ thousandths: STEPS, problems }]) < -Math.log(level)) problems++;
  return problems;
}

/**
 * Whether so many more problems may still bring the evidence to 1 / level: not where it would stay below although the mean difference of
 * those left were two standard errors above that of those asked. Any reason to stop leaves the risk as it is.
 */
export function sharesMayDecide(
  differences: readonly ShareDifferences[],
  { left, level }: { readonly left: number; readonly level: number },
): boolean {
  const needed = -Math.log(level);
  if (left === 0 || logShareEvidence(differences) >= needed) return false;
  const asked = differences.reduce((sum, { problems }) => sum + problems, 0);
  if (asked === 0) return true;
  const scores = differences.map(({ thousandths, problems }) => ({ score: thousandths / STEPS, problems }));
  const mean = scores.reduce((sum, { score, problems }) => sum + score * problems, 0) / asked;
  // One more than were seen, so that none says something too.
  const square = (scores.reduce((sum, { score, problems }) => sum + score ** 2 * problems, 0) + 1) / (asked + 1);
  const hoped = Math.min(1, mean + 2 * Math.sqrt(square * (1 / asked + 1 / left)));
  return evidenceOf([...scores, { score: hoped, problems: left }]) >= needed;
}
