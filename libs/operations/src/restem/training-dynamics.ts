/** How rewards of a self-training move from iteration to iteration. Pure. */
import { mean } from '@seamstream/statistics';

export interface TrainingDynamics {
  /** Change of the mean reward from one iteration to the next: the slope of the line of least squares. */
  readonly trend: number;
  /** Standard deviation of the mean rewards around that line: 0 is steady. Two iterations are always on their line. */
  readonly unsteadiness: number;
}

/** @param rewards mean reward of each iteration, in their order; null for fewer than two */
export function dynamicsOf(rewards: readonly number[]): TrainingDynamics | null {
  if (rewards.length < 2) return null;
  const [middle, level] = [(rewards.length - 1) / 2, mean(rewards)];
  const spread = mean(rewards.map((_, at) => (at - middle) ** 2));
  const trend = mean(rewards.map((reward, at) => (at - middle) * (reward - level))) / spread;
  const off = rewards.map((reward, at) => (reward - level - trend * (at - middle)) ** 2);
  return { trend, unsteadiness: Math.sqrt(mean(off)) };
}
