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
 * mean null; headers are JSON text, none are 0 bytes. baseOffset and maxTimestampMs are filled in by the writer, inside its
 * transaction, when the offsets are known.
 */
import { crc32 } from 'node:zlib';
import type { LogRecord, NewRecord } from '@seamstream/event-log';
import { SeamError } from '@seamstream/kernel';

const MAGIC = 0x31424553; // "SEB1"
const HEADER_BYTES = 40;
const HEADER_CRC_AT = 32;
const RECORD_HEADER_BYTES = 8;
const BODY_HEADER_BYTES = 24;
const NULL = 0xffffffff;

/** A reader of one record decodes lengths of at most this many others. */
export const MAX_BLOCK_RECORDS = 1000;
/** A block grows until it has this many bytes; one large record may exceed it. */
export const MAX_BLOCK_BYTES = 256 * 1024;

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

/** Encodes records of one partition, in order, into one or more blocks. The records' bytes are copied. */
export function encodeBlocks(
  topic: string,
  partition: number,
  records: readonly NewRecord[],
  nowMs: number,
): UnplacedBlock[] {
  const blocks: UnplacedBlock[] = [];
  const headerTexts = records.map((record) => {
    for (const _ in record.headers) return JSON.stringify(record.headers);
    return '';
  });
  const keySizes = records.map(({ key }) => (key === null ? 0 : Buffer.byteLength(key)));
  const headerSizes = headerTexts.map((text) => (text === '' ? 0 : Buffer.byteLength(text)));
  for (let start = 0; start < records.length; ) {
    let size = HEADER_BYTES;
    let end = start;
    while (end < records.length && end - start < MAX_BLOCK_RECORDS && (end === start || size < MAX_BLOCK_BYTES)) {
      size +=
        RECORD_HEADER_BYTES +
        BODY_HEADER_BYTES +
        keySizes[end]! +
        headerSizes[end]! +
        (records[end]!.value?.length ?? 0);
      end++;
    }
    const bytes = Buffer.from(new ArrayBuffer(size)); // of its own, so that it can be handed to the writer's thread
    const view = new DataView(bytes.buffer);
    let maxTimestampMs = 0;
    let at = HEADER_BYTES;
    for (let i = start; i < end; i++) {
      const { key, value, timestampMs = nowMs } = records[i]!;
      if (timestampMs > maxTimestampMs) maxTimestampMs = timestampMs;
      const bodyAt = at + RECORD_HEADER_BYTES;
      view.setUint32(bodyAt, i - start, true);
      view.setFloat64(bodyAt + 4, timestampMs, true);
      view.setUint32(bodyAt + 12, key === null ? NULL : keySizes[i]!, true);
      view.setUint32(bodyAt + 16, headerSizes[i]!, true);
      view.setUint32(bodyAt + 20, value === null ? NULL : value.length, true);
      let end = bodyAt + BODY_HEADER_BYTES;
      if (key !== null) end += bytes.write(key, end, 'utf8');
      if (headerSizes[i]! > 0) end += bytes.write(headerTexts[i]!, end, 'utf8');
      if (value !== null) {
        bytes.set(value, end);
        end += value.length;
      }
      view.setUint32(at, end - bodyAt, true);
      view.setUint32(at + 4, crc32(bytes.subarray(bodyAt, end)), true);
      at = end;
    }
    view.setUint32(0, MAGIC, true);
    view.setUint32(4, end - start, true);
    blocks.push({ topic, partition, count: end - start, maxTimestampMs, bytes: new Uint8Array(bytes.buffer) });
    start = end;
  }
  return blocks;
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
  const last = Math.min(block.count, to - baseOffset);
  let at = HEADER_BYTES;
  for (let index = 0; index < last; index++) {
    const offset = baseOffset + index;
    const bodyAt = at + RECORD_HEADER_BYTES;
    if (bodyAt + BODY_HEADER_BYTES > bytes.length) throw corrupt(topic, partition, offset, 'its block ends before it');
    const end = bodyAt + bytes.readUInt32LE(at);
    if (end > bytes.length || end < bodyAt + BODY_HEADER_BYTES)
      throw corrupt(topic, partition, offset, 'its length reaches out of its block');
    if (offset >= from) {
      if (crc32(bytes.subarray(bodyAt, end)) !== bytes.readUInt32LE(at + 4) || bytes.readUInt32LE(bodyAt) !== index) {
        throw corrupt(topic, partition, offset, 'its bytes do not match their checksum');
      }
      const keyBytes = bytes.readUInt32LE(bodyAt + 12);
      const headersAt = bodyAt + BODY_HEADER_BYTES + (keyBytes === NULL ? 0 : keyBytes);
      const valueAt = headersAt + bytes.readUInt32LE(bodyAt + 16);
      into.push({
        topic,
        partition,
        offset,
        key: keyBytes === NULL ? null : bytes.toString('utf8', bodyAt + BODY_HEADER_BYTES, headersAt),
        value: bytes.readUInt32LE(bodyAt + 20) === NULL ? null : copyOf(bytes, valueAt, end),
        headers:
          headersAt === valueAt
            ? {}
            : (JSON.parse(bytes.toString('utf8', headersAt, valueAt)) as Record<string, string>),
        timestampMs: bytes.readDoubleLE(bodyAt + 4),
      });
    }
    at = end;
  }
}

function copyOf(bytes: Buffer, from: number, to: number): Uint8Array {
  const copy = new Uint8Array(to - from);
  copy.set(bytes.subarray(from, to));
  return copy;
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
