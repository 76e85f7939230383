/** The checkpoints of test/golden, computed from the names of their tensors as test/golden/seeded.py does. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoredTensor } from '@seamstream/model-files';
import { checkpointShapes, parseModelConfig, type RawConfig } from './checkpoint/model-config.js';

/** How the weights are stored; all hold the seeded values exactly. */
export type StoredType = 'F32' | 'F16' | 'BF16';

/** 32 bits for each index of a named sequence: FNV-1a of the name, a Weyl step per index, murmur3's finalizer. */
function hash(start: number, index: number): number {
  let x = (Math.imul(index, 0x9e3779b9) + start) | 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

function startOf(name: string): number {
  let start = 2166136261;
  for (const byte of new TextEncoder().encode(name)) start = Math.imul(start ^ byte, 16777619);
  return start;
}

/** Multiples of a power of two with seven bits: around 1 for norms, uniform around 0 elsewhere. */
export function seededTensor(name: string, shape: readonly number[]): StoredTensor {
  const start = startOf(name);
  const size = shape.reduce((total, length) => total * length, 1);
  const step = (index: number): number => (hash(start, index) >>> 25) - 64;
  let valueOf = (index: number): number => step(index) / (name.includes('bias') ? 256 : 128);
  if (name.includes('norm')) valueOf = (index) => 1 + step(index) / 128;
  else if (name.includes('embed_tokens') || name.includes('lm_head')) valueOf = (index) => step(index) / 64;
  return { shape: [...shape], data: Float32Array.from({ length: size }, (_, index) => valueOf(index)) };
}

/** Writes a folder with the config.json given and seeded weights; the caller removes it. */
export async function writeGoldenModel(raw: RawConfig, type: StoredType = 'F32'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'golden-'));
  await writeFile(join(folder, 'config.json'), JSON.stringify(raw));
  const tensors = [...checkpointShapes(parseModelConfig(raw))].map(
    ([name, shape]) => [name, seededTensor(name, shape)] as const,
  );
  await writeFile(join(folder, 'model.safetensors'), encode(new Map(tensors), type));
  return folder;
}

/** A safetensors file: 8 bytes of length, a JSON header, the bytes. */
function encode(tensors: ReadonlyMap<string, StoredTensor>, type: StoredType): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  const parts: Uint8Array[] = [];
  let end = 0;
  for (const [name, { shape, data }] of tensors) {
    const part = bytesOf(data, type);
    header[name] = { dtype: type, shape, data_offsets: [end, (end += part.length)] };
    parts.push(part);
  }
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, ...parts]);
}

function bytesOf(values: Float32Array, type: StoredType): Uint8Array {
  if (type === 'F32') return Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  // Rounding is not needed: seven bits and a sign fit both, and no value is small enough to be subnormal in float16.
  const half = bits.map((word) => {
    if (type === 'BF16') return word >>> 16;
    const sign = (word >>> 16) & 0x8000;
    return (word & 0x7fffffff) === 0 ? sign : sign | ((word >>> 13) & 0x3ff) | ((((word >>> 23) & 0xff) - 112) << 10);
  });
  return Buffer.from(Uint16Array.from(half).buffer);
}
