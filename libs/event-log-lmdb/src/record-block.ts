/**
 * How records lie on disk. One LMDB value is a block: the records that one commit appended to one partition (at most
 * {@link MAX_BLOCK_RECORDS} of them, about {@link MAX_BLOCK_BYTES} bytes). Fewer, larger values make appending and scanning
 * cheaper than one value per record. Little-endian throughout.
 *
 *   block   | magic u32 | count u32 | topicId u32 | partition u32 | baseOffset f64 | maxTimestampMs f64 | crc u32 | recordsCrc u32 |
 *           | record 0 | record 1 | …
 *   record  | timestampMs f64 | keyBytes u32 | headersBytes u32 | valueBytes u32 | key | headers | value |
 *
 * `crc` covers the 32 bytes before it, `recordsCrc` everything behind it (CRC-32 as in zlib): the records' is computed where
 * they are encoded, the header's inside of the writer's transaction, when the offsets are known. A record's offset is
 * baseOffset and its number in the block. `maxTimestampMs` is the greatest time stamp of the partition up to and including
 * this block, which makes a search by time a binary search. 0xffffffff bytes of key or value mean null; headers are as in
 * header-codec.ts.
 *
 * Blocks of format version 1 are read as well. They have no recordsCrc, and each record has its own checksum:
 *
 *   record  | bodyBytes u32 | crc of the body u32 | body: index u32, then as above |
 */
import { crc32 } from 'node:zlib';
import { type LogRecord, MAX_RECORD_BYTES, type NewRecord } from '@seamstream/event-log';
import { SeamError } from '@seamstream/kernel';
import { type BlockMemory, hasRoom, type Slab } from './block-memory.js';
import { readHeaders, writeHeaders, writeText } from './header-codec.js';

const MAGIC = 0x32424553; // "SEB2"
const MAGIC_1 = 0x31424553; // "SEB1"
const HEADER_BYTES = 40;
const HEADER_CRC_AT = 32;
const RECORDS_CRC_AT = 36;
const RECORD_HEADER_BYTES = 20;
/** What stands before a record of format version 1: bodyBytes, crc, index. */
const PREFIX_1_BYTES = 12;
const NULL = 0xffffffff;

/** A reader of one record decodes lengths of at most this many others. */
export const MAX_BLOCK_RECORDS = 1000;
/** A block grows until it has this many bytes; one large record may exceed it. */
const MAX_BLOCK_BYTES = 256 * 1024;
/** No block is larger: a full one, and one largest record with its own header and those of 256 Kafka headers. */
const LARGEST_BLOCK_BYTES = MAX_BLOCK_BYTES + MAX_RECORD_BYTES + 64 * 1024;

/** A block whose offsets are not known yet. */
export interface UnplacedBlock {
  readonly topic: string;
  readonly partition: number;
  readonly count: number;
  /** Greatest time stamp of its records, milliseconds since the epoch. */
  readonly maxTimestampMs: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Blocks of one request, and the memory that they lie in, which moves with them. */
export interface EncodedBlocks {
  readonly blocks: readonly UnplacedBlock[];
  readonly buffers: readonly ArrayBuffer[];
  /** Those of the buffers that are to be brought home. */
  readonly lent: readonly ArrayBuffer[];
}

/** Records of one partition that passed `checkRecord`, in order. */
export interface PartitionRecords {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly NewRecord[];
}

/** Where a block stands; filled in by {@link placeBlock}, verified by {@link openBlock}. */
export interface BlockPlace {
  readonly topicId: number;
  readonly partition: number;
  readonly baseOffset: number;
}

/** Encodes records into blocks, partition by partition. The records' bytes are copied. */
export function encodeBlocks(
  partitions: readonly PartitionRecords[],
  nowMs: number,
  memory: BlockMemory,
): EncodedBlocks {
  const [blocks, buffers, lent]: [UnplacedBlock[], ArrayBuffer[], ArrayBuffer[]] = [[], [], []];
  let slab = memory.take();
  let inSlab: (Omit<UnplacedBlock, 'bytes'> & { readonly from: number; readonly end: number })[] = [];
  const send = (): void => {
    const sent = memory.send(slab);
    buffers.push(sent.buffer);
    if (sent.lent) lent.push(sent.buffer);
    for (const { from, end, ...block } of inSlab)
      blocks.push({ ...block, bytes: new Uint8Array(sent.buffer, from, end - from) });
    inSlab = [];
  };
  for (const { topic, partition, records } of partitions) {
    for (let next = 0; next < records.length; ) {
      if (!hasRoom(slab, LARGEST_BLOCK_BYTES)) {
        send();
        slab = memory.take();
      }
      const from = slab.end;
      const { count, maxTimestampMs } = encodeBlock(records, next, nowMs, slab);
      inSlab.push({ topic, partition, count, maxTimestampMs, from, end: slab.end });
      next += count;
    }
  }
  send();
  return { blocks, buffers, lent };
}

/** Encodes a block of the records from `first` on at the end of the slab. */
function encodeBlock(
  records: readonly NewRecord[],
  first: number,
  nowMs: number,
  slab: Slab,
): { readonly count: number; readonly maxTimestampMs: number } {
  const { bytes, plain, view, end: from } = slab;
  const last = Math.min(records.length, first + MAX_BLOCK_RECORDS);
  let next = first;
  let at = from + HEADER_BYTES;
  let maxTimestampMs = 0;
  while (next < last && (next === first || at - from < MAX_BLOCK_BYTES)) {
    const { key, value, headers, timestampMs = nowMs } = records[next]!;
    if (timestampMs > maxTimestampMs) maxTimestampMs = timestampMs;
    const keyAt = at + RECORD_HEADER_BYTES;
    const headersAt = key === null ? keyAt : writeText(key, bytes, keyAt);
    const valueAt = writeHeaders(headers, bytes, view, headersAt);
    view.setFloat64(at, timestampMs, true);
    view.setUint32(at + 8, key === null ? NULL : headersAt - keyAt, true);
    view.setUint32(at + 12, valueAt - headersAt, true);
    view.setUint32(at + 16, value === null ? NULL : value.length, true);
    at = valueAt;
    if (value !== null) {
      plain.set(value, at);
      at += value.length;
    }
    next++;
  }
  view.setUint32(from, MAGIC, true);
  view.setUint32(from + 4, next - first, true);
  view.setUint32(from + RECORDS_CRC_AT, crc32(plain.subarray(from + HEADER_BYTES, at)), true);
  slab.end = at;
  return { count: next - first, maxTimestampMs };
}

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
  /** Of format version 1. */
  readonly isFirst: boolean;
  /** Its records were seen to match their checksum. */
  isSound: boolean;
}

