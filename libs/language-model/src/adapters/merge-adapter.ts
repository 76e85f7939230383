/**
 * An adapter merged into its base model: a folder that transformers loads without knowing of adapters. W' = W + (α / r)·B·A for
 * LoRA factors, summed in 64 bits; whole tensors of the adapter replace the base model's.
 *
 * Tensors that the adapter does not change are copied byte by byte; changed ones are float32, since the changes of a short
 * training run are smaller than a bfloat16's last bit. The folder appears whole or not at all.
 */
import { createHash, randomUUID } from 'node:crypto';
import { copyFile, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { compareText, messageOf, SeamError } from '@seamstream/kernel';
import type { RawConfig } from '@seamstream/model-files';
import { readTensor, type StoredTensor, tensorBytes } from '@seamstream/model-files';
import { type DigestedCheckpoint, type StoredWeight } from '../checkpoint/checkpoint.js';
import type { Adapter } from './adapter.js';
import { checkAdapter } from './adapter.js';
import { loraNames, trainableShapes } from './parameters.js';

/** What a published folder has besides its weights, and what stays as it is. */
const COPIED =
  /^(generation_config\.json|tokenizer\.json|tokenizer_config\.json|special_tokens_map\.json|added_tokens\.json|vocab\.json|merges\.txt|tokenizer\.model|chat_template\.jinja|LICENSE.*|NOTICE.*|USE_POLICY.*)$/;

export interface MergedCheckpoint {
  /** Tensors that the adapter changed. */
  readonly changed: number;
  readonly tensors: number;
  readonly sizeBytes: number;
  /** SHA-256 of model.safetensors. */
  readonly sha256: string;
}

/**
 * @param into a folder that does not exist yet, or is empty
 * @throws ADAPTER_INVALID when the adapter does not fit the checkpoint, CONFLICT when the folder holds something
 */
export async function mergeAdapter(
  checkpoint: DigestedCheckpoint,
  adapter: Adapter,
  into: string,
): Promise<MergedCheckpoint> {
  checkAdapter(adapter, {
    baseModelDigest: checkpoint.digest,
    shapes: trainableShapes(checkpoint.config, adapter.settings),
  });
  const present = await readdir(into).catch((cause: unknown): string[] => {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new SeamError(
      'CONFLICT',
      `Cannot merge into ${into}: expected a new or an empty folder, ${messageOf(cause)}.`,
      {
        cause,
      },
    );
  });
  if (present.length > 0) {
    throw new SeamError(
      'CONFLICT',
      `Cannot merge into ${into}: expected a new or an empty folder, it holds ${present.slice(0, 3).join(', ')}. Choose another one.`,
    );
  }
  const target = resolve(into);
  const draft = `${target}.partial-${randomUUID()}`;
  await mkdir(draft);
  try {
    for (const file of await readdir(checkpoint.folder))
      if (COPIED.test(file)) await copyFile(join(checkpoint.folder, file), join(draft, file));
    const raw = JSON.parse(await readFile(join(checkpoint.folder, 'config.json'), 'utf8')) as RawConfig;
    // What is loaded without naming a type takes the one that is written here.
    const config = { ...raw, torch_dtype: 'float32', ...('dtype' in raw ? { dtype: 'float32' } : {}) };
    await writeFile(join(draft, 'config.json'), `${JSON.stringify(config, null, 2)}\n`);
    const merged = await writeWeights(join(draft, 'model.safetensors'), checkpoint, adapter);
    // Empty, as was checked; one that was filled meanwhile refuses to be replaced.
    await rename(draft, target);
    return merged;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

interface Part {
  readonly weight: StoredWeight;
  /** Undefined: the base model's bytes. */
  readonly changed: (() => Promise<StoredTensor>) | undefined;
}

/** A safetensors file, tensor by tensor: no more than one is in memory. */
async function writeWeights(path: string, checkpoint: DigestedCheckpoint, adapter: Adapter): Promise<MergedCheckpoint> {
  const parts = [...checkpoint.weights]
    .sort(([a], [b]) => compareText(a, b))
    .map(([name, weight]) => [name, partOf(name, weight, adapter)] as const);
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  let end = 0;
  for (const [name, { weight, changed }] of parts) {
    const bytes = changed ? 4 * weight.shape.reduce((count, size) => count * size, 1) : weight.lengthBytes;
    header[name] = { dtype: changed ? 'F32' : weight.dtype, shape: weight.shape, data_offsets: [end, (end += bytes)] };
  }
  const text = Buffer.from(JSON.stringify(header));
  const head = Buffer.alloc(8 + Math.ceil(text.length / 8) * 8, ' ');
  head.writeBigUInt64LE(BigInt(head.length - 8));
  text.copy(head, 8);
  const hash = createHash('sha256');
  const file = await open(path, 'wx');
  const write = async (bytes: Uint8Array): Promise<void> => {
    hash.update(bytes);
    await file.writeFile(bytes);
  };
  try {
    await write(head);
    for (const [name, { weight, changed }] of parts) {
      if (changed === undefined) {
        for await (const piece of tensorBytes(weight.file, name, weight)) await write(piece);
      } else {
        const { data } = await changed();
        await write(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
      }
    }
    await file.sync();
  } finally {
    await file.close();
  }
  const changed = parts.filter(([, part]) => part.changed !== undefined).length;
  return { changed, tensors: parts.length, sizeBytes: head.length + end, sha256: hash.digest('hex') };
}

function partOf(name: string, weight: StoredWeight, { tensors, settings }: Adapter): Part {
  const whole = tensors.get(name);
  if (whole) return { weight, changed: () => Promise.resolve(whole) };
  const names = loraNames(name);
  const [a, b] = [tensors.get(names.a), tensors.get(names.b)];
  if (settings.kind !== 'lora' || !a || !b) return { weight, changed: undefined };
  const scale = settings.alpha / settings.rank;
  return {
    weight,
    changed: async () => addProduct(await readTensor(weight.file, name, weight), b, a, scale),
  };
}

/** W + scale·B·A, W [out, in], B [out, r], A [r, in]. */
function addProduct(weight: StoredTensor, b: StoredTensor, a: StoredTensor, scale: number): StoredTensor {
  const [rows, columns] = weight.shape as readonly [number, number];
  const rank = a.shape[0]!;
  const row = new Float64Array(columns);
  const data = new Float32Array(weight.data.length);
  for (let i = 0; i < rows; i++) {
    row.fill(0);
    for (let k = 0; k < rank; k++) {
      const factor = b.data[i * rank + k]! * scale;
      for (let j = 0; j < columns; j++) row[j] = row[j]! + factor * a.data[k * columns + j]!;
    }
    for (let j = 0; j < columns; j++) data[i * columns + j] = weight.data[i * columns + j]! + row[j]!;
  }
  return { shape: weight.shape, data };
}
