/**
 * AdamW (Loshchilov and Hutter, https://arxiv.org/abs/1711.05101, algorithm 2) as PyTorch computes it, over flat arrays.
 * Arithmetic is in 64 bits, storage in 32.
 */
import type { OptimizerSettings } from './training.types.js';

/** A stretch of the flat arrays that holds one tensor. */
export interface Segment {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** Weight decay applies to matrices only: shrinking a norm's scale or a bias regularises nothing. */
  readonly decays: boolean;
}

export interface AdamState {
  readonly weights: Float32Array;
  readonly gradients: Float32Array;
  readonly firstMoments: Float32Array;
  readonly secondMoments: Float32Array;
}

/**
 * Updates the elements from `start` to `end` in place.
 *   m ← β₁m + (1−β₁)g;  v ← β₂v + (1−β₂)g²;  w ← w − ηλw − η·m̂ / (√v̂ + ε),  m̂ = m/(1−β₁ᵗ), v̂ = v/(1−β₂ᵗ)
 * @param scale what gradients are multiplied with (clipping).
 * @param step t, counting from 1.
 */
export function adamwUpdate(
  state: AdamState,
  start: number,
  end: number,
  decays: boolean,
  scale: number,
  step: number,
  settings: OptimizerSettings,
): void {
  const { weights, gradients, firstMoments, secondMoments } = state;
  const { learningRate, beta1, beta2, epsilon } = settings;
  const keep = decays ? 1 - learningRate * settings.weightDecay : 1;
  const stride = learningRate / (1 - beta1 ** step);
  const shrink = 1 / Math.sqrt(1 - beta2 ** step);
  const [rest1, rest2] = [1 - beta1, 1 - beta2];
  for (let i = start; i < end; i++) {
    const g = gradients[i]! * scale;
    const m = beta1 * firstMoments[i]! + rest1 * g;
    const v = beta2 * secondMoments[i]! + rest2 * g * g;
    firstMoments[i] = m;
    secondMoments[i] = v;
    weights[i] = weights[i]! * keep - (stride * m) / (Math.sqrt(v) * shrink + epsilon);
  }
}

/** The factor that brings gradients of global L2 norm `norm` to at most `clipNorm` (torch.nn.utils.clip_grad_norm_). */
export function clipScale(norm: number, clipNorm: number): number {
  return clipNorm > 0 ? Math.min(1, clipNorm / (norm + 1e-6)) : 1;
}
