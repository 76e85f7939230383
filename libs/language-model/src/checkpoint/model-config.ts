/**
 * config.json and generation_config.json as Hugging Face publishes them, read into what the engine computes and written back.
 * What it does not compute (sliding windows, other activations, quantized weights) is refused by name instead of being
 * computed wrongly. Defaults and the meaning of fields are those of transformers 5.23.
 */
import { damaged, positive, type RawConfig, shown, size, unsupported } from '@seamstream/model-files';
import type { ModelConfig } from './model-config.types.js';
import { FAMILIES, type FamilyForm, LOCAL, modelTypeOf } from './model-families.js';
import { parseRotary, ropeParameters } from './rotary-config.js';

export { damaged, type RawConfig };

export interface GenerationDefaults {
  /** Ids that end a text; never empty in a folder written by {@link saveCheckpoint}. */
  readonly eosTokenIds: readonly number[];
  readonly bosTokenId?: number;
  readonly padTokenId?: number;
}

/** Every tensor of a checkpoint by Hugging Face's name, with its shape; a linear layer's weight is [out, in]. */
export function checkpointShapes(config: ModelConfig): Map<string, readonly number[]> {
  const { hiddenSize: D, vocabularySize: V, heads, keyValueHeads, headDimension, intermediateSize: F } = config;
  const shapes = new Map<string, readonly number[]>([['model.embed_tokens.weight', [V, D]]]);
  const [queries, keys] = [heads * headDimension, keyValueHeads * headDimension];
  for (let layer = 0; layer < config.layers; layer++) {
    const set = (name: string, shape: readonly number[]) => shapes.set(`model.layers.${layer}.${name}`, shape);
    set('input_layernorm.weight', [D]);
    set('post_attention_layernorm.weight', [D]);
    if (config.sandwichNorms) {
      set('pre_feedforward_layernorm.weight', [D]);
      set('post_feedforward_layernorm.weight', [D]);
    }
    if (config.fusedProjections) {
      set('self_attn.qkv_proj.weight', [queries + 2 * keys, D]);
    } else {
      set('self_attn.q_proj.weight', [queries, D]);
      set('self_attn.k_proj.weight', [keys, D]);
      set('self_attn.v_proj.weight', [keys, D]);
    }
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
    if (config.fusedProjections) {
      set('mlp.gate_up_proj.weight', [2 * F, D]);
    } else {
      set('mlp.gate_proj.weight', [F, D]);
      set('mlp.up_proj.weight', [F, D]);
    }
    set('mlp.down_proj.weight', [D, F]);
  }
  shapes.set('model.norm.weight', [D]);
  if (!config.tieWordEmbeddings) shapes.set('lm_head.weight', [V, D]);
  return shapes;
}

/**
 * A config.json as the engine understands it; defaults are those of transformers' class for its `model_type`.
 * @throws UNSUPPORTED_MODEL, CHECKPOINT_INVALID
 */
