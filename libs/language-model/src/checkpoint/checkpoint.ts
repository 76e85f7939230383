/**
 * Model folders as Hugging Face publishes them: config.json, model.safetensors (or shards with
 * model.safetensors.index.json) and, where present, generation_config.json. model-families.ts has the families that are read.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson, compareText, isSeamError, SeamError } from '@seamstream/kernel';
import {
  encodeSafetensors,
  readSafetensorsHeader,
  readTensor,
  type StoredTensor,
  type TensorLocation,
  tensorBytes,
} from '@seamstream/model-files';
import type { TokenizerJson } from '@seamstream/tokenizer';
import { tensorHeading } from '../adapters/adapter.js';
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

/** A tensor of a checkpoint where it lies: its bytes are read when they are asked for, or mapped by the runtime. */
export interface StoredWeight extends TensorLocation {
  /** Path of its file, links resolved. */
  readonly file: string;
}

export interface Checkpoint {
  readonly folder: string;
  /** What is computed: a config.json that ties a head which the files hold apart says otherwise. */
  readonly config: ModelConfig;
  /** Hugging Face's names; `lm_head.weight` is absent where the head is tied to the embedding. */
  readonly weights: ReadonlyMap<string, StoredWeight>;
  readonly generation: GenerationDefaults;
}

export interface DigestedCheckpoint extends Checkpoint {
  /** See {@link checkpointDigest}. */
  readonly digest: string;
}

const HEAD = 'lm_head.weight';
const EMBEDDING = 'model.embed_tokens.weight';

/**
 * Reads what a model folder says of itself. No weight is read, but where config.json ties the head to the embedding and the
 * files have a head all the same: then both are compared, and a separate head is taken from the file, as transformers 5 does.
 * @throws CHECKPOINT_INVALID naming file and tensor where files are missing, damaged or do not fit together;
 * UNSUPPORTED_MODEL where config.json asks for something that is not computed.
 */
export async function openCheckpoint(folder: string): Promise<Checkpoint> {
  const raw = await readJson(folder, 'config.json');
  if (raw === undefined) {
    throw damaged(
      'config.json',
      `is missing in ${folder}: expected a model folder as Hugging Face publishes it${await otherFormat(folder)}`,
    );
  }
  const config = parseModelConfig(raw);
  const generation = parseGeneration({ ...raw, ...((await readJson(folder, 'generation_config.json')) ?? {}) });
  const untied = { ...config, tieWordEmbeddings: false };
  const found = await findWeights(folder, untied);
  const [embedding, head] = [found.get(EMBEDDING), found.get(HEAD)];
  const isTied = config.tieWordEmbeddings && !(embedding && head && !(await isSameTensor(embedding, head)));
  if (isTied) found.delete(HEAD);
  for (const name of checkpointShapes(isTied ? config : untied).keys()) {
    if (!found.has(name)) throw damaged('model.safetensors', `lacks tensor ${name}`, name);
  }
  return { folder, config: isTied ? config : untied, weights: found, generation };
}

/** Every tensor of the folder's files that the model has, where it lies. */
async function findWeights(folder: string, config: ModelConfig): Promise<Map<string, StoredWeight>> {
  const shapes = checkpointShapes(config);
  const weights = new Map<string, StoredWeight>();
  for (const [file, names] of await weightFiles(folder)) {
    const { locations } = await readSafetensorsHeader(join(folder, file));
    const path = await realpath(join(folder, file));
    for (const name of names ?? locations.keys()) {
      const location = locations.get(name);
      if (location === undefined) throw damaged(file, `lacks tensor ${name}, which the index says it holds`, name);
      // Old exports carry the rotary frequencies, which follow from config.json.
      if (name.endsWith('.rotary_emb.inv_freq')) continue;
      const shape = shapes.get(name);
      if (shape === undefined)
        throw damaged(file, `holds tensor ${name}, which a ${config.family} model does not have`, name);
      if (shape.length !== location.shape.length || shape.some((size, axis) => size !== location.shape[axis])) {
        throw damaged(
          file,
          `holds tensor ${name} of shape [${location.shape.join(', ')}], config.json asks for [${shape.join(', ')}]`,
          name,
        );
      }
      weights.set(name, { ...location, file: path });
    }
  }
  return weights;
}

/** Whether two tensors of one shape hold the same values, as 32-bit floats. */
async function isSameTensor(one: StoredWeight, other: StoredWeight): Promise<boolean> {
  if (one.dtype !== other.dtype) {
    const [left, right] = [await readTensor(one.file, EMBEDDING, one), await readTensor(other.file, HEAD, other)];
    return left.data.every((value, index) => value === right.data[index]);
  }
  const pieces = tensorBytes(other.file, HEAD, other);
  for await (const piece of tensorBytes(one.file, EMBEDDING, one)) {
    const beside: IteratorResult<Uint8Array, unknown> = await pieces.next();
    if (beside.done || Buffer.compare(piece, beside.value) === 0) continue;
    await pieces.return(undefined);
    return false;
  }
  return true;
}

