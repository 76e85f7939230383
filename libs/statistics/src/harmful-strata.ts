/** Which of many strata are harmed, at one risk for all of them together and for ever. */
import { SeamError } from '@seamstream/kernel';
import { type LiftStage, logStagedEvidence } from './lift-interval.js';

/** Problems of a stratum, by the share that they were drawn with. */
export interface StratumStages {
  readonly name: string;
  readonly stages: readonly LiftStage[];
}

export interface HarmRisk {
  /** Probability that any stratum without harm is ever called harmed. */
  readonly alpha: number;
  /** Parts of the risk that were given to strata beforehand, by name; they sum to 1 at most. */
  readonly weights: ReadonlyMap<string, number>;
}

/**
 * The strata whose mean effect is below 0: those with evidence of 1 / (α w) or more. The weights w sum to 1 at most, so by the union bound the
 * risk of any wrong one, ever, is α. A stratum without a weight that appears as the k-th of its kind gets 6 / (π² k²) of what is left, which
 * sums to 1 over all k. What is harmed stays so: the evidence may fall again, and the risk is already spent.
 * @param strata in the order in which they appeared, which must not depend on results
 * @throws INVALID_INPUT for a risk outside (0, 1) and for weights that are negative or sum to more than 1
 */
export function harmfulStrata(strata: readonly StratumStages[], { alpha, weights }: HarmRisk): readonly string[] {
  const given = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  // A rounding error of a sum of fractions is no weight too much.
  if (!(alpha > 0 && alpha < 1) || !(given <= 1 + 1e-9) || [...weights.values()].some((weight) => !(weight >= 0)))
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot look for harmed strata: expected a risk between 0 and 1 and weights that sum to 1 at most, got ${alpha} and ${given}. Give other weights.`,
    );
  let unnamed = 0;
  return strata.flatMap(({ name, stages }) => {
    const weight = stratumWeight(weights, name, weights.has(name) ? null : ++unnamed);
    const isHarmed = weight > 0 && logStagedEvidence(stages, 0, -1) >= -Math.log(alpha * weight);
    return isHarmed ? [name] : [];
  });
}

/**
 * A stratum's part of the risk, as {@link harmfulStrata} divides it.
 * @param rank from 1, where the weights do not name it: its place among those that they do not name
 */
export function stratumWeight(weights: HarmRisk['weights'], name: string, rank: number | null): number {
  const own = weights.get(name);
  if (own !== undefined || rank === null) return own ?? 0;
  const left = Math.max(0, 1 - [...weights.values()].reduce((sum, weight) => sum + weight, 0));
  return (left * 6) / (Math.PI * rank) ** 2;
}
