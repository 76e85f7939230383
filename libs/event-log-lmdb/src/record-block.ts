/**
 * How records lie on disk. One LMDB value is a block: the records that one commit appended to one partition (at most
 * {@link MAX_BLOCK_RECORDS} of them, about {@link MAX_BLOCK_BYTES} bytes). Fewer, larger values make appending and scanning
 * cheaper than one value per record. Little-endian throughout.
 *
 *   block   | magic u32 | count u32 | topicId u32 | partition u32 | baseOffset f64 | maxTimestampMs f64 | crc u32 | 0 u32 |
 *           | record 0 | record 1 | …
 *   record  | bodyBytes u32 | crc u32 | body
 *   body    | index u32 | timestampMs f64 | keyBytes u32 | headersBytes u32 | valueBytes u32 | key | headers | value |
 *
 * `crc` of a block covers the 32 bytes before it, `crc` of a record its body (CRC-32 as in zlib). `index` is the record's
 * number in its block, so a record's offset is baseOffset + index. `maxTimestampMs` is the greatest time stamp of the
 * partition up to and including this block, which makes a search by time a binary search. 0xffffffff bytes of key or value
 * mean null; headers are as in header-codec.ts. baseOffset and maxTimestampMs are filled in by the writer, inside its
 * transaction, when the offsets are known.
 */
import { crc32 } from 'node:zlib';
import { type LogRecord, MAX_RECORD_BYTES, type NewRecord } from '@seamstream/event-log';
import { SeamError } from '@seamstream/kernel';
import { readHeaders, writeHeaders } from './header-codec.js';

const MAGIC = 0x31424553; // "SEB1"
const HEADER_BYTES = 40;
const HEADER_CRC_AT = 32;
const RECORD_HEADER_BYTES = 8;
const BODY_HEADER_BYTES = 24;
const NULL = 0xffffffff;

/** A reader of one record decodes lengths of at most this many others. */
export const MAX_BLOCK_RECORDS = 1000;
/** A block grows until it has this many bytes; one large record may exceed it. */
const MAX_BLOCK_BYTES = 256 * 1024;

