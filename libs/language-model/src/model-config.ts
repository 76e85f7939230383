/**
 * config.json and generation_config.json as Hugging Face publishes them, read into what the engine computes and written back.
 * What it does not compute (sliding windows, other activations, quantized weights) is refused by name instead of being
 * computed wrongly. Defaults and the meaning of fields are those of transformers 5.23.
 */
import { damaged, positive, type RawConfig, size, unsupported } from './config-fields.js';
import type { ModelConfig, ModelFamily } from './model-config.types.js';
import { parseRotary, ropeParameters } from './rotary-config.js';

export { damaged, type RawConfig };

export interface GenerationDefaults {
  /** Ids that end a text; never empty in a folder written by {@link saveCheckpoint}. */
  readonly eosTokenIds: readonly number[];
  readonly bosTokenId?: number;
  readonly padTokenId?: number;
}

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
    if (config.outputBias) set('self_attn.o_proj.bias', [D]);
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
  refuseUncomputed(raw);
  const heads = size(raw, 'num_attention_heads');
  const hiddenSize = size(raw, 'hidden_size');
  const { ropeTheta, ropeScaling, maxPositions } = parseRotary(
    raw,
    size(raw, 'max_position_embeddings', family === 'llama' ? 2048 : 32768),
  );
  const config: ModelConfig = {
    family,
    vocabularySize: size(raw, 'vocab_size'),
    hiddenSize,
    layers: size(raw, 'num_hidden_layers'),
    heads,
    keyValueHeads: size(raw, 'num_key_value_heads', heads),
    headDimension: size(raw, 'head_dim', family === 'qwen3' ? 128 : hiddenSize / heads),
    intermediateSize: size(raw, 'intermediate_size'),
    ropeTheta,
    ...(ropeScaling === undefined ? {} : { ropeScaling }),
    rmsNormEpsilon: positive('rms_norm_eps', raw.rms_norm_eps ?? 1e-6),
    tieWordEmbeddings: raw.tie_word_embeddings === true,
    // Qwen2 has a bias on q, k and v, always; attention_bias gives the others one on q, k, v and o.
    attentionBias: family === 'qwen2' || raw.attention_bias === true,
    ...(family !== 'qwen2' && raw.attention_bias === true ? { outputBias: true } : {}),
    queryKeyNorm: family === 'qwen3',
    maxPositions,
  };
  if (config.headDimension % 2 !== 0)
    throw damaged('config.json', `has head_dim ${config.headDimension}: rotary embeddings need an even one`);
  if (heads % config.keyValueHeads !== 0) {
    throw damaged(
      'config.json',
      `has ${heads} query heads and ${config.keyValueHeads} key-value heads: the second must divide the first`,
    );
  }
  return config;
}

function refuseUncomputed(raw: RawConfig): void {
  const activation = raw.hidden_act ?? 'silu';
  if (activation !== 'silu' && activation !== 'swish')
    throw unsupported(`hidden_act ${JSON.stringify(activation)}`, 'silu');
  if (raw.mlp_bias === true) throw unsupported('mlp_bias', 'feed-forward layers without a bias');
  if ((raw.partial_rotary_factor ?? 1) !== 1) {
    throw unsupported(
      `partial_rotary_factor ${JSON.stringify(raw.partial_rotary_factor)}`,
      'rotary embeddings of whole heads',
    );
  }
  // sliding_window alone says nothing: Qwen publishes it beside "use_sliding_window": false.
  if (raw.use_sliding_window === true) {
    throw unsupported(
      `use_sliding_window (of ${JSON.stringify(raw.sliding_window ?? null)} tokens)`,
      'full attention in every layer: set "use_sliding_window": false if that is what you want',
    );
  }
  const layerTypes: readonly unknown[] = Array.isArray(raw.layer_types) ? raw.layer_types : [];
  const other = layerTypes.find((type) => type !== 'full_attention');
  if (other !== undefined)
    throw unsupported(`layer_types with ${JSON.stringify(other)}`, 'full_attention in every layer');
  if (raw.quantization_config !== undefined && raw.quantization_config !== null) {
    const method = (raw.quantization_config as RawConfig).quant_method;
    throw unsupported(
      `quantized weights (quantization_config, ${JSON.stringify(method)})`,
      'weights stored as float32, float16 or bfloat16; most quantized models are published in one of these too',
    );
  }
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
    ...(config.ropeScaling === undefined ? {} : { rope_scaling: ropeParameters(config.ropeScaling) }),
    ...(config.outputBias ? { attention_bias: true } : {}),
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
