/**
 * Rotary position embeddings (https://arxiv.org/abs/2104.09864) as tables of angles, with the scalings that checkpoints
 * publish. Formulas and places of rounding follow transformers 5.23 (modeling_rope_utils.py, LlamaRotaryEmbedding), since
 * at high positions the rounding of an angle is visible.
 */
import type { ModelConfig } from '../checkpoint/model-config.types.js';

/**
 * cos and sin of position·f_i for the frequencies of {@link rotaryFrequencies}, times their attention factor, each
 * [positions, hd / 2] with hd the dimensions that are rotated.
 * @param isLocal those of a model's local layers
 */
export function rotaryTables(config: ModelConfig, isLocal = false): RotaryTables {
  const tables = isLocal ? knownLocal : known;
  let found = tables.get(config);
  if (!found) tables.set(config, (found = computeTables(isLocal ? localRotary(config) : config)));
  return found;
}

/** The rotary embedding of local layers: another theta, and never scaled. */
function localRotary(config: ModelConfig): ModelConfig {
  const local = { ...config, ropeTheta: config.localRotary?.theta ?? config.ropeTheta };
  delete local.ropeScaling;
  return local;
}

interface RotaryTables {
  readonly cos: Float32Array;
  readonly sin: Float32Array;
}

/** A long context takes a second to compute, and every graph of a model has the same. */
const known = new WeakMap<ModelConfig, RotaryTables>();
const knownLocal = new WeakMap<ModelConfig, RotaryTables>();

function computeTables(config: ModelConfig): RotaryTables {
  const { frequencies, attentionFactor } = rotaryFrequencies(config);
  const half = frequencies.length;
  const cos = new Float32Array(config.maxPositions * half);
  const sin = new Float32Array(config.maxPositions * half);
  for (let position = 0, at = 0; position < config.maxPositions; position++) {
    for (let i = 0; i < half; i++, at++) {
      const angle = Math.fround(position * frequencies[i]!);
      cos[at] = Math.fround(Math.cos(angle)) * attentionFactor;
      sin[at] = Math.fround(Math.sin(angle)) * attentionFactor;
    }
  }
  return { cos, sin };
}

/**
 * Radians per position of each pair of a head's rotated dimensions, [hd / 2], and what cos and sin are multiplied with.
 *
 * - unscaled: f_i = θ^(−2i/hd)
 * - linear (positions interpolated, https://arxiv.org/abs/2306.15595): f_i / s
 * - dynamic (NTK-aware): f_i up to maxPositions; what stretches it beyond lies outside of what a sequence may have here
 * - llama3 (Llama 3.1): f_i / s for wavelengths above L / low, f_i below L / high, a blend between
 * - yarn (https://arxiv.org/abs/2309.00071, section 3.2): a ramp over i from f_i to f_i / s between the dimensions that turn
 *   `betaFast` and `betaSlow` times in L positions
 * - longrope (https://arxiv.org/abs/2402.13753): f_i / s_i with a factor for each dimension, searched for; those for sequences of
 *   up to L, which longer ones have other factors than
 *
 * with s the factor and L the positions that the model was first trained on.
 */
export function rotaryFrequencies({ rotaryDimension, ropeTheta, ropeScaling, ...config }: ModelConfig): {
  readonly frequencies: Float32Array;
  readonly attentionFactor: number;
} {
  const headDimension = rotaryDimension ?? config.headDimension;
  const half = headDimension / 2;
  const powers = Float32Array.from({ length: half }, (_, i) => ropeTheta ** Math.fround((2 * i) / headDimension));
  const plain = powers.map((power) => 1 / power);
  switch (ropeScaling?.type) {
    case undefined:
    case 'dynamic':
      return { frequencies: plain, attentionFactor: 1 };
    case 'linear':
      return { frequencies: plain.map((frequency) => frequency / ropeScaling.factor), attentionFactor: 1 };
    case 'longrope': {
      const frequencies = powers.map((power, i) => 1 / Math.fround(Math.fround(ropeScaling.shortFactors[i]!) * power));
      return { frequencies, attentionFactor: ropeScaling.attentionFactor };
    }
    case 'llama3': {
      const { factor, lowFrequencyFactor: low, highFrequencyFactor: high, originalPositions } = ropeScaling;
      const frequencies = plain.map((frequency) => {
        const wavelength = Math.fround((2 * Math.PI) / frequency);
        if (wavelength < originalPositions / high) return frequency;
        if (wavelength > originalPositions / low) return frequency / factor;
        const smooth = Math.fround(Math.fround(Math.fround(originalPositions / wavelength) - low) / (high - low));
        const slow = Math.fround(Math.fround(Math.fround(1 - smooth) * frequency) / factor);
        return slow + Math.fround(smooth * frequency);
      });
      return { frequencies, attentionFactor: 1 };
    }
    case 'yarn': {
      const { factor, betaFast, betaSlow, originalPositions, truncate, attentionFactor } = ropeScaling;
      const dimensionOf = (turns: number): number =>
        (headDimension * Math.log(originalPositions / (turns * 2 * Math.PI))) / (2 * Math.log(ropeTheta));
      const [first, last] = [dimensionOf(betaFast), dimensionOf(betaSlow)];
      const low = Math.max(truncate ? Math.floor(first) : first, 0);
      const end = Math.min(truncate ? Math.ceil(last) : last, headDimension - 1);
      const high = low === end ? end + 0.001 : end;
      const frequencies = plain.map((frequency, i) => {
        const ramp = Math.min(1, Math.max(0, Math.fround(Math.fround(i - low) / (high - low))));
        const kept = Math.fround(1 - ramp);
        const interpolated = Math.fround(1 / Math.fround(factor * powers[i]!));
        return Math.fround(interpolated * Math.fround(1 - kept)) + Math.fround(frequency * kept);
      });
      return { frequencies, attentionFactor };
    }
  }
}
