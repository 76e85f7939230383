/**
 * config.json and generation_config.json as Hugging Face publishes them, read into what the engine computes and written back.
 * What it does not compute (scaled rotary embeddings, sliding windows, other activations) is refused by name instead of
 * being computed wrongly.
 */
import { SeamError } from '@seamstream/kernel';
import type { ModelConfig, ModelFamily } from './model-config.types.js';

export interface GenerationDefaults {
  /** Ids that end a text; never empty in a folder written by {@link saveCheckpoint}. */
  readonly eosTokenIds: readonly number[];
  readonly bosTokenId?: number;
  readonly padTokenId?: number;
}

/** A JSON object that was read from a file: nothing about it is certain. */
export type RawConfig = Readonly<Record<string, unknown>>;

const ARCHITECTURES: Readonly<Record<string, ModelFamily>> = { llama: 'llama', qwen2: 'qwen2', qwen3: 'qwen3' };

/** Every tensor of a checkpoint by Hugging Face's name, with its shape; a linear layer's weight is [out, in]. */
export function checkpointShapes(config: ModelConfig): Map<string, readonly number[]> {
  const { hiddenSize: D, vocabularySize: V, heads, keyValueHeads, headDimension, intermediateSize: F } = config;
  const shapes = new Map<string, readonly number[]>([['model.embed_tokens.weight', [V, D]]]);
  const [queries, keys] = [heads * headDimension, keyValueHeads * headDimension];
  for (let layer = 0; layer < config.layers; layer++) {
    const set = (name: string, shape: readonly number[]) => shapes.set(`model.layers.${layer}.${name}`, shape);
    set('input_layernorm.weight', [D]);
    set('post_attention_layernorm.weight', [D]);
    set('self_attn.q_proj.weight', [queries, D]);
    set('self_attn.k_proj.weight', [keys, D]);
    set('self_attn.v_proj.weight', [keys, D]);
    set('self_attn.o_proj.weight', [D, queries]);
    if (config.attentionBias) {
      set('self_attn.q_proj.bias', [queries]);
      set('self_attn.k_proj.bias', [keys]);
      set('self_attn.v_proj.bias', [keys]);
    }
    if (config.queryKeyNorm) {
      set('self_attn.q_norm.weight', [headDimension]);
      set('self_attn.k_norm.weight', [headDimension]);
    }
    set('mlp.gate_proj.weight', [F, D]);
    set('mlp.up_proj.weight', [F, D]);
    set('mlp.down_proj.weight', [D, F]);
  }
  shapes.set('model.norm.weight', [D]);
  if (!config.tieWordEmbeddings) shapes.set('lm_head.weight', [V, D]);
  return shapes;
}

/**
 * A config.json as the engine understands it; defaults are those of transformers' LlamaConfig, Qwen2Config, Qwen3Config.
 * @throws UNSUPPORTED_MODEL, CHECKPOINT_INVALID
 */
export function parseModelConfig(raw: RawConfig): ModelConfig {
  const family = ARCHITECTURES[String(raw.model_type)];
  if (family === undefined) {
    throw unsupported(
      `model_type ${JSON.stringify(raw.model_type)}`,
      `one of ${Object.keys(ARCHITECTURES).join(', ')}`,
    );
  }
  const rope = (raw.rope_parameters ?? raw.rope_scaling ?? {}) as RawConfig;
  const ropeType = rope.rope_type ?? rope.type ?? 'default';
  if (ropeType !== 'default') throw unsupported(`rotary embedding of type ${JSON.stringify(ropeType)}`, 'no scaling');
  if (raw.use_sliding_window === true) throw unsupported('use_sliding_window', 'full attention');
  if ((raw.hidden_act ?? 'silu') !== 'silu') throw unsupported(`hidden_act ${JSON.stringify(raw.hidden_act)}`, 'silu');
  if (raw.mlp_bias === true) throw unsupported('mlp_bias', 'linear layers without a bias');
  // transformers gives o_proj a bias too where attention_bias is set; Qwen2 has one on q, k and v only, and no such key.
  if (raw.attention_bias === true) throw unsupported('attention_bias', 'linear layers without a bias');
  const heads = size(raw, 'num_attention_heads');
  const hiddenSize = size(raw, 'hidden_size');
  const config: ModelConfig = {
    family,
    vocabularySize: size(raw, 'vocab_size'),
    hiddenSize,
    layers: size(raw, 'num_hidden_layers'),
    heads,
    keyValueHeads: size(raw, 'num_key_value_heads', heads),
    headDimension: size(raw, 'head_dim', family === 'qwen3' ? 128 : hiddenSize / heads),
    intermediateSize: size(raw, 'intermediate_size'),
    ropeTheta: positive('rope_theta', rope.rope_theta ?? raw.rope_theta ?? 10000),
    rmsNormEpsilon: positive('rms_norm_eps', raw.rms_norm_eps ?? 1e-6),
    tieWordEmbeddings: raw.tie_word_embeddings === true,
    attentionBias: family === 'qwen2',
    queryKeyNorm: family === 'qwen3',
    maxPositions: size(raw, 'max_position_embeddings', 2048),
  };
  if (heads % config.keyValueHeads !== 0) {
    throw damaged(
      'config.json',
      `has ${heads} query heads and ${config.keyValueHeads} key-value heads: the second must divide the first`,
    );
  }
  return config;
}

