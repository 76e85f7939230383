/**
 * Codecs of record batches. All five of Kafka's are read, since any producer may have written, and no more memory is taken
 * than a batch may have: a batch of 12 kB may well say "400 MB of zeros", and brokers bound nothing but compressed bytes.
 *
 *   gzip, zstd   the runtime's decoders, which stop at a number of bytes
 *   lz4, snappy  say how long they will be before they are decoded: lz4 by the lengths in its sequences, snappy by a number in front
 *
 * LZ4 frame (https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md), little-endian:
 *   magic 0x184D2204 | FLG | BD | content size u64 if FLG 0x08 | dictionary id u32 if FLG 0x01 | header checksum u8
 *   | blocks: length u32 (0x80000000: not compressed), bytes, checksum u32 if FLG 0x10 | 0 u32 | content checksum u32 if FLG 0x04
 *
 * LZ4 block: sequences of token u8 (literals' length 4 bits, match length 4 bits) | 255* and the rest if the former is 15
 *   | literals | offset u16 | 255* and the rest if the latter is 15; a match has 4 bytes more than its length says, the last sequence none
 *
 * Snappy, as Kafka's own clients write it: the Xerial header of 16 bytes, then blocks of length i32, bytes; or one bare block.
 * A block begins with its decompressed length as an unsigned varint.
 */
import { promisify } from 'node:util';
import { gunzip, gzip as gzipBytes, zstdCompress, zstdDecompress } from 'node:zlib';
import { compressFrame, decompressFrame } from 'lz4-napi';
import snappy from 'snappyjs';

export const COMPRESSIONS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
export type Compression = (typeof COMPRESSIONS)[number];

/** Kafka's numbers, bits 0 to 2 of a batch's attributes. */
const TYPES: Readonly<Record<Compression, number>> = { none: 0, gzip: 1, snappy: 2, lz4: 3, zstd: 4 };

const zstd = { compress: promisify(zstdCompress), decompress: promisify(zstdDecompress) };
const gzip = { compress: promisify(gzipBytes), decompress: promisify(gunzip) };

/** The number by which record batches name a codec. */
export function compressionType(compression: Compression): number {
  return TYPES[compression];
}

/** Bytes of a record batch by the codec of that number. */
export async function compressed(type: number, bytes: Buffer): Promise<Buffer> {
  switch (type) {
    case TYPES.none:
      return bytes;
    case TYPES.gzip:
      return gzip.compress(bytes);
    case TYPES.snappy:
      return snappy.compress(bytes);
    case TYPES.lz4:
      return compressFrame(bytes);
    case TYPES.zstd:
      return zstd.compress(bytes);
    default:
      throw new RangeError(`no codec has the number ${type}`);
  }
}

/** Up to so many bytes a batch may have been compressed by any ratio: one record of the largest size, full of blanks, is honest. */
const ANY_RATIO_BYTES = 2 * 1024 ** 2;
/** Beyond that. Events compress five to twenty times, the same event over and over a hundred times. */
const MAX_RATIO = 128;

/** Most bytes that so many compressed ones may become, of at most `maxBytes`. */
export function mostBytes(compressedBytes: number, maxBytes: number): number {
  return Math.min(maxBytes, Math.max(ANY_RATIO_BYTES, compressedBytes * MAX_RATIO));
}

/**
 * Decompresses the bytes of a record batch by the codec of that number, to at most {@link mostBytes}. It throws a RangeError
 * before it takes more memory than that. For any other fault of the bytes the codec throws its own error.
 */
