/**
 * The families of models that are read: Llama, and those that are Llama in all but a name, a list or a few options. What a
 * family's config.json leaves unsaid has the defaults of its class in transformers 5.23 (LlamaConfig, Phi3Config, …).
 *
 * Windows. Where a layer sees only the last w tokens, a sequence of up to w tokens is computed as without a window. So a
 * model with a window holds sequences of up to w tokens here, exactly, and refuses longer ones.
 */
import { positive, type RawConfig, size, unsupported } from '@seamstream/model-files';
import type { ModelConfig, ModelFamily } from './model-config.types.js';

export interface FamilyForm {
  readonly family: ModelFamily;
  /** `architectures` of a config.json that is written. */
  readonly architecture: string;
  readonly maxPositions: number;
  readonly rmsNormEpsilon: number;
  readonly ropeTheta: number;
  readonly isTied: boolean;
  /** Absent: as many as there are query heads. */
  readonly keyValueHeads?: number;
  /** Absent: the width divided by the heads. */
  readonly headDimension?: number;
  /** The field that names the activation, and the one that is computed. */
  readonly activation: { readonly field: 'hidden_act' | 'hidden_activation'; readonly names: readonly string[] };
  /** `always`: q, k and v have a bias; `by config`: q, k, v and o have one where attention_bias says so. */
  readonly attentionBias: 'always' | 'by config' | 'never';
  readonly hasQueryKeyNorm: boolean;
  /** What this family adds to Llama. */
  readonly options?: (raw: RawConfig, config: FamilySizes) => Partial<ModelConfig>;
}

/** What is known of a model before its family adds to it. */
type FamilySizes = Pick<ModelConfig, 'layers' | 'heads' | 'hiddenSize' | 'headDimension'>;

const SILU = { field: 'hidden_act', names: ['silu', 'swish'] } as const;
const GELU = { field: 'hidden_activation', names: ['gelu_pytorch_tanh'] } as const;

const LLAMA: FamilyForm = {
  family: 'llama',
  architecture: 'LlamaForCausalLM',
  maxPositions: 2048,
  rmsNormEpsilon: 1e-6,
  ropeTheta: 10000,
  isTied: false,
  activation: SILU,
  attentionBias: 'by config',
  hasQueryKeyNorm: false,
};

const GEMMA = {
  ...LLAMA,
  keyValueHeads: 4,
  headDimension: 256,
  isTied: true,
  activation: GELU,
};

/** By `model_type`. */
export const FAMILIES: Readonly<Record<string, FamilyForm>> = {
  llama: LLAMA,
  qwen2: {
    ...LLAMA,
    family: 'qwen2',
    architecture: 'Qwen2ForCausalLM',
    maxPositions: 32768,
    attentionBias: 'always',
  },
  qwen3: {
    ...LLAMA,
    family: 'qwen3',
    architecture: 'Qwen3ForCausalLM',
    maxPositions: 32768,
    headDimension: 128,
    hasQueryKeyNorm: true,
  },
  mistral: {
    ...LLAMA,
    family: 'mistral',
    architecture: 'MistralForCausalLM',
    maxPositions: 131072,
    keyValueHeads: 8,
    attentionBias: 'never',
    options: (raw) => window(raw.sliding_window === undefined ? { ...raw, sliding_window: 4096 } : raw),
  },
  smollm3: {
    ...LLAMA,
    family: 'smollm3',
    architecture: 'SmolLM3ForCausalLM',
    maxPositions: 32768,
    keyValueHeads: 4,
    ropeTheta: 2e6,
    isTied: true,
    options: layersWithoutRotation,
  },
  phi3: {
    ...LLAMA,
    family: 'phi3',
    architecture: 'Phi3ForCausalLM',
    maxPositions: 4096,
    rmsNormEpsilon: 1e-5,
    attentionBias: 'never',
    options: (raw, config) => ({ fusedProjections: true, ...partialRotation(raw, config), ...window(raw) }),
  },
  gemma2: {
    ...GEMMA,
    family: 'gemma2',
    architecture: 'Gemma2ForCausalLM',
    maxPositions: 8192,
    options: (raw, config) => ({
      ...gemma(raw, config),
      ...softcap('attentionSoftcap', 'attn_logit_softcapping', raw, 50),
      ...softcap('logitSoftcap', 'final_logit_softcapping', raw, 30),
      ...window(raw, 4096),
    }),
  },
  gemma3_text: {
    ...GEMMA,
    family: 'gemma3',
    architecture: 'Gemma3ForCausalLM',
    maxPositions: 131072,
    ropeTheta: 1e6,
    hasQueryKeyNorm: true,
    options: (raw, config) => {
      if ((raw.attn_logit_softcapping ?? null) !== null)
        throw unsupported(`attn_logit_softcapping ${JSON.stringify(raw.attn_logit_softcapping)}`, 'null for Gemma 3');
      return {
        ...gemma(raw, config),
        ...softcap('logitSoftcap', 'final_logit_softcapping', raw, null),
        ...localLayers(raw, config.layers),
      };
    },
  },
};

