/** Correction for data that another policy sampled: π_proximal against the behaviour policy μ, token by token. */

/** r = π_proximal / μ = exp(ln π − ln μ); both in nats. */
export function importanceRatio(proximalLogProb: number, behaviourLogProb: number): number {
  return Math.exp(proximalLogProb - behaviourLogProb);
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
