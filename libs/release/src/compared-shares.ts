/** What a recorded comparison of shares is worth, and whether its figures can be of any measurement. Pure. */
import type { Evaluation, ShareComparison } from '@seamstream/events';

/** Means are of doubles; differences are rounded down to thousandths, each. */
const ROUNDING = 0.001 + 1e-9;

/** Why the shares of an evaluation cannot have been measured; undefined where they can, or where there are none. */
export function sharesFault({ problems, shares }: Pick<Evaluation, 'problems' | 'shares'>): string | undefined {
  if (shares == null) return undefined;
  const { candidate, parent, differences } = shares;
  if (![candidate, parent].every((share) => share >= 0 && share <= 1))
    return `shares of ${candidate} and ${parent} that are right`;
  const isPossible = differences.every(
    ({ thousandths, problems: count }) =>
      Number.isInteger(thousandths) && Math.abs(thousandths) <= 1000 && Number.isInteger(count) && count > 0,
  );
  const counted = differences.reduce((sum, each) => sum + each.problems, 0);
  const isEachOnce = new Set(differences.map(({ thousandths }) => thousandths)).size === differences.length;
  if (!isPossible || !isEachOnce || counted !== problems) return `differences of ${counted} of ${problems} problems`;
  const lead = candidate - parent;
  const behind = lead - meanOf(shares, problems);
  return behind >= -1e-9 && behind <= ROUNDING ? undefined : `a lead of ${lead} that its differences do not have`;
}

function meanOf({ differences }: ShareComparison, problems: number): number {
  const sum = differences.reduce((total, each) => total + each.thousandths * each.problems, 0);
  return problems === 0 ? 0 : sum / problems / 1000;
}