/** The config.json that {@link parseModelConfig} and transformers read. */
export function huggingFaceConfig(config: ModelConfig, generation: GenerationDefaults): RawConfig {
  const architecture = { llama: 'LlamaForCausalLM', qwen2: 'Qwen2ForCausalLM', qwen3: 'Qwen3ForCausalLM' }[
    config.family
  ];
  const [onlyEos] = generation.eosTokenIds;
  return {
    architectures: [architecture],
    model_type: config.family,
    vocab_size: config.vocabularySize,
    hidden_size: config.hiddenSize,
    num_hidden_layers: config.layers,
    num_attention_heads: config.heads,
    num_key_value_heads: config.keyValueHeads,
    head_dim: config.headDimension,
    intermediate_size: config.intermediateSize,
    hidden_act: 'silu',
    rms_norm_eps: config.rmsNormEpsilon,
    rope_theta: config.ropeTheta,
    max_position_embeddings: config.maxPositions,
    tie_word_embeddings: config.tieWordEmbeddings,
    eos_token_id: generation.eosTokenIds.length === 1 ? onlyEos : generation.eosTokenIds,
    ...(generation.bosTokenId === undefined ? {} : { bos_token_id: generation.bosTokenId }),
    ...(generation.padTokenId === undefined ? {} : { pad_token_id: generation.padTokenId }),
    torch_dtype: 'float32',
  };
}

/** Where texts begin and end, from the merged fields of config.json and generation_config.json. */
export function parseGeneration(raw: RawConfig): GenerationDefaults {
  const id = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;
  const eos = (Array.isArray(raw.eos_token_id) ? raw.eos_token_id : [raw.eos_token_id]).filter(id);
  return {
    eosTokenIds: eos,
    ...(id(raw.bos_token_id) ? { bosTokenId: raw.bos_token_id } : {}),
    ...(id(raw.pad_token_id) ? { padTokenId: raw.pad_token_id } : {}),
  };
}

function size(raw: RawConfig, key: string, fallback?: number): number {
  const value = raw[key] ?? fallback;
  if (!Number.isInteger(value) || (value as number) < 1)
    throw damaged('config.json', `has ${key} ${JSON.stringify(value)}: expected a positive integer`);
  return value as number;
}

function positive(key: string, value: unknown): number {
  if (typeof value !== 'number' || !(value > 0))
    throw damaged('config.json', `has ${key} ${JSON.stringify(value)}: expected a positive number`);
  return value;
}

/** A file of a model folder that is missing, damaged or does not fit the others. */
export function damaged(file: string, problem: string, tensor?: string, cause?: unknown): SeamError {
  return new SeamError('CHECKPOINT_INVALID', `Loading a checkpoint: ${file} ${problem}.`, {
    details: { file, ...(tensor === undefined ? {} : { tensor }) },
    ...(cause === undefined ? {} : { cause }),
  });
}

function unsupported(what: string, expected: string): SeamError {
  return new SeamError(
    'UNSUPPORTED_MODEL',
    `Loading a checkpoint: config.json asks for ${what}; this engine computes ${expected}. Choose another model.`,
  );
}