/** LOG_CORRUPT unless the header is whole and belongs at this place. */
export function openBlock(topic: string, place: BlockPlace, bytes: Buffer): OpenBlock {
  const { topicId, partition, baseOffset } = place;
  const magic = bytes.length < HEADER_BYTES ? 0 : bytes.readUInt32LE(0);
  const sound =
    (magic === MAGIC || magic === MAGIC_1) &&
    bytes.readUInt32LE(HEADER_CRC_AT) === crc32(bytes.subarray(0, HEADER_CRC_AT)) &&
    bytes.readUInt32LE(8) === topicId &&
    bytes.readUInt32LE(12) === partition &&
    bytes.readDoubleLE(16) === baseOffset;
  if (!sound)
    throw corrupt(topic, partition, baseOffset, 'the header of its block does not match its checksum or place');
  const [count, maxTimestampMs] = [bytes.readUInt32LE(4), bytes.readDoubleLE(24)];
  return { topic, partition, baseOffset, count, maxTimestampMs, bytes, isFirst: magic === MAGIC_1, isSound: false };
}

/**
 * Decodes the records of a block with offsets in [from, to) into `into`. Values are parts of the block's bytes, which have
 * to be the reader's own copy. LOG_CORRUPT, naming the block's first record, when the records do not match their checksum:
 * none of them is served then. `withoutHeaders` leaves theirs empty. (In a block of format version 1: the first damaged one; the sound ones before it are in `into`.)
 */
export function decodeRecords(
  block: OpenBlock,
  {
    from,
    to,
    withoutHeaders = false,
  }: { readonly from: number; readonly to: number; readonly withoutHeaders?: boolean },
  into: LogRecord[],
): void {
  const { topic, partition, baseOffset, bytes, isFirst } = block;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length); // whose sub-arrays are plain arrays, not Buffers
  if (!isFirst && !block.isSound) {
    if (crc32(plain.subarray(HEADER_BYTES)) !== view.getUint32(RECORDS_CRC_AT, true))
      throw corrupt(topic, partition, baseOffset, 'the records of its block do not match their checksum');
    block.isSound = true;
  }
  const last = Math.min(block.count, to - baseOffset);
  let at = HEADER_BYTES;
  for (let index = 0; index < last; index++) {
    const offset = baseOffset + index;
    if (isFirst) at = checkFirst(block, index, view, at);
    const keyBytes = view.getUint32(at + 8, true);
    const valueBytes = view.getUint32(at + 16, true);
    const keyAt = at + RECORD_HEADER_BYTES;
    const headersAt = keyBytes === NULL ? keyAt : keyAt + keyBytes;
    const valueAt = headersAt + view.getUint32(at + 12, true);
    const end = valueBytes === NULL ? valueAt : valueAt + valueBytes;
    if (offset >= from) {
      into.push({
        topic,
        partition,
        offset,
        key: keyBytes === NULL ? null : bytes.toString('utf8', keyAt, headersAt),
        value: valueBytes === NULL ? null : plain.subarray(valueAt, end),
        headers: withoutHeaders ? {} : readHeaders(bytes, headersAt, valueAt),
        timestampMs: view.getFloat64(at, true),
      });
    }
    at = end;
  }
}

/** Checks a record of format version 1 against its own checksum and answers where its fields begin. LOG_CORRUPT. */
function checkFirst(
  { topic, partition, baseOffset, bytes }: OpenBlock,
  index: number,
  view: DataView,
  at: number,
): number {
  const bodyAt = at + 8;
  const end = bodyAt + (bodyAt > bytes.length ? 0 : view.getUint32(at, true));
  const isWhole = end >= at + PREFIX_1_BYTES + RECORD_HEADER_BYTES && end <= bytes.length;
  if (
    !isWhole ||
    crc32(bytes.subarray(bodyAt, end)) !== view.getUint32(at + 4, true) ||
    view.getUint32(bodyAt, true) !== index
  ) {
    throw corrupt(topic, partition, baseOffset + index, 'its bytes do not match their checksum');
  }
  return at + PREFIX_1_BYTES;
}

/** The error of a place whose bytes are not what was written. */
export function corrupt(topic: string, partition: number, offset: number, why: string): SeamError {
  return new SeamError(
    'LOG_CORRUPT',
    `Cannot read ${topic}/${partition} at offset ${offset}: ${why}. The disk or another program changed the file; restore the log ` +
      'folder from a copy. Records before this offset and other partitions can still be read.',
    { details: { topic, partition, offset } },
  );
}