/** What else a folder without safetensors holds, for a person who took another publication of the same model. */
async function otherFormat(folder: string): Promise<string> {
  const files = await readdir(folder).catch((): string[] => []);
  const kinds: readonly (readonly [RegExp, string])[] = [
    [/\.gguf$/i, 'GGUF, the format of llama.cpp'],
    [/\.(bin|pt|pth|ckpt)$/i, "PyTorch's pickle format, which can run code when it is read"],
    [/\.(h5|msgpack|onnx|tflite|mlmodel)$/i, 'a format of another engine'],
  ];
  for (const [pattern, kind] of kinds) {
    const file = files.find((name) => pattern.test(name));
    if (file !== undefined) {
      return `; ${file} is ${kind}, which is not read here. Take the publication of this model with .safetensors files, or convert it with transformers (save_pretrained)`;
    }
  }
  return '';
}

/** {@link openCheckpoint}, and every byte of the weights read once for the digest. */
export async function loadCheckpoint(folder: string): Promise<DigestedCheckpoint> {
  const checkpoint = await openCheckpoint(folder);
  return { ...checkpoint, digest: await checkpointDigest(checkpoint) };
}

/**
 * SHA-256 over the configuration and, sorted by name, each tensor's name, shape and bytes as they are stored, the type too
 * where it is not f32.
 */
export async function checkpointDigest({ config, weights }: Checkpoint): Promise<string> {
  const hash = createHash('sha256').update(canonicalJson(config));
  for (const [name, weight] of [...weights].sort(([a], [b]) => compareText(a, b))) {
    hash.update(tensorHeading(name, weight.shape, weight.dtype));
    for await (const part of tensorBytes(weight.file, name, weight)) hash.update(part);
  }
  return hash.digest('hex');
}

/** Tensors of a checkpoint as 32-bit floats; all of them where no names are given. @throws CHECKPOINT_INVALID */
export async function readWeights(
  { weights }: Checkpoint,
  names: Iterable<string> = weights.keys(),
): Promise<Map<string, StoredTensor>> {
  const tensors = new Map<string, StoredTensor>();
  for (const name of names) {
    const weight = weights.get(name);
    if (weight) tensors.set(name, await readTensor(weight.file, name, weight));
  }
  return tensors;
}

/**
 * Writes a folder that {@link loadCheckpoint} and transformers read: config.json, model.safetensors (f32) and, when given,
 * tokenizer.json. The weights are renamed into place last, so that an interrupted call leaves no half model.
 * @throws SHAPE_MISMATCH where a tensor does not fit the configuration.
 */
export async function saveCheckpoint(
  folder: string,
  model: Pick<Checkpoint, 'config' | 'generation'> & {
    readonly tensors: ReadonlyMap<string, StoredTensor>;
    readonly tokenizer?: TokenizerJson;
  },
): Promise<void> {
  const shapes = checkpointShapes(model.config);
  for (const name of new Set([...shapes.keys(), ...model.tensors.keys()])) {
    const wanted = shapes.get(name)?.join(', ');
    const got = model.tensors.get(name)?.shape.join(', ');
    if (wanted !== got) {
      throw new SeamError(
        'SHAPE_MISMATCH',
        `Cannot write a checkpoint: tensor ${name} should be ${wanted === undefined ? 'absent' : `[${wanted}]`} and is ${got === undefined ? 'absent' : `[${got}]`}.`,
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
  if (index === undefined) {
    const isThere = await stat(join(folder, 'model.safetensors')).then(
      () => true,
      () => false,
    );
    const other = isThere ? '' : await otherFormat(folder);
    if (other !== '') throw damaged('model.safetensors', `is missing in ${folder}${other}`);
    return new Map([['model.safetensors', null]]);
  }
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

/** Indices of the largest models are a few megabytes. */
const MAX_JSON_BYTES = 2 ** 26;

async function readJson(folder: string, file: string): Promise<RawConfig | undefined> {
  let text: string;
  try {
    const { size } = await stat(join(folder, file));
    if (size > MAX_JSON_BYTES) throw damaged(file, `has ${size} bytes: expected at most ${MAX_JSON_BYTES}`);
    text = await readFile(join(folder, file), 'utf8');
  } catch (cause) {
    if (isSeamError(cause)) throw cause;
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
