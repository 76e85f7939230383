/**
 * What a config.json says about rotary embeddings, in both of its spellings: `rope_scaling` beside `rope_theta` (as
 * published until 2025) and `rope_parameters` with everything inside (since transformers 5).
 */
import { damaged, positive, type RawConfig, size, unsupported } from './config-fields.js';
import type { RopeScaling } from './model-config.types.js';

const DEFAULT_THETA = 10000;

/**
 * @param stated max_position_embeddings
 * @returns maxPositions: `stated`, or factor × original positions where yarn reaches further. Qwen2.5's yarn is published so,
 *   with max_position_embeddings left at the first training's length. Dynamic scaling ends at `stated`: beyond it every
 *   further token would change the angles of all tokens before it.
 * @throws UNSUPPORTED_MODEL for a scaling that is not computed, CHECKPOINT_INVALID
 */
export function parseRotary(
  raw: RawConfig,
  stated: number,
): { readonly ropeTheta: number; readonly ropeScaling: RopeScaling | undefined; readonly maxPositions: number } {
  const rope = record(raw.rope_scaling ?? raw.rope_parameters);
  if ((rope.partial_rotary_factor ?? 1) !== 1)
    throw unsupported(`partial_rotary_factor ${JSON.stringify(rope.partial_rotary_factor)}`, 'whole heads');
  const ropeTheta = positive('rope_theta', rope.rope_theta ?? raw.rope_theta ?? DEFAULT_THETA);
  const ropeScaling = parseScaling(rope, raw, stated, ropeTheta);
  const reach = ropeScaling?.type === 'yarn' ? Math.round(ropeScaling.factor * ropeScaling.originalPositions) : 0;
  return { ropeTheta, ropeScaling, maxPositions: Math.max(stated, reach) };
}

function parseScaling(rope: RawConfig, raw: RawConfig, stated: number, theta: number): RopeScaling | undefined {
  const type: unknown = rope.rope_type ?? rope.type ?? 'default';
  const number = (key: string, fallback?: number): number => positive(`rope ${key}`, rope[key] ?? fallback);
  const atLeastOne = (factor: number): number => {
    if (factor >= 1) return factor;
    throw damaged('config.json', `has rope factor ${factor}: expected at least 1`);
  };
  const original = (): number =>
    size(
      {
        'rope original_max_position_embeddings':
          raw.original_max_position_embeddings ?? rope.original_max_position_embeddings,
      },
      'rope original_max_position_embeddings',
      stated,
    );
  switch (type) {
    case 'default':
      return undefined;
    case 'linear':
      return { type: 'linear', factor: atLeastOne(number('factor')) };
    case 'dynamic':
      return { type: 'dynamic', factor: atLeastOne(number('factor')) };
    case 'llama3': {
      const [low, high] = [number('low_freq_factor'), number('high_freq_factor')];
      if (high <= low)
        throw damaged('config.json', `has rope high_freq_factor ${high}: expected more than low_freq_factor ${low}`);
      return {
        type: 'llama3',
        factor: atLeastOne(number('factor')),
        lowFrequencyFactor: low,
        highFrequencyFactor: high,
        originalPositions: original(),
      };
    }
    case 'yarn': {
      if (theta <= 1) throw damaged('config.json', `has rope_theta ${theta}: yarn expects more than 1`);
      const originalPositions = original();
      const factor = atLeastOne(number('factor', stated / originalPositions));
      // Section 3.4 of the paper; DeepSeek's two extra fields give a ratio of two such factors.
      const magnitude = (scale: number): number => (factor <= 1 ? 1 : 0.1 * scale * Math.log(factor) + 1);
      const isRatio = Boolean(rope.mscale) && Boolean(rope.mscale_all_dim);
      const suggested = isRatio ? magnitude(number('mscale')) / magnitude(number('mscale_all_dim')) : magnitude(1);
      return {
        type: 'yarn',
        factor,
        originalPositions,
        betaFast: number('beta_fast', 32),
        betaSlow: number('beta_slow', 1),
        truncate: rope.truncate !== false,
        attentionFactor: number('attention_factor', suggested),
      };
    }
    default:
      throw unsupported(
        `rotary embedding of type ${JSON.stringify(type)}`,
        'default, linear, dynamic, llama3 and yarn',
      );
  }
}

/** The `rope_scaling` of a config.json that means this. */
export function ropeParameters(scaling: RopeScaling): RawConfig {
  switch (scaling.type) {
    case 'linear':
    case 'dynamic':
      return { rope_type: scaling.type, factor: scaling.factor };
    case 'llama3':
      return {
        rope_type: 'llama3',
        factor: scaling.factor,
        low_freq_factor: scaling.lowFrequencyFactor,
        high_freq_factor: scaling.highFrequencyFactor,
        original_max_position_embeddings: scaling.originalPositions,
      };
    case 'yarn':
      return {
        rope_type: 'yarn',
        factor: scaling.factor,
        original_max_position_embeddings: scaling.originalPositions,
        beta_fast: scaling.betaFast,
        beta_slow: scaling.betaSlow,
        truncate: scaling.truncate,
        attention_factor: scaling.attentionFactor,
      };
  }
}

function record(value: unknown): RawConfig {
  if (value === undefined || value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as RawConfig;
  throw damaged('config.json', `has rope parameters ${JSON.stringify(value)}: expected an object`);
}
