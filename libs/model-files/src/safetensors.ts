/**
 * safetensors files (https://github.com/huggingface/safetensors#format), read and written without a library:
 *
 *   | 8 bytes: N, little-endian u64 | N bytes: JSON header | raw little-endian tensors, back to back |
 *
 * The header maps a tensor's name to {dtype, shape, data_offsets: [begin, end)} relative to the end of the header, and
 * `__metadata__` to a map of strings. A file comes from anywhere, so every figure in the header is checked against the
 * bytes that are really there before memory is taken for it. Values become 32-bit floats (bf16 and f16 are subsets of f32,
 * so nothing is lost). Typed arrays share the machine's byte order; every platform Node runs on is little-endian.
 */
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { compareText, readRange, SeamError } from '@seamstream/kernel';
import { isLfsPointer } from './git-lfs.js';

/** A tensor of 32-bit floats in row-major order; `data.length` is the product of `shape` (1 for a scalar's empty shape). */
export interface StoredTensor {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

export interface SafetensorsFile {
  /** In the order of the bytes in the file. */
  readonly tensors: ReadonlyMap<string, StoredTensor>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Where a tensor lies in its file, for readers that map the bytes themselves (ONNX external data). */
export interface TensorLocation {
  readonly dtype: FloatType;
  readonly shape: readonly number[];
  /** From the beginning of the file. */
  readonly offsetBytes: number;
  readonly lengthBytes: number;
}

export interface SafetensorsHeader {
  readonly locations: ReadonlyMap<string, TensorLocation>;
  readonly metadata: Readonly<Record<string, string>>;
}

const BYTES_PER_VALUE = { F32: 4, F16: 2, BF16: 2 } as const;
type FloatType = keyof typeof BYTES_PER_VALUE;

/** The limit of the reference implementation (MAX_HEADER_SIZE in safetensors/src/tensor.rs). */
const MAX_HEADER_BYTES = 100_000_000;
/** ECMAScript engines refuse longer typed arrays long before; beyond it products of shapes are no longer exact. */
const MAX_VALUES = Number.MAX_SAFE_INTEGER / 8;

function invalid(
  file: string,
  tensor: string | null,
  problem: string,
  details: Record<string, unknown> = {},
): SeamError {
  const where = tensor === null ? file : `${file}, tensor ${JSON.stringify(tensor)}`;
  return new SeamError(
    'CHECKPOINT_INVALID',
    `Cannot read safetensors from ${where}: ${problem}. Fetch or write the file again.`,
    {
      details: { file, ...(tensor === null ? {} : { tensor }), ...details },
    },
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** The header's length; checked against the file's before the header is read. */
function headerLength(file: string, prefix: Uint8Array, fileBytes: number): number {
  if (prefix.byteLength < 8) throw invalid(file, null, `expected at least 8 bytes, the file has ${fileBytes}`);
  if (isLfsPointer(new TextDecoder().decode(prefix.subarray(0, 8))))
    throw invalid(file, null, 'it is a pointer of Git LFS, not the tensors: fetch the file itself (git lfs pull)');
  // No header is so long: what begins like this is a page that a server sent in the file's place.
  if (/^\s*<(?:[!?a-z]|$)/i.test(new TextDecoder().decode(prefix.subarray(0, 8))))
    throw invalid(
      file,
      null,
      'it is a web page (HTML or XML), not the tensors: a server answered with it in their place',
    );
  const length = new DataView(prefix.buffer, prefix.byteOffset, 8).getBigUint64(0, true);
  if (length > MAX_HEADER_BYTES)
    throw invalid(file, null, `the header claims ${length} bytes, at most ${MAX_HEADER_BYTES} are accepted`);
  if (Number(length) > fileBytes - 8) {
    throw invalid(file, null, `the header claims ${length} bytes, only ${fileBytes - 8} follow: the file is truncated`);
  }
  return Number(length);
}

function parseHeader(file: string, bytes: Uint8Array, dataBytes: number): SafetensorsHeader {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw invalid(file, null, `the header is not JSON in UTF-8 (${String(cause)})`);
  }
  if (!isRecord(header)) throw invalid(file, null, 'the header is not a JSON object');
  const metadata: Record<string, string> = {};
  const found: { name: string; location: TensorLocation }[] = [];
  const dataStart = 8 + bytes.byteLength;
  for (const [name, entry] of Object.entries(header)) {
    if (name === '__metadata__') {
      if (!isRecord(entry)) throw invalid(file, null, '__metadata__ is not an object');
      for (const [key, value] of Object.entries(entry)) {
        if (typeof value !== 'string') throw invalid(file, null, `__metadata__.${key} is not a string`);
        metadata[key] = value;
      }
      continue;
    }
    if (!isRecord(entry)) throw invalid(file, name, 'its header entry is not an object');
    const { dtype, shape, data_offsets: offsets } = entry;
    if (typeof dtype !== 'string' || !Object.hasOwn(BYTES_PER_VALUE, dtype)) {
      throw invalid(file, name, `dtype ${JSON.stringify(dtype)} is not one of F32, F16, BF16`);
    }
    if (!Array.isArray(shape) || !shape.every(isCount))
      throw invalid(file, name, `shape ${JSON.stringify(shape)} is not a list of sizes`);
    const values = shape.reduce((product, size) => product * size, 1);
    if (values > MAX_VALUES) throw invalid(file, name, `shape ${JSON.stringify(shape)} holds too many values`);
    if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isCount)) {
      throw invalid(file, name, `data_offsets ${JSON.stringify(offsets)} is not [begin, end]`);
    }
    const [begin, end] = offsets as [number, number];
    const lengthBytes = values * BYTES_PER_VALUE[dtype as FloatType];
    if (end - begin !== lengthBytes) {
      throw invalid(
        file,
        name,
        `shape ${JSON.stringify(shape)} of ${dtype} needs ${lengthBytes} bytes, data_offsets span ${end - begin}`,
      );
    }
    if (end > dataBytes)
      throw invalid(file, name, `its bytes end at ${end}, the file holds ${dataBytes} data bytes: it is truncated`);
    found.push({ name, location: { dtype: dtype as FloatType, shape, offsetBytes: dataStart + begin, lengthBytes } });
  }
  // The format allows neither overlaps nor holes: bytes that no tensor owns could hide anything.
  found.sort(
    (a, b) => a.location.offsetBytes - b.location.offsetBytes || a.location.lengthBytes - b.location.lengthBytes,
  );
  let expected = dataStart;
  for (const { name, location } of found) {
    if (location.offsetBytes !== expected) {
      const relation = location.offsetBytes < expected ? 'overlaps the tensor before it' : 'leaves a hole before it';
      throw invalid(
        file,
        name,
        `it begins at byte ${location.offsetBytes} of the file and ${relation}, which ends at ${expected}`,
      );
    }
    expected += location.lengthBytes;
  }
  if (expected !== dataStart + dataBytes)
    throw invalid(file, null, `${dataStart + dataBytes - expected} bytes after the last tensor belong to none`);
  return { locations: new Map(found.map(({ name, location }) => [name, location])), metadata };
}

/** An f16's bits as a number: 1 sign, 5 exponent (bias 15), 10 fraction bits (IEEE 754-2019 section 3.6). */
function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Widens little-endian values at any alignment. */
function toFloat32(dtype: FloatType, bytes: Uint8Array): Float32Array {
  if (dtype === 'F32') {
    const data = new Float32Array(bytes.byteLength / 4);
    new Uint8Array(data.buffer).set(bytes);
    return data;
  }
  const count = bytes.byteLength / 2;
  const data = new Float32Array(count);
  if (dtype === 'BF16') {
    // A bf16 is the upper half of an f32.
    const bits = new Uint32Array(data.buffer);
    for (let i = 0; i < count; i++) bits[i] = ((bytes[2 * i]! << 16) | (bytes[2 * i + 1]! << 24)) >>> 0;
    return data;
  }
  for (let i = 0; i < count; i++) data[i] = halfToNumber(bytes[2 * i]! | (bytes[2 * i + 1]! << 8));
  return data;
}

/**
 * The tensors of a safetensors file that is in memory.
 * @param name what messages call it.
 * @throws CHECKPOINT_INVALID with `details.file` and, where one is at fault, `details.tensor`.
 */
export function decodeSafetensors(bytes: Uint8Array, name: string): SafetensorsFile {
  const length = headerLength(name, bytes.subarray(0, 8), bytes.byteLength);
  const header = parseHeader(name, bytes.subarray(8, 8 + length), bytes.byteLength - 8 - length);
  const tensors = new Map<string, StoredTensor>();
  for (const [tensor, { dtype, shape, offsetBytes, lengthBytes }] of header.locations) {
    tensors.set(tensor, { shape, data: toFloat32(dtype, bytes.subarray(offsetBytes, offsetBytes + lengthBytes)) });
  }
  return { tensors, metadata: header.metadata };
}

/** The header of a file on disk: names, types, shapes and places, without reading a tensor. Errors as {@link decodeSafetensors}. */
export async function readSafetensorsHeader(path: string): Promise<SafetensorsHeader> {
  return withFile(path, (handle, fileBytes) => headerOf(basename(path), handle, fileBytes));
}

/** One tensor of a file whose header was read before. @throws CHECKPOINT_INVALID when its bytes are no longer there. */
export async function readTensor(path: string, tensor: string, location: TensorLocation): Promise<StoredTensor> {
  const { dtype, shape, offsetBytes, lengthBytes } = location;
  return withFile(path, async (handle) => {
    const bytes = await readWhole(handle, basename(path), tensor, offsetBytes, lengthBytes);
    return { shape, data: toFloat32(dtype, bytes) };
  });
}

/** The bytes of one tensor in pieces; each piece is valid until the next is asked for. Errors as {@link readTensor}. */
export async function* tensorBytes(
  path: string,
  tensor: string,
  { offsetBytes, lengthBytes }: TensorLocation,
): AsyncGenerator<Uint8Array> {
  const handle = await openFile(path);
  try {
    const pieces = [0, 1].map(() => new Uint8Array(Math.min(lengthBytes, PIECE_BYTES)));
    const readAt = (at: number, into: Uint8Array): Promise<{ bytesRead: number }> =>
      handle.read(into, 0, Math.min(into.byteLength, lengthBytes - at), offsetBytes + at);
    let [current, other] = pieces as [Uint8Array, Uint8Array];
    let { bytesRead } = await readAt(0, current);
    for (let at = 0; at < lengthBytes; ) {
      if (bytesRead === 0) throw invalid(basename(path), tensor, `only ${at} of ${lengthBytes} bytes could be read`);
      const filled = current.subarray(0, bytesRead);
      at += bytesRead;
      // The next piece is read while this one is used.
      [current, other] = [other, current];
      const reading = at < lengthBytes ? readAt(at, current) : undefined;
      yield filled;
      ({ bytesRead } = (await reading) ?? { bytesRead: 0 });
    }
  } finally {
    await handle.close();
  }
}

/** A hash takes a few milliseconds over a piece: the event loop keeps ticking between two. */
const PIECE_BYTES = 1 << 22;

type FileHandle = Awaited<ReturnType<typeof open>>;

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (cause) {
    throw new SeamError(
      'CHECKPOINT_INVALID',
      `Cannot read safetensors: ${path} cannot be opened. Check that the file exists and is readable.`,
      {
        details: { file: basename(path) },
        cause,
      },
    );
  }
}

