/** Rotary position embeddings (https://arxiv.org/abs/2104.09864) as tables of angles. */
import type { ModelConfig } from './model-config.types.js';

/**
 * cos and sin of position·θ^(−2i/hd), each [positions, hd / 2], rounded to float32 at the same places as
 * transformers does (LlamaRotaryEmbedding), since at high positions the rounding of the angle is visible.
 */
export function rotaryTables(config: ModelConfig): { cos: Float32Array; sin: Float32Array } {
  const half = config.headDimension / 2;
  const cos = new Float32Array(config.maxPositions * half);
  const sin = new Float32Array(config.maxPositions * half);
  for (let i = 0; i < half; i++) {
    const power = Math.fround(config.ropeTheta ** Math.fround((2 * i) / config.headDimension));
    const frequency = Math.fround(1 / power);
    for (let position = 0; position < config.maxPositions; position++) {
      const angle = Math.fround(position * frequency);
      cos[position * half + i] = Math.cos(angle);
      sin[position * half + i] = Math.sin(angle);
    }
  }
  return { cos, sin };
}