/** The `model_type` of a family. */
export function modelTypeOf(family: ModelFamily): string {
  return Object.entries(FAMILIES).find(([, form]) => form.family === family)![0];
}

/** Sequences as long as the window; see above. */
function window(raw: RawConfig, fallback?: number): Partial<ModelConfig> {
  if (raw.sliding_window === null || (raw.sliding_window === undefined && fallback === undefined)) return {};
  return { maxPositions: size(raw, 'sliding_window', fallback) };
}

/** SmolLM3's `no_rope_layers` has a 1 for each layer that rotates; without it every fourth layer does not. */
function layersWithoutRotation(raw: RawConfig, { layers }: FamilySizes): Partial<ModelConfig> {
  const interval = size(raw, 'no_rope_layer_interval', 4);
  const rotates: readonly unknown[] = Array.isArray(raw.no_rope_layers)
    ? (raw.no_rope_layers as readonly unknown[])
    : Array.from({ length: layers }, (_, layer) => ((layer + 1) % interval === 0 ? 0 : 1));
  const bad = rotates.findIndex((value) => value !== 0 && value !== 1);
  if (bad >= 0 || rotates.length < layers) {
    throw unsupported(
      `no_rope_layers of ${rotates.length} entries${bad < 0 ? '' : ` with ${JSON.stringify(rotates[bad])} among them`}`,
      `a 0 or a 1 for each of the ${layers} layers`,
    );
  }
  const without = rotates.slice(0, layers).flatMap((value, layer) => (value === 0 ? [layer] : []));
  return without.length > 0 ? { layersWithoutRotation: without } : {};
}

/** Phi-4-mini rotates three quarters of each head. transformers rounds down, and takes pairs. */
function partialRotation(raw: RawConfig, { headDimension }: FamilySizes): Partial<ModelConfig> {
  const rope = (raw.rope_scaling ?? raw.rope_parameters ?? {}) as RawConfig;
  const factor = positive('partial_rotary_factor', rope.partial_rotary_factor ?? raw.partial_rotary_factor ?? 1);
  const rotaryDimension = Math.floor(headDimension * factor);
  if (factor > 1 || rotaryDimension < 2 || rotaryDimension % 2 !== 0) {
    throw unsupported(
      `partial_rotary_factor ${factor} of heads of ${headDimension}`,
      'an even part of a head, of 2 dimensions or more',
    );
  }
  return rotaryDimension === headDimension ? {} : { rotaryDimension };
}

function gemma(raw: RawConfig, { hiddenSize }: FamilySizes): Partial<ModelConfig> {
  if (raw.use_bidirectional_attention === true)
    throw unsupported('use_bidirectional_attention', 'attention to what stands before a token');
  return {
    activation: 'gelu-tanh',
    normsAddOne: true,
    sandwichNorms: true,
    embeddingScale: Math.fround(Math.sqrt(hiddenSize)),
    attentionScale: positive('query_pre_attn_scalar', raw.query_pre_attn_scalar ?? 256) ** -0.5,
  };
}

function softcap(
  key: 'attentionSoftcap' | 'logitSoftcap',
  field: string,
  raw: RawConfig,
  fallback: number | null,
): Partial<ModelConfig> {
  const value = raw[field] === undefined ? fallback : raw[field];
  return value === null ? {} : { [key]: positive(field, value) };
}

/** Gemma 3: layers with a window have a separate rotary embedding, five of six where the file does not say which. */
function localLayers(raw: RawConfig, layers: number): Partial<ModelConfig> {
  const pattern = size(raw, 'sliding_window_pattern', 6);
  const types: readonly unknown[] = Array.isArray(raw.layer_types)
    ? (raw.layer_types as readonly unknown[])
    : Array.from({ length: layers }, (_, layer) => ((layer + 1) % pattern === 0 ? 'full_attention' : LOCAL));
  if (types.length !== layers) throw unsupported(`layer_types of ${types.length} entries`, `${layers}, one a layer`);
  const local = types.flatMap((type, layer) => (type === LOCAL ? [layer] : []));
  if (local.length === 0) return {};
  const nested = (raw.rope_parameters as RawConfig | null | undefined)?.[LOCAL] as RawConfig | null | undefined;
  const type: unknown = nested?.rope_type ?? 'default';
  if (type !== 'default') throw unsupported(`rope_parameters of ${LOCAL} with type ${JSON.stringify(type)}`, 'default');
  const theta = positive('rope_local_base_freq', nested?.rope_theta ?? raw.rope_local_base_freq ?? 10000);
  return { localRotary: { theta, layers: local }, ...window(raw, 4096) };
}

/** How config.json calls a layer with a window. */
export const LOCAL = 'sliding_attention';
