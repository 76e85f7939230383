import { SeamError } from '@seamstream/kernel';
import { mean } from './intervals.js';

/**
 * What learning something new costs of what was learned before: mean(before) − mean(after) of the same problems, each from 0 to 1.
 * Below 0 where more is known than before; 0 without problems.
 * @throws INVALID_INPUT where the two are not of equally many problems
 */
export function costOf(before: readonly number[], after: readonly number[]): number {
  if (before.length !== after.length)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot tell what is kept: expected two scores of each problem, got ${before.length} and ${after.length}. Ask both the same problems.`,
    );
  return before.length === 0 ? 0 : mean(before) - mean(after);
}

/** How far sums of fractions are apart at most that are the same in whole problems. */
const ROUNDING = 1e-9;

/** Whether the gate lets it pass. @param mostCost the most that it may cost, from 0 to 1 */
export function isKept(cost: number, mostCost: number): boolean {
  return cost <= mostCost + ROUNDING;
}
