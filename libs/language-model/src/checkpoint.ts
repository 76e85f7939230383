/**
 * Model folders as Hugging Face publishes them: config.json, model.safetensors (or shards with
 * model.safetensors.index.json) and, where present, generation_config.json. Three families are read: Llama, Qwen2 and Qwen3.
 * What the engine does not compute (scaled rotary embeddings, sliding windows, other activations) is refused by name
 * instead of being computed wrongly.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson, SeamError, sha256 } from '@seamstream/kernel';
import { tensorParts } from './adapter.js';
import type { ModelConfig, ModelFamily } from './model-config.types.js';
import { encodeSafetensors, readSafetensors, readSafetensorsHeader, type StoredTensor } from './safetensors.js';
import type { TokenizerJson } from './tokenizer.js';

export interface GenerationDefaults {
  /** Ids that end a text; never empty in a folder written by {@link saveCheckpoint}. */
  readonly eosTokenIds: readonly number[];
  readonly bosTokenId?: number;
  readonly padTokenId?: number;
}

export interface Checkpoint {
  readonly folder: string;
  readonly config: ModelConfig;
  /** Hugging Face's names; `lm_head.weight` is absent where the head is tied to the embedding. */
  readonly tensors: ReadonlyMap<string, StoredTensor>;
  /** SHA-256 over the configuration and, sorted by name, each tensor's name, shape and little-endian f32 bytes. */
  readonly digest: string;
  readonly generation: GenerationDefaults;
}

const ARCHITECTURES: Readonly<Record<string, ModelFamily>> = { llama: 'llama', qwen2: 'qwen2', qwen3: 'qwen3' };

/**
 * Reads a model folder into 32-bit floats.
 * @throws CHECKPOINT_INVALID naming file and tensor where files are missing, damaged or do not fit together;
 * UNSUPPORTED_MODEL where config.json asks for something that is not computed.
 */
export async function loadCheckpoint(folder: string): Promise<Checkpoint> {
  const raw = await readJson(folder, 'config.json');
  if (raw === undefined) throw damaged('config.json', `is missing in ${folder}`);
  const config = parseModelConfig(raw);
  const shapes = checkpointShapes(config);
  const tensors = new Map<string, StoredTensor>();
  for (const [file, names] of await weightFiles(folder)) {
    const read = (await readSafetensors(join(folder, file))).tensors;
    for (const name of names ?? read.keys()) {
      const tensor = read.get(name);
      if (tensor === undefined) throw damaged(file, `lacks tensor ${name}, which the index says it holds`, name);
      if (isIgnored(name, config)) continue;
      const shape = shapes.get(name);
      if (shape === undefined)
        throw damaged(file, `holds tensor ${name}, which a ${config.family} model does not have`, name);
      if (shape.length !== tensor.shape.length || shape.some((size, axis) => size !== tensor.shape[axis])) {
        throw damaged(
          file,
          `holds tensor ${name} of shape [${tensor.shape.join(', ')}], config.json asks for [${shape.join(', ')}]`,
          name,
        );
      }
      tensors.set(name, tensor);
    }
  }
  for (const name of shapes.keys()) {
    if (!tensors.has(name)) throw damaged('model.safetensors', `lacks tensor ${name}`, name);
  }
  const generation = parseGeneration({ ...raw, ...((await readJson(folder, 'generation_config.json')) ?? {}) });
  return { folder, config, tensors, digest: modelDigest(config, tensors), generation };
}

/** See {@link Checkpoint.digest}. */
export function modelDigest(config: ModelConfig, tensors: ReadonlyMap<string, StoredTensor>): string {
  return sha256(canonicalJson(config), ...tensorParts(tensors));
}

/**
 * Writes a folder that {@link loadCheckpoint} and transformers read: config.json, model.safetensors (f32) and, when given,
 * tokenizer.json. The weights are renamed into place last, so that an interrupted call leaves no half model.
 * @throws SHAPE_MISMATCH where a tensor does not fit the configuration.
 */
export async function saveCheckpoint(
  folder: string,
  model: Pick<Checkpoint, 'config' | 'tensors' | 'generation'> & { readonly tokenizer?: TokenizerJson },
): Promise<void> {
  const shapes = checkpointShapes(model.config);
  for (const name of new Set([...shapes.keys(), ...model.tensors.keys()])) {
    const wanted = shapes.get(name)?.join(', ');
    const got = model.tensors.get(name)?.shape.join(', ');
    if (wanted !== got) {
      throw new SeamError(
        'SHAPE_MISMATCH',
        `Writing a checkpoint: tensor ${name} should be ${wanted === undefined ? 'absent' : `[${wanted}]`} and is ${got === undefined ? 'absent' : `[${got}]`}.`,
      );
    }
  }
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'config.json'),
    `${JSON.stringify(huggingFaceConfig(model.config, model.generation), null, 2)}\n`,
  );
  if (model.tokenizer !== undefined) await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(model.tokenizer));
  const weights = join(folder, 'model.safetensors');
  await writeFile(`${weights}.partial`, encodeSafetensors(model.tensors, { format: 'pt' }));
  await rename(`${weights}.partial`, weights);
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

type RawConfig = Readonly<Record<string, unknown>>;

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

function huggingFaceConfig(config: ModelConfig, generation: GenerationDefaults): RawConfig {
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

function parseGeneration(raw: RawConfig): GenerationDefaults {
  const id = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;
  const eos = (Array.isArray(raw.eos_token_id) ? raw.eos_token_id : [raw.eos_token_id]).filter(id);
  return {
    eosTokenIds: eos,
    ...(id(raw.bos_token_id) ? { bosTokenId: raw.bos_token_id } : {}),
    ...(id(raw.pad_token_id) ? { padTokenId: raw.pad_token_id } : {}),
  };
}

/** Files with the tensors to take from each; null: all. A file of the index cannot point outside the folder. */
async function weightFiles(folder: string): Promise<Map<string, string[] | null>> {
  const index = await readJson(folder, 'model.safetensors.index.json');
  if (index === undefined) return new Map([['model.safetensors', null]]);
  const weightMap = index.weight_map;
  if (typeof weightMap !== 'object' || weightMap === null)
    throw damaged('model.safetensors.index.json', 'has no weight_map');
  const files = new Map<string, string[]>();
  for (const [name, file] of Object.entries(weightMap)) {
    if (typeof file !== 'string' || !/^[\w.-]+\.safetensors$/.test(file)) {
      throw damaged(
        'model.safetensors.index.json',
        `places tensor ${name} in ${JSON.stringify(file)}, not in a .safetensors file of the folder`,
        name,
      );
    }
    files.set(file, [...(files.get(file) ?? []), name]);
  }
  // All headers first: a missing shard is found before the others are read.
  for (const file of files.keys()) await readSafetensorsHeader(join(folder, file));
  return files;
}

/** Old exports carry the rotary frequencies, and some repeat the tied head; both follow from the rest. */
function isIgnored(name: string, config: ModelConfig): boolean {
  return name.endsWith('.rotary_emb.inv_freq') || (config.tieWordEmbeddings && name === 'lm_head.weight');
}

async function readJson(folder: string, file: string): Promise<RawConfig | undefined> {
  let text: string;
  try {
    text = await readFile(join(folder, file), 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw damaged(file, `cannot be read in ${folder}`, undefined, cause);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw damaged(file, 'is not JSON', undefined, cause);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw damaged(file, 'is not a JSON object');
  return value as RawConfig;
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

function damaged(file: string, problem: string, tensor?: string, cause?: unknown): SeamError {
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
