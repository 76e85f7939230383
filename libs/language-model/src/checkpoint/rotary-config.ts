/**
 * What a config.json says about rotary embeddings, in both of its spellings: `rope_scaling` next to `rope_theta` (as
 * published until 2025) and `rope_parameters` with everything inside (since transformers 5).
 */
import { damaged, positive, type RawConfig, shown, size, unsupported } from '@seamstream/model-files';
import type { ModelConfig, RopeScaling } from './model-config.types.js';

/** Angles of all positions of one table: 2 × 512 MiB as cos and sin. A million positions of 128 dimensions are half of it. */
const MOST_ANGLES = 2 ** 27;

interface RotaryForm {
  /** max_position_embeddings */
  readonly stated: number;
  /** Where config.json names none. */
  readonly theta: number;
  /** Dimensions of a head that are rotated. */
  readonly dimension: number;
  /** The family has a rotary embedding for each type of layers; what is read is that of full attention. */
  readonly isByLayerType: boolean;
}

/**
 * @returns maxPositions: `stated`, or factor × original positions where yarn reaches further. Qwen2.5's yarn is published so,
 *   with max_position_embeddings left at the first training's length. Dynamic scaling ends at `stated` and longrope at the
 *   original positions: beyond it every further token would change the angles of all tokens before it.
 * @throws UNSUPPORTED_MODEL for a scaling that is not computed, CHECKPOINT_INVALID
 */
export function parseRotary(
  raw: RawConfig,
  form: RotaryForm,
): Pick<ModelConfig, 'ropeTheta' | 'ropeScaling' | 'maxPositions'> {
  const rope = ropeOf(raw, form.isByLayerType);
  const ropeTheta = positive('rope_theta', rope.rope_theta ?? raw.rope_theta ?? form.theta);
  const ropeScaling = parseScaling(rope, raw, form, ropeTheta);
  const maxPositions = reachOf(form.stated, ropeScaling);
  if (maxPositions * (form.dimension / 2) > MOST_ANGLES) {
    throw damaged(
      'config.json',
      `asks for rotary angles of ${maxPositions} positions with ${form.dimension / 2} frequencies each: expected at most ${MOST_ANGLES} in all`,
    );
  }
  return { ropeTheta, ...(ropeScaling === undefined ? {} : { ropeScaling }), maxPositions };
}

function reachOf(stated: number, scaling: RopeScaling | undefined): number {
  if (scaling?.type === 'yarn') return Math.max(stated, Math.round(scaling.factor * scaling.originalPositions));
  if (scaling?.type === 'longrope') return Math.min(stated, scaling.originalPositions);
  return stated;
}

/** One set of parameters, or those of full attention where there is one for each type of layers. */
function ropeOf(raw: RawConfig, isByLayerType: boolean): RawConfig {
  const rope = record(raw.rope_scaling ?? raw.rope_parameters);
  const nested = Object.entries(rope).filter(([, value]) => typeof value === 'object' && value !== null);
  const types = nested.flatMap(([key, value]) => (Array.isArray(value) ? [] : [key]));
  if (types.length === 0) return rope;
  const known = ['full_attention', 'sliding_attention'];
  if (!isByLayerType || types.some((type) => !known.includes(type))) {
    throw unsupported(
      `rotary parameters for each type of layers (${types.join(', ')})`,
      'one set of them for this model_type',
    );
  }
  return record(rope.full_attention);
}

/** What the fields of a scaling are read from. */
interface ScalingFields {
  readonly rope: RawConfig;
  /** As `max_position_embeddings` states them. */
  readonly stated: number;
  readonly dimension: number;
  readonly theta: number;
  /** A positive number; without a fallback the field must be there. */
  readonly number: (key: string, fallback?: number) => number;
  /** `original_max_position_embeddings`, of the scaling or of the model. */
  readonly original: () => number;
}

function parseScaling(
  rope: RawConfig,
  raw: RawConfig,
  { stated, dimension }: RotaryForm,
  theta: number,
): RopeScaling | undefined {
  const type: unknown = rope.rope_type ?? rope.type ?? 'default';
  const key = 'rope original_max_position_embeddings';
  const fields: ScalingFields = {
    rope,
    stated,
    dimension,
    theta,
    number: (name, fallback) => positive(`rope ${name}`, rope[name] ?? fallback),
    original: () =>
      size({ [key]: raw.original_max_position_embeddings ?? rope.original_max_position_embeddings }, key, stated),
  };
  switch (type) {
    case 'default':
      return undefined;
    case 'linear':
    case 'dynamic':
      return { type, factor: atLeastOne(fields.number('factor')) };
    case 'llama3':
      return llama3Scaling(fields);
    case 'yarn':
      return yarnScaling(fields);
    case 'su': // as Phi-3 called it first
    case 'longrope':
      return longropeScaling(fields);
    default:
      throw unsupported(
        `rotary embedding of type ${shown(type)}`,
        'default, linear, dynamic, llama3, yarn and longrope',
      );
  }
}

function atLeastOne(factor: number): number {
  if (factor >= 1) return factor;
  throw damaged('config.json', `has rope factor ${factor}: expected at least 1`);
}

function llama3Scaling({ number, original }: ScalingFields): RopeScaling {
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

function yarnScaling({ rope, stated, theta, number, original }: ScalingFields): RopeScaling {
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

function longropeScaling({ rope, stated, dimension, number, original }: ScalingFields): RopeScaling {
  const originalPositions = original();
  const factor = number('factor', stated / originalPositions);
  // Section 3.3 of https://arxiv.org/abs/2402.13753.
  const suggested = factor <= 1 ? 1 : Math.sqrt(1 + Math.log(factor) / Math.log(originalPositions));
  return {
    type: 'longrope',
    shortFactors: factors(rope.short_factor, dimension / 2),
    originalPositions,
    attentionFactor: number('attention_factor', suggested),
  };
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
    case 'longrope':
      return {
        rope_type: 'longrope',
        short_factor: scaling.shortFactors,
        long_factor: scaling.shortFactors,
        original_max_position_embeddings: scaling.originalPositions,
        attention_factor: scaling.attentionFactor,
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

function factors(value: unknown, count: number): readonly number[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  if (list.length !== count)
    throw damaged('config.json', `has rope short_factor ${shown(value)}: expected ${count} numbers`);
  return list.map((factor) => positive('rope short_factor', factor));
}

function record(value: unknown): RawConfig {
  if (value === undefined || value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as RawConfig;
  throw damaged('config.json', `has rope parameters ${shown(value)}: expected an object`);
}