export function parseModelConfig(raw: RawConfig): ModelConfig {
  const form = Object.hasOwn(FAMILIES, String(raw.model_type)) ? FAMILIES[String(raw.model_type)] : undefined;
  if (form === undefined) {
    throw unsupported(`model_type ${shown(raw.model_type)}`, `one of ${Object.keys(FAMILIES).join(', ')}`);
  }
  refuseUncomputed(raw, form);
  const { family } = form;
  const heads = size(raw, 'num_attention_heads');
  const hiddenSize = size(raw, 'hidden_size');
  const layers = size(raw, 'num_hidden_layers');
  const headDimension = size(raw, 'head_dim', form.headDimension ?? hiddenSize / heads);
  // null is not what is left out: it means as many as there are query heads.
  const keyValueHeads = raw.num_key_value_heads === null ? heads : (form.keyValueHeads ?? heads);
  const options = form.options?.(raw, { layers, heads, hiddenSize, headDimension }) ?? {};
  const rotary = parseRotary(raw, {
    stated: size(raw, 'max_position_embeddings', form.maxPositions),
    theta: form.ropeTheta,
    dimension: options.rotaryDimension ?? headDimension,
    isByLayerType: family === 'gemma3',
  });
  const hasBias = form.attentionBias === 'by config' && raw.attention_bias === true;
  const config: ModelConfig = {
    family,
    vocabularySize: size(raw, 'vocab_size'),
    hiddenSize,
    layers,
    heads,
    keyValueHeads: size(raw, 'num_key_value_heads', keyValueHeads),
    headDimension,
    intermediateSize: size(raw, 'intermediate_size'),
    ...rotary,
    rmsNormEpsilon: positive('rms_norm_eps', raw.rms_norm_eps ?? form.rmsNormEpsilon),
    tieWordEmbeddings: (raw.tie_word_embeddings ?? form.isTied) === true,
    attentionBias: form.attentionBias === 'always' || hasBias,
    ...(hasBias ? { outputBias: true } : {}),
    queryKeyNorm: form.hasQueryKeyNorm,
    ...options,
    maxPositions: Math.min(rotary.maxPositions, options.maxPositions ?? rotary.maxPositions),
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

function refuseUncomputed(raw: RawConfig, { family, activation: { field, names }, attentionBias }: FamilyForm): void {
  const activation = raw[field] ?? names[0]!;
  if (!names.includes(activation as string)) throw unsupported(`${field} ${shown(activation)}`, names[0]!);
  if (raw.mlp_bias === true) throw unsupported('mlp_bias', 'feed-forward layers without a bias');
  if (attentionBias === 'never' && raw.attention_bias === true)
    throw unsupported('attention_bias', `a ${family} model without one, as transformers does`);
  const partial = raw.partial_rotary_factor ?? (raw.rope_scaling as RawConfig | null)?.partial_rotary_factor;
  const inRope = (raw.rope_parameters as RawConfig | null | undefined)?.partial_rotary_factor;
  if (family !== 'phi3' && (partial ?? inRope ?? 1) !== 1)
    throw unsupported(`partial_rotary_factor ${shown(partial ?? inRope)}`, 'rotary embeddings of whole heads');
  // sliding_window alone says nothing: Qwen publishes it next to "use_sliding_window": false.
  if (raw.use_sliding_window === true) {
    throw unsupported(
      `use_sliding_window (of ${shown(raw.sliding_window ?? null)} tokens)`,
      'full attention in every layer: set "use_sliding_window": false if that is what you want',
    );
  }
  const layerTypes: readonly unknown[] = Array.isArray(raw.layer_types) ? raw.layer_types : [];
  const mayBeLocal = family === 'gemma2' || family === 'gemma3';
  const other = layerTypes.find((type) => type !== 'full_attention' && !(mayBeLocal && type === LOCAL));
  if (other !== undefined) throw unsupported(`layer_types with ${shown(other)}`, 'full_attention in every layer');
  const quantization = raw.quantization_config;
  if (quantization !== undefined && quantization !== null) {
    throw unsupported(
      `quantized weights (quantization_config, ${quantizationMethod(quantization as RawConfig)})`,
      'weights stored as float32, float16 or bfloat16; most quantized models are published in one of these too',
    );
  }
}

/** bitsandbytes' older files have no quant_method, only its arguments. */
function quantizationMethod(quantization: RawConfig): string {
  if (quantization.quant_method !== undefined) return shown(quantization.quant_method);
  if (quantization.load_in_4bit === true) return '"bitsandbytes" in 4 bits';
  if (quantization.load_in_8bit === true) return '"bitsandbytes" in 8 bits';
  return `of no named method, with ${shown(Object.keys(quantization).join(', '))}`;
}

/** The config.json that {@link parseModelConfig} and transformers read. */
export function huggingFaceConfig(config: ModelConfig, generation: GenerationDefaults): RawConfig {
  const [onlyEos] = generation.eosTokenIds;
  const modelType = modelTypeOf(config.family);
  const { architecture, activation } = FAMILIES[modelType]!;
  return {
    architectures: [architecture],
    model_type: modelType,
    vocab_size: config.vocabularySize,
    hidden_size: config.hiddenSize,
    num_hidden_layers: config.layers,
    num_attention_heads: config.heads,
    num_key_value_heads: config.keyValueHeads,
    head_dim: config.headDimension,
    intermediate_size: config.intermediateSize,
    [activation.field]: activation.names[0],
    rms_norm_eps: config.rmsNormEpsilon,
    rope_theta: config.ropeTheta,
    ...(config.ropeScaling === undefined ? {} : { rope_scaling: ropeParameters(config.ropeScaling) }),
    ...(config.outputBias ? { attention_bias: true } : {}),
    ...familyFields(config),
    max_position_embeddings: config.maxPositions,
    tie_word_embeddings: config.tieWordEmbeddings,
    eos_token_id: generation.eosTokenIds.length === 1 ? onlyEos : generation.eosTokenIds,
    ...(generation.bosTokenId === undefined ? {} : { bos_token_id: generation.bosTokenId }),
    ...(generation.padTokenId === undefined ? {} : { pad_token_id: generation.padTokenId }),
    torch_dtype: 'float32',
  };
}

/** What only some families have. Sequences end where the window would begin to hide something, so it is written as that long. */
function familyFields(config: ModelConfig): RawConfig {
  const layerList = (chosen: readonly number[], inside: unknown, outside: unknown): unknown[] =>
    Array.from({ length: config.layers }, (_, layer) => (chosen.includes(layer) ? inside : outside));
  switch (config.family) {
    case 'mistral':
      return { sliding_window: null };
    case 'smollm3':
      return { no_rope_layers: layerList(config.layersWithoutRotation ?? [], 0, 1) };
    case 'phi3':
      return {
        sliding_window: null,
        partial_rotary_factor: (config.rotaryDimension ?? config.headDimension) / config.headDimension,
        ...(config.ropeScaling?.type === 'longrope'
          ? { original_max_position_embeddings: config.ropeScaling.originalPositions }
          : {}),
      };
    case 'gemma2':
    case 'gemma3':
      return {
        sliding_window: config.maxPositions,
        // A square root's square: exact to the last figures, which the published integers do not have.
        query_pre_attn_scalar: Number((config.attentionScale! ** -2).toPrecision(12)),
        attn_logit_softcapping: config.attentionSoftcap ?? null,
        final_logit_softcapping: config.logitSoftcap ?? null,
        ...(config.localRotary === undefined
          ? { layer_types: layerList([], LOCAL, 'full_attention') }
          : {
              layer_types: layerList(config.localRotary.layers, LOCAL, 'full_attention'),
              rope_local_base_freq: config.localRotary.theta,
            }),
      };
    default:
      return {};
  }
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
