/**
 * Group-relative advantages: how much better a candidate did than its siblings of the same problem.
 *
 * With r_1 … r_G the rewards of a group and m their mean:
 * - `mean`:   A_i = r_i − m (Dr. GRPO, https://arxiv.org/abs/2503.20783)
 * - `std`:    A_i = (r_i − m) / (s + 10⁻⁶), s the unbiased standard deviation (GRPO, https://arxiv.org/abs/2402.03300;
 *             unbiased and 10⁻⁶ as in verl)
 * - `maxrl`:  A_i = (r_i − m) / m, which weights a problem of success rate p by 1/p (MaxRL)
 */
import { SeamError } from '@seamstream/kernel';

export const advantageKinds = ['mean', 'std', 'maxrl'] as const;

export type AdvantageKind = (typeof advantageKinds)[number];

const STD_EPSILON = 1e-6;

/** Whether all rewards are equal: such a group says nothing about which entry is better. */
export function isDead(rewards: readonly number[]): boolean {
  return rewards.every((reward) => reward === rewards[0]);
}

/**
 * Advantages of one group, in the order of its rewards; their sum is zero.
 * @param rewards [G], G ≥ 2, finite; for `maxrl` also ≥ 0. DATA_REFUSED otherwise.
 */
export function groupAdvantages(rewards: readonly number[], kind: AdvantageKind): number[] {
  if (rewards.length < 2 || !rewards.every((reward) => Number.isFinite(reward) && (kind !== 'maxrl' || reward >= 0))) {
    throw new SeamError(
      'DATA_REFUSED',
      `Cannot form group advantages (${kind}): expected at least two finite rewards${kind === 'maxrl' ? ' of 0 or more' : ''}, got [${rewards.join(', ')}]. A group of one has nothing to compare with.`,
      { details: { rewards, kind } },
    );
  }
  if (isDead(rewards)) return rewards.map(() => 0);
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
  const scale = kind === 'mean' ? 1 : kind === 'maxrl' ? mean : standardDeviation(rewards, mean) + STD_EPSILON;
  return rewards.map((reward) => (reward - mean) / scale);
}

function standardDeviation(values: readonly number[], mean: number): number {
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}