/** A block whose offsets are not known yet. */
export interface UnplacedBlock {
  readonly topic: string;
  readonly partition: number;
  readonly count: number;
  /** Greatest time stamp of its records, milliseconds since the epoch. */
  readonly maxTimestampMs: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Where a block stands; filled in by {@link placeBlock}, verified by {@link openBlock}. */
export interface BlockPlace {
  readonly topicId: number;
  readonly partition: number;
  readonly baseOffset: number;
}

/** Encodes records of one partition that passed `checkRecord`, in order, into blocks. The records' bytes are copied. */
export function encodeBlocks(
  topic: string,
  partition: number,
  records: readonly NewRecord[],
  nowMs: number,
): UnplacedBlock[] {
  const blocks: UnplacedBlock[] = [];
  let count = 0;
  let at = HEADER_BYTES;
  let maxTimestampMs = 0;
  const finish = (): void => {
    // Memory of its own, so that it can be handed to the writer's thread; every byte is written.
    const { buffer } = Buffer.allocUnsafeSlow(at);
    const bytes = new Uint8Array(buffer);
    scratchView.setUint32(0, MAGIC, true);
    scratchView.setUint32(4, count, true);
    bytes.set(scratch.subarray(0, at));
    blocks.push({ topic, partition, count, maxTimestampMs, bytes });
    count = 0;
    at = HEADER_BYTES;
    maxTimestampMs = 0;
  };
  for (const { key, value, headers, timestampMs = nowMs } of records) {
    if (count > 0 && (count === MAX_BLOCK_RECORDS || at >= MAX_BLOCK_BYTES)) finish();
    if (timestampMs > maxTimestampMs) maxTimestampMs = timestampMs;
    const bodyAt = at + RECORD_HEADER_BYTES;
    let end = bodyAt + BODY_HEADER_BYTES;
    const keyBytes = key === null ? NULL : scratch.write(key, end, 'utf8');
    if (key !== null) end += keyBytes;
    const headersAt = end;
    end = writeHeaders(headers, scratch, end);
    scratchView.setUint32(bodyAt, count, true);
    scratchView.setFloat64(bodyAt + 4, timestampMs, true);
    scratchView.setUint32(bodyAt + 12, keyBytes, true);
    scratchView.setUint32(bodyAt + 16, end - headersAt, true);
    scratchView.setUint32(bodyAt + 20, value === null ? NULL : value.length, true);
    if (value !== null) {
      scratch.set(value, end);
      end += value.length;
    }
    scratchView.setUint32(at, end - bodyAt, true);
    scratchView.setUint32(at + 4, crc32(plainScratch.subarray(bodyAt, end)), true);
    at = end;
    count++;
  }
  if (count > 0) finish();
  return blocks;
}

/** Where blocks are put together; encoding is synchronous, so one is enough. Room for a full block and one largest record. */
const scratch = Buffer.alloc(MAX_BLOCK_BYTES + MAX_RECORD_BYTES + 64 * 1024);
const plainScratch = new Uint8Array(scratch.buffer, scratch.byteOffset, scratch.length);
const scratchView = new DataView(scratch.buffer, scratch.byteOffset, scratch.length);

/** Writes place, greatest time stamp so far (milliseconds) and checksum into a block's header. */
export function placeBlock(bytes: Uint8Array, place: BlockPlace, maxTimestampMs: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  view.setUint32(8, place.topicId, true);
  view.setUint32(12, place.partition, true);
  view.setFloat64(16, place.baseOffset, true);
  view.setFloat64(24, maxTimestampMs, true);
  view.setUint32(HEADER_CRC_AT, crc32(bytes.subarray(0, HEADER_CRC_AT)), true);
}

/** A stored block whose header was verified. */
export interface OpenBlock {
  readonly topic: string;
  readonly partition: number;
  readonly baseOffset: number;
  readonly count: number;
  readonly maxTimestampMs: number;
  readonly bytes: Buffer;
}

/** LOG_CORRUPT unless the header is whole and belongs at this place. */
export function openBlock(topic: string, place: BlockPlace, bytes: Buffer): OpenBlock {
  const { topicId, partition, baseOffset } = place;
  const sound =
    bytes.length >= HEADER_BYTES &&
    bytes.readUInt32LE(0) === MAGIC &&
    bytes.readUInt32LE(HEADER_CRC_AT) === crc32(bytes.subarray(0, HEADER_CRC_AT)) &&
    bytes.readUInt32LE(8) === topicId &&
    bytes.readUInt32LE(12) === partition &&
    bytes.readDoubleLE(16) === baseOffset;
  if (!sound)
    throw corrupt(topic, partition, baseOffset, 'the header of its block does not match its checksum or place');
  return { topic, partition, baseOffset, count: bytes.readUInt32LE(4), maxTimestampMs: bytes.readDoubleLE(24), bytes };
}

/**
 * Decodes the records of a block with offsets in [from, to) into `into`. Values are copies. LOG_CORRUPT at the first record
 * whose bytes do not match their checksum; the sound ones before it are in `into` by then.
 */
export function decodeRecords(block: OpenBlock, from: number, to: number, into: LogRecord[]): void {
  const { topic, partition, baseOffset, bytes } = block;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length); // whose slices are plain arrays, not Buffers
  const last = Math.min(block.count, to - baseOffset);
  let at = HEADER_BYTES;
  for (let index = 0; index < last; index++) {
    const offset = baseOffset + index;
    const bodyAt = at + RECORD_HEADER_BYTES;
    if (bodyAt + BODY_HEADER_BYTES > bytes.length) throw corrupt(topic, partition, offset, 'its block ends before it');
    const end = bodyAt + view.getUint32(at, true);
    if (end > bytes.length || end < bodyAt + BODY_HEADER_BYTES) {
      throw corrupt(topic, partition, offset, 'its length reaches out of its block');
    }
    if (offset >= from) {
      if (
        crc32(plain.subarray(bodyAt, end)) !== view.getUint32(at + 4, true) ||
        view.getUint32(bodyAt, true) !== index
      ) {
        throw corrupt(topic, partition, offset, 'its bytes do not match their checksum');
      }
      const keyAt = bodyAt + BODY_HEADER_BYTES;
      const keyBytes = view.getUint32(bodyAt + 12, true);
      const headersAt = keyBytes === NULL ? keyAt : keyAt + keyBytes;
      const valueAt = headersAt + view.getUint32(bodyAt + 16, true);
      into.push({
        topic,
        partition,
        offset,
        key: keyBytes === NULL ? null : bytes.toString('utf8', keyAt, headersAt),
        value: view.getUint32(bodyAt + 20, true) === NULL ? null : plain.slice(valueAt, end),
        headers: readHeaders(bytes, headersAt, valueAt),
        timestampMs: view.getFloat64(bodyAt + 4, true),
      });
    }
    at = end;
  }
}

/** The error of a place whose bytes are not what was written. */
export function corrupt(topic: string, partition: number, offset: number, why: string): SeamError {
  return new SeamError(
    'LOG_CORRUPT',
    `reading ${topic}/${partition} at offset ${offset}: ${why}. The disk or another program changed the file; restore the log ` +
      'folder from a copy. Records before this offset and other partitions can still be read.',
    { details: { topic, partition, offset } },
  );
}