export async function decompressed(type: number, bytes: Buffer, maxBytes: number): Promise<Buffer> {
  const most = type === TYPES.none ? maxBytes : mostBytes(bytes.length, maxBytes);
  switch (type) {
    case TYPES.none:
      if (bytes.length > most) throw tooLarge(bytes, most);
      return bytes;
    case TYPES.gzip:
    case TYPES.zstd:
      try {
        return await (type === TYPES.gzip ? gzip : zstd).decompress(bytes, { maxOutputLength: most });
      } catch (error) {
        throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(bytes, most) : error;
      }
    case TYPES.lz4:
      if (lz4Length(bytes, most) > most) throw tooLarge(bytes, most);
      return decompressFrame(bytes);
    case TYPES.snappy: {
      const blocks = snappyBlocks(bytes);
      let total = 0;
      for (const block of blocks) total += snappyLength(block);
      if (total > most) throw tooLarge(bytes, most);
      // Not as Buffers: of those snappyjs leaves what it does not write as it was in memory.
      return Buffer.concat(blocks.map((block) => snappy.uncompress(new Uint8Array(block))));
    }
    default:
      throw new RangeError(`its codec, number ${type}, is unknown`);
  }
}

function tooLarge(bytes: Buffer, most: number): RangeError {
  return new RangeError(
    `its ${bytes.length} bytes are more than ${most} when decompressed. If that is meant, raise SEAM_EVENT_LOG_KAFKA_MAX_BATCH_BYTES (no ratio above ${MAX_RATIO} is taken) and have its records published again.`,
  );
}

const LZ4_MAGIC = 0x184d2204;
const LZ4_PLAIN = 0x80000000;
const CUT_OFF = 'its compressed bytes end in the middle';

/** Bytes that frames of LZ4 decompress to, or some number above `most` as soon as it is passed. */
function lz4Length(bytes: Buffer, most: number): number {
  let at = 0;
  let total = 0;
  const need = (count: number): void => {
    if (at + count > bytes.length) throw new RangeError(CUT_OFF);
  };
  while (at < bytes.length) {
    need(7);
    if (bytes.readUInt32LE(at) !== LZ4_MAGIC) throw new RangeError('its compressed bytes are no frame of LZ4');
    const flags = bytes[at + 4]!;
    at += 7 + (flags & 0x08 ? 8 : 0) + (flags & 0x01 ? 4 : 0);
    for (;;) {
      need(4);
      const length = bytes.readUInt32LE(at);
      at += 4;
      if (length === 0) break;
      const size = length % LZ4_PLAIN;
      need(size);
      total += length >= LZ4_PLAIN ? size : lz4BlockLength(bytes.subarray(at, at + size), most - total);
      if (total > most) return total;
      at += size + (flags & 0x10 ? 4 : 0);
    }
    at += flags & 0x04 ? 4 : 0;
  }
  return total;
}

function lz4BlockLength(block: Buffer, most: number): number {
  let at = 0;
  let total = 0;
  const extended = (length: number): number => {
    if (length < 15) return length;
    for (;;) {
      const byte = block[at++];
      if (byte === undefined) throw new RangeError(CUT_OFF);
      length += byte;
      if (byte < 255) return length;
    }
  };
  while (at < block.length && total <= most) {
    const token = block[at++]!;
    const literals = extended(token >> 4);
    at += literals;
    total += literals;
    if (at >= block.length) break;
    at += 2;
    total += extended(token & 15) + 4;
  }
  return total;
}

const XERIAL_MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0]);
const XERIAL_HEADER_BYTES = 16;

function snappyBlocks(bytes: Buffer): Buffer[] {
  if (!bytes.subarray(0, XERIAL_MAGIC.length).equals(XERIAL_MAGIC)) return [bytes];
  const blocks: Buffer[] = [];
  for (let at = XERIAL_HEADER_BYTES; at < bytes.length; ) {
    const length = at + 4 > bytes.length ? -1 : bytes.readInt32BE(at);
    if (length < 0 || at + 4 + length > bytes.length) throw new RangeError(CUT_OFF);
    blocks.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return blocks;
}

function snappyLength(block: Buffer): number {
  let length = 0;
  for (let index = 0; index < 5; index++) {
    const byte = block[index];
    if (byte === undefined) break;
    length += (byte & 0x7f) * 128 ** index;
    if (byte < 0x80) return length;
  }
  throw new RangeError('its compressed bytes are no block of Snappy');
}
