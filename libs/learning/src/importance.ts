/** Correction for data that another policy sampled: π_proximal against the behaviour policy μ, token by token. */

import { mean } from '@seamstream/statistics';

/** What has one ratio: a token, or a whole entry. */
export type RatioUnit = 'token' | 'entry';

/**
 * The ratio that counts for each token of an entry. By `entry` all have the geometric mean of the tokens' ratios, the length-normalised
 * sequence likelihood of GSPO (https://arxiv.org/abs/2507.18071, equation 7): the product of many ratios would be near 0 or boundless.
 * @param proximal @param behaviour log-probabilities of the same tokens in nats, one at least
 */
export function importanceRatios(
  proximal: readonly number[],
  behaviour: readonly number[],
  unit: RatioUnit,
): readonly number[] {
  const differences = behaviour.map((logged, token) => proximal[token]! - logged); // ln of r = π_proximal / μ
  if (unit === 'token') return differences.map((nats) => Math.exp(nats));
  const ofEntry = Math.exp(mean(differences));
  return differences.map(() => ofEntry);
}

/**
 * min(r, cap): truncated importance sampling (Ionides 2008, https://doi.org/10.1198/106186008X320456), which bounds the
 * variance at the price of a bias towards the behaviour policy.
 */
export function truncatedWeight(ratio: number, cap: number): number {
  return Math.min(ratio, cap);
}

/**
 * Effective sample size as a fraction of n: (Σw)² / (n Σw²), 1/n … 1 (Kong 1992). 1 when all weights are equal, 0 for no
 * or only zero weights. Of which things the weights are, tokens or entries, the caller says.
 */
export function effectiveSampleRatio(weights: readonly number[]): number {
  let sum = 0;
  let squares = 0;
  for (const weight of weights) {
    sum += weight;
    squares += weight * weight;
  }
  return squares === 0 ? 0 : (sum * sum) / (weights.length * squares);
}

/**
 * k3 = e^d − d − 1 with d = ln q − ln p, ≥ 0. Its mean over samples of p is KL(p‖q) (http://joschu.net/blog/kl-approx.html); over samples
 * of anybody else it is a distance of the two and no estimate of a KL.
 */
export function k3(logProb: number, otherLogProb: number): number {
  const difference = otherLogProb - logProb;
  return Math.exp(difference) - difference - 1;
}
