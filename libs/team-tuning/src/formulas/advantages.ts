/** How much better a rollout did: within its group, or step by step against values. */
import { SeamError } from '@seamstream/kernel';

/** Added to a group's standard deviation. */
const STD_EPSILON = 1e-6;

/**
 * (R − mean) / (std + 10⁻⁶), clipped to ±most. The standard deviation is unbiased, as in libs/learning's GRPO.
 * @param rewards [G] of one problem's rollouts, G ≥ 2. @throws DATA_REFUSED
 */
export function clippedGroupAdvantages(rewards: readonly number[], most: number): number[] {
  if (rewards.length < 2 || !rewards.every(Number.isFinite))
    throw new SeamError(
      'DATA_REFUSED',
      `Cannot form advantages: expected at least two finite rewards of a problem, got [${rewards.join(', ')}]. Sample groups.`,
    );
  if (rewards.every((reward) => reward === rewards[0])) return rewards.map(() => 0);
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
  const variance = rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / (rewards.length - 1);
  const scale = Math.sqrt(variance) + STD_EPSILON;
  return rewards.map((reward) => clippedTo((reward - mean) / scale, most));
}

/**
 * Generalised advantage estimation (https://arxiv.org/abs/1506.02438): A_t = Σ_l (γλ)^l (r_{t+l} + γ V_{t+l+1} − V_{t+l}), and the returns
 * A_t + V_t that values are fitted to.
 * @param rewards [T] after each step
 * @param values [T] of the state before each step; after the last step the value is 0
 */
export function generalisedAdvantages(
  rewards: readonly number[],
  values: readonly number[],
  { gamma, lambda }: { readonly gamma: number; readonly lambda: number },
): { readonly advantages: number[]; readonly returns: number[] } {
  const advantages = rewards.map(() => 0);
  let after = 0;
  for (let step = rewards.length - 1; step >= 0; step--) {
    const next = step + 1 < values.length ? values[step + 1]! : 0;
    const surprise = rewards[step]! + gamma * next - values[step]!;
    after = surprise + gamma * lambda * after;
    advantages[step] = after;
  }
  return { advantages, returns: advantages.map((advantage, step) => advantage + values[step]!) };
}

/** Zero mean, unit standard deviation, clipped to ±most; all zero where they are equal. */
export function normalised(values: readonly number[], most: number): number[] {
  return values.length < 2 ? values.map(() => 0) : clippedGroupAdvantages(values, most);
}

/**
 * max((V − R)², (V_old + clip(V − V_old, ±range) − R)²), and its slope along V: a value may not gain by moving further than the range
 * (https://arxiv.org/abs/1707.06347, as PPO's implementations have it). Where the held value is further off, the loss does not move with V.
 */
export function clippedValueLoss(
  value: number,
  { before, target }: { readonly before: number; readonly target: number },
  range: number,
): { readonly loss: number; readonly slope: number } {
  const moved = value - before;
  const free = (value - target) ** 2;
  const held = (before + clippedTo(moved, range) - target) ** 2;
  return Math.abs(moved) > range && held >= free
    ? { loss: held, slope: 0 }
    : { loss: free, slope: 2 * (value - target) };
}

function clippedTo(value: number, most: number): number {
  return Math.max(-most, Math.min(most, value));
}
