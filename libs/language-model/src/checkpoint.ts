/**
 * Model folders as Hugging Face publishes them: config.json, model.safetensors (or shards with
 * model.safetensors.index.json) and, where present, generation_config.json. Three families are read: Llama, Qwen2 and Qwen3.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson, SeamError, sha256 } from '@seamstream/kernel';
import { tensorParts } from './adapter.js';
import {
  checkpointShapes,
  damaged,
  type GenerationDefaults,
  huggingFaceConfig,
  parseGeneration,
  parseModelConfig,
  type RawConfig,
} from './model-config.js';
import type { ModelConfig } from './model-config.types.js';
import { encodeSafetensors, readSafetensors, readSafetensorsHeader, type StoredTensor } from './safetensors.js';
import type { TokenizerJson } from './tokenizer.js';

export interface Checkpoint {
  readonly folder: string;
  readonly config: ModelConfig;
  /** Hugging Face's names; `lm_head.weight` is absent where the head is tied to the embedding. */
  readonly tensors: ReadonlyMap<string, StoredTensor>;
  /** SHA-256 over the configuration and, sorted by name, each tensor's name, shape and little-endian f32 bytes. */
  readonly digest: string;
  readonly generation: GenerationDefaults;
}

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