async function withFile<T>(path: string, work: (handle: FileHandle, fileBytes: number) => Promise<T>): Promise<T> {
  const handle = await openFile(path);
  try {
    return await work(handle, (await handle.stat()).size);
  } finally {
    await handle.close();
  }
}

async function headerOf(file: string, handle: FileHandle, fileBytes: number): Promise<SafetensorsHeader> {
  const length = headerLength(file, await readRange(handle, 0, Math.min(8, fileBytes)), fileBytes);
  return parseHeader(file, await readRange(handle, 8, length), fileBytes - 8 - length);
}

async function readWhole(
  handle: FileHandle,
  file: string,
  tensor: string,
  offset: number,
  length: number,
): Promise<Uint8Array> {
  const bytes = await readRange(handle, offset, length);
  if (bytes.byteLength < length)
    throw invalid(file, tensor, `only ${bytes.byteLength} of ${length} bytes could be read`);
  return bytes;
}

/**
 * A safetensors file of 32-bit floats. Names and metadata keys are written sorted, so equal content gives equal bytes.
 * The header is padded with spaces to a multiple of 8 bytes, as the reference writer does.
 * @throws SHAPE_MISMATCH where a tensor's shape does not describe its data.
 */
export function encodeSafetensors(
  tensors: ReadonlyMap<string, StoredTensor>,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array {
  const sorted = sortedTensors(tensors);
  // Without a prototype: a tensor may be called __proto__.
  const header = Object.create(null) as Record<string, unknown>;
  if (Object.keys(metadata).length > 0) {
    header.__metadata__ = Object.fromEntries(Object.entries(metadata).sort(([a], [b]) => compareText(a, b)));
  }
  let offset = 0;
  for (const [name, { shape, data }] of sorted) {
    const values = shape.reduce((product, size) => product * size, 1);
    if (values !== data.length) {
      throw new SeamError(
        'SHAPE_MISMATCH',
        `Cannot write tensor ${name}: shape [${shape.join(', ')}] describes ${values} values, the data has ${data.length}.`,
      );
    }
    header[name] = { dtype: 'F32', shape, data_offsets: [offset, offset + data.byteLength] };
    offset += data.byteLength;
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const headerBytes = Math.ceil(text.byteLength / 8) * 8;
  const bytes = new Uint8Array(8 + headerBytes + offset);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(headerBytes), true);
  bytes.fill(0x20, 8, 8 + headerBytes);
  bytes.set(text, 8);
  let at = 8 + headerBytes;
  for (const [, { data }] of sorted) {
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += data.byteLength;
  }
  return bytes;
}

/** Entries sorted by name in code units: the order of every digest and every file. */
export function sortedTensors(tensors: ReadonlyMap<string, StoredTensor>): [string, StoredTensor][] {
  return [...tensors].sort(([a], [b]) => compareText(a, b));
}
