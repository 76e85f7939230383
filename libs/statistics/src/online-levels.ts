/** How much evidence each of many decisions needs, so that few of those taken are wrong however many there are. */
import { SeamError } from '@seamstream/kernel';

/**
 * The level of a decision in an endless row of them: it is taken when its evidence reaches 1 / level. Of the decisions taken so, the
 * expected share of wrong ones stays below `risk` at every moment, however the looks depend on each other; while no candidate is better, that is
 * the probability of a single wrong one (e-LOND: Xu and Ramdas 2024, "Online multiple testing with e-values"). Every decision taken
 * lets later ones rest on less, every look on more: risk · γ(look) · (taken + 1), where γ sums to 1. γ(t) = (t + 9)^−1.5 / ζ(1.5, 10)
 * falls slowly, so that the tenth level is two fifths of the first and no row of looks comes to an end.
 * @param look which decision this is, from 1
 * @param taken how many of those before were taken
 * @param risk between 0 and 1
 * @returns between 0 and 1
 * @throws INVALID_INPUT for numbers outside these ranges
 */
export function onlineLevel(look: number, taken: number, risk: number): number {
  const areCounts = Number.isSafeInteger(look) && Number.isSafeInteger(taken) && taken >= 0 && taken < look;
  if (!areCounts || !(risk > 0 && risk < 1)) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot set a decision's level: expected fewer taken than looked at and a risk between 0 and 1, got look ${look}, ${taken} taken, risk ${risk}. Count again.`,
    );
  }
  return Math.min(1, (risk * (look + OFFSET) ** -1.5 * (taken + 1)) / SUM);
}

const OFFSET = 9;
/** Hurwitz's ζ(1.5, 10), the sum of (t + 9)^−1.5 over t from 1 on. */
const SUM = 0.648661631941631;
