/**
 * Reading what a broker stores. A record set is a sequence of batches, each of one producer; transactions end with a control
 * batch of their producer. kafkajs' own reader is not used: it takes any record with the key 00000000 for the end of an
 * aborted transaction, shows aborted records when two aborted transactions began before the place that is read, and cannot
 * step over a batch that compaction has emptied.
 *
 * Record batch (magic 2), https://kafka.apache.org/documentation/#recordbatch:
 *
 *   0 baseOffset i64 | 8 length i32 (of what follows) | 12 leaderEpoch i32 | 16 magic i8 | 17 crc u32 | 21 attributes i16
 *   | 23 lastOffsetDelta i32 | 27 baseTimestamp i64 | 35 maxTimestamp i64 | 43 producerId i64 | 51 producerEpoch i16
 *   | 53 baseSequence i32 | 57 numRecords i32 | 61 records, compressed together
 *
 *   attributes: 0x07 codec, 0x08 time stamps are the broker's, 0x10 transactional, 0x20 control
 *
 *   record: length varint | attributes i8 | timestampDelta varlong | offsetDelta varint | key varint-length bytes
 *   | value varint-length bytes | numHeaders varint | (name varint-length bytes | value varint-length bytes)*
 *
 * Nothing in it is believed. A batch that fails its checksum (CRC-32C of what follows it), decompresses to more than it may,
 * or is not laid out as above, becomes one record that says so (`LogRecord.unreadable`), and reading continues after it.
 * Only what is outside the damage says where such a batch ends:
 *
 *   the checksum holds                        → at its own last offset
 *   it does not, and another batch follows    → before that one
 *   it does not, and its two counts agree     → at its own last offset
 *   otherwise                                 → that is unknown: one offset is given up, and the broker is asked again
 */

import { crc32c } from '@node-rs/crc32';
import type { Headers, LogRecord } from '@seamstream/event-log';
import { messageOf, SeamError } from '@seamstream/kernel';
import type { AbortedTransaction } from './broker-protocol.port.js';
import { decompressed } from './compression.js';
import { isDoubtful, isPlain, type RawHeader, readable } from './lossless-headers.js';

/** Where a set was fetched. */
export interface SetPlace {
  readonly topic: string;
  readonly partition: number;
  readonly from: number;
  /** Where committed records end: no batch of the set ends behind it. Unknown when absent or negative. */
  readonly high?: number;
}

export interface CommittedRecords {
  readonly records: LogRecord[];
  /** Where to read on: after the last batch that was looked at, control batches included. */
  readonly nextOffset: number;
  /** The set ends within its first batch. */
  readonly isCutOff: boolean;
}

const HEADER_BYTES = 61;
/** Bytes before those that `length` counts. */
const LENGTH_END = 12;
/** Where what the checksum covers begins. */
const CHECKED_FROM = 21;
const ABORT_MARKER = 0;
const CODEC = 0x07;
const BROKER_TIME = 0x08;
const TRANSACTIONAL = 0x10;
const CONTROL = 0x20;

/** Default of the most bytes of a batch once decompressed: sixteen records of the largest size that the log takes. */
export const DEFAULT_MAX_BATCH_BYTES = 16 * 1024 ** 2;
/** Longest batch on the wire, regardless of its length field: more than any broker is configured for. */
const MAX_WIRE_BYTES = 256 * 1024 ** 2;
/**
 * Most records and headers of a batch, together. Either takes a byte or two of a batch and some hundred of memory, so bytes
 * alone do not bound them. A batch of ours has at most 22 000 records.
 */
const MAX_BATCH_ENTRIES = 250_000;
/** After so many bytes of records the rest of a set is left for the next fetch: batches that are good one by one may be many. */
const ENOUGH_BYTES = 8 * 1024 ** 2;
/** Memory of a record or header besides its bytes, roughly. */
const ENTRY_BYTES = 100;

/** Why a batch cannot be read. Never leaves this file. */
class Damage extends Error {}

/**
 * The committed records of a fetched record set from `from` on. A set's last batch may be cut off and is left for the next
 * fetch, as is what follows a damaged batch or more than {@link ENOUGH_BYTES}. `aborted` are the transactions that the broker
 * names with the set, in any order. LOG_INCOMPATIBLE_VERSION for the formats before Kafka 0.11.
 */
export async function committedRecords(
  place: SetPlace,
  set: Buffer,
  aborted: readonly AbortedTransaction[],
  maxBatchBytes = DEFAULT_MAX_BATCH_BYTES,
): Promise<CommittedRecords> {
  const upcoming = aborted.toSorted((a, b) => a.firstOffset - b.firstOffset);
  let begun = 0;
  const abortedProducers = new Set<number>();
  const records: LogRecord[] = [];
  let nextOffset = place.from;
  let bytes = 0;
  for (let at = 0; at + HEADER_BYTES <= set.length && bytes < ENOUGH_BYTES; ) {
    const length = set.readInt32BE(at + 8);
    const end = at + LENGTH_END + length;
    const hasLength = length >= HEADER_BYTES - LENGTH_END && length <= MAX_WIRE_BYTES;
    if (hasLength && end > set.length) return { records, nextOffset, isCutOff: at === 0 };
    const why = hasLength
      ? damageOf(place, set, { at, end, nextOffset, isFirst: at === 0 })
      : `its length is ${length}`;
    if (why !== undefined) {
      const last = hasLength ? lastOffsetAround(place, set, { at, end, nextOffset }) : nextOffset;
      records.push(unreadableRecord(place, nextOffset, last, why));
      // It may have been the end of a transaction: the broker is asked again which transactions are aborted.
      return { records, nextOffset: last + 1, isCutOff: false };
    }
    const baseOffset = readInt64(set, at);
    const attributes = set.readInt16BE(at + 21);
    const lastOffset = baseOffset + set.readInt32BE(at + 23);
    const producerId = readInt64(set, at + 43);
    while (begun < upcoming.length && upcoming[begun]!.firstOffset <= lastOffset)
      abortedProducers.add(upcoming[begun++]!.producerId);
    if (attributes & CONTROL) {
      if (controlType(set, at, end) === ABORT_MARKER) abortedProducers.delete(producerId);
    } else if (!(attributes & TRANSACTIONAL && abortedProducers.has(producerId)) && lastOffset >= place.from) {
      const before = records.length;
      try {
        const plain = await decompressed(attributes & CODEC, set.subarray(at + HEADER_BYTES, end), maxBatchBytes);
        const entries = readRecords(place, { set, at, attributes }, plain, records);
        bytes += plain.length + ENTRY_BYTES * entries;
      } catch (error) {
        records.length = before;
        const first = Math.max(baseOffset, place.from);
        records.push(unreadableRecord(place, first, lastOffset, messageOf(error), readInt64(set, at + 35)));
      }
    }
    nextOffset = Math.max(nextOffset, lastOffset + 1);
    at = end;
  }
  return { records, nextOffset, isCutOff: false };
}

/** The record that replaces offsets `first` to `last`, whose bytes cannot be read. */
export function unreadableRecord(
  { topic, partition }: Pick<SetPlace, 'topic' | 'partition'>,
  first: number,
  last: number,
  why: string,
  timestampMs = 0,
): LogRecord {
  const offsets = first === last ? `offset ${first}` : `offsets ${first} to ${last}`;
  return {
    topic,
    partition,
    offset: last, // a reader that is done with it continues after the batch
    key: null,
    value: null,
    headers: {},
    timestampMs: Number.isSafeInteger(timestampMs) && timestampMs > 0 ? timestampMs : 0,
    unreadable: `the record batch with ${offsets} cannot be read: ${why}`,
  };
}

/** What is wrong with a batch's header; undefined for nothing. */
function damageOf(
  { topic, partition, high = -1 }: SetPlace,
  set: Buffer,
  { at, end, nextOffset, isFirst }: { at: number; end: number; nextOffset: number; isFirst: boolean },
): string | undefined {
  const magic = set[at + 16]!;
  if (magic < 2) {
    throw new SeamError(
      'LOG_INCOMPATIBLE_VERSION',
      `Cannot read ${topic}/${partition}: expected record batches of format 2 (Kafka 0.11 and newer), got format ${magic}.`,
    );
  }
  if (magic > 2) return `its format is ${magic}, expected 2`;
  const expected = set.readUInt32BE(at + 17);
  const computed = crc32c(set.subarray(at + CHECKED_FROM, end));
  if (computed !== expected) return `its checksum is ${hex(computed)}, expected ${hex(expected)}`;
  // The checksum does not cover the batch's offset, since brokers write it.
  const baseOffset = readInt64(set, at);
  const lastDelta = set.readInt32BE(at + 23);
  const lastOffset = baseOffset + lastDelta;
  const isOrdered = baseOffset >= 0 && lastDelta >= 0 && (isFirst || baseOffset >= nextOffset);
  if (!isOrdered || !Number.isSafeInteger(lastOffset) || (high >= 0 && lastOffset >= high))
    return `it says to hold offsets ${baseOffset} to ${lastOffset}, which is not where it stands`;
  return undefined;
}

/** Where a batch ends whose header is not to be believed, see the head of this file. Not before `nextOffset`. */
function lastOffsetAround(
  { high = -1 }: SetPlace,
  set: Buffer,
  { at, end, nextOffset }: { at: number; end: number; nextOffset: number },
): number {
  const isPossible = (last: number): boolean =>
    Number.isSafeInteger(last) && last >= nextOffset && (high < 0 || last < high);
  if (end + 8 <= set.length) {
    const before = readInt64(set, end) - 1;
    if (isPossible(before)) return before;
  }
  const lastDelta = set.readInt32BE(at + 23);
  const claimed = readInt64(set, at) + lastDelta;
  return isPossible(claimed) && set.readInt32BE(at + 57) === lastDelta + 1 ? claimed : nextOffset;
}

/** Of a control batch's one record, whose key is version i16, type i16. Control batches are never compressed. */
function controlType(set: Buffer, at: number, end: number): number {
  if (set.readInt32BE(at + 57) === 0) return -1;
  try {
    const cursor = new Cursor(set, at + HEADER_BYTES, end);
    cursor.varint(); // length
    cursor.skip(1); // attributes
    cursor.varint(); // time
    cursor.varint(); // offset
    const key = cursor.buffered();
    return key === null || key.length < 4 ? -1 : key.readInt16BE(2);
  } catch (error) {
    if (error instanceof Damage) return -1; // of an unknown kind, as for Kafka's own readers
    throw error;
  }
}

/** Reads a batch's records from `from` on; answers how many records and headers they are. */
function readRecords(
  { topic, partition, from }: SetPlace,
  { set, at, attributes }: { readonly set: Buffer; readonly at: number; readonly attributes: number },
  bytes: Buffer,
  into: LogRecord[],
): number {
  const baseOffset = readInt64(set, at);
  const lastDelta = set.readInt32BE(at + 23);
  const baseTimestamp = readInt64(set, at + 27);
  const maxTimestamp = readInt64(set, at + 35);
  const count = set.readInt32BE(at + 57);
  if (count < 0 || count > lastDelta + 1 || count > MAX_BATCH_ENTRIES)
    throw new Damage(`it says to hold ${count} records at ${lastDelta + 1} offsets`);
  let entries = count;
  let before = -1;
  const cursor = new Cursor(bytes, 0, bytes.length);
  for (let index = 0; index < count; index++) {
    cursor.end = bytes.length;
    const length = cursor.varint();
    const end = cursor.at + length;
    if (length < 0 || end > bytes.length) throw new Damage(`record ${index} says to be ${length} bytes long`);
    cursor.end = end;
    cursor.skip(1); // attributes, unused
    const timestampDelta = cursor.varint();
    const delta = cursor.varint();
    if (delta <= before || delta > lastDelta) throw new Damage(`record ${index} says to be the one at ${delta}`);
    before = delta;
    const offset = baseOffset + delta;
    if (offset >= from) {
      const keyAt = cursor.at;
      let key = cursor.text();
      const value = cursor.bytes();
      const headersAt = cursor.at;
      entries += cursor.varint();
      if (entries > MAX_BATCH_ENTRIES) throw new Damage(`it holds more than ${MAX_BATCH_ENTRIES} records and headers`);
      cursor.at = headersAt;
      let headers = cursor.plainHeaders();
      if (headers === undefined || (key !== null && isDoubtful(key))) {
        const rawKey = new Cursor(bytes, keyAt, end).buffered();
        cursor.at = headersAt;
        ({ key, headers } = readable(rawKey, cursor.rawHeaders()));
      }
      if (cursor.at !== end) throw new Damage(`record ${index} ends ${end - cursor.at} bytes before its end`);
      const timestampMs = attributes & BROKER_TIME ? maxTimestamp : baseTimestamp + timestampDelta;
      into.push({ topic, partition, offset, key, value, headers, timestampMs });
    }
    cursor.at = end;
  }
  if (cursor.at !== bytes.length) throw new Damage(`${bytes.length - cursor.at} bytes follow its last record`);
  return entries;
}

/** Most bytes of a varint of 64 bits. */
const MAX_VARINT_BYTES = 10;

/** Reads forward from `at`, never beyond `end`. Throws {@link Damage}. */
class Cursor {
  constructor(
    private readonly buffer: Buffer,
    public at: number,
    public end: number,
  ) {}

  /** Zigzag, up to 53 bits. */
  varint(): number {
    let value = 0;
    let weight = 1;
    const { buffer, end } = this;
    for (const most = this.at + MAX_VARINT_BYTES; ; ) {
      if (this.at >= end || this.at >= most) throw new Damage(`a number at byte ${this.at} has no end`);
      const byte = buffer[this.at++]!;
      value += (byte & 0x7f) * weight;
      if (byte < 0x80) break;
      weight *= 128;
    }
    if (value > Number.MAX_SAFE_INTEGER) throw new Damage(`a number before byte ${this.at} is above 2^53`);
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  skip(bytes: number): void {
    if (bytes > this.end - this.at)
      throw new Damage(`${bytes} bytes are said to follow at byte ${this.at}, but ${this.end - this.at} do`);
    this.at += bytes;
  }

  text(): string | null {
    const length = this.varint();
    if (length < 0) return null;
    const start = this.at;
    this.skip(length);
    return this.buffer.toString('utf8', start, this.at);
  }

  /** Headers that are text, each once; undefined where one is anything else. */
  plainHeaders(): Headers | undefined {
    const headers: Record<string, string> = {};
    for (let left = this.count(); left > 0; left--) {
      const name = this.text() ?? '';
      const value = this.text();
      if (value === null || !isPlain(name) || Object.hasOwn(headers, name) || isDoubtful(value)) return undefined;
      headers[name] = value;
    }
    return headers;
  }

  rawHeaders(): RawHeader[] {
    return Array.from({ length: this.count() }, () => [this.text() ?? '', this.buffered()] as const);
  }

  /** Of headers: each takes two bytes or more. */
  private count(): number {
    const count = this.varint();
    if (count < 0 || count * 2 > this.end - this.at)
      throw new Damage(`${count} headers are said to follow at byte ${this.at}, in ${this.end - this.at} bytes`);
    return count;
  }

  /** A part of the buffer. */
  buffered(): Buffer | null {
    const length = this.varint();
    if (length < 0) return null;
    const start = this.at;
    this.skip(length);
    return this.buffer.subarray(start, this.at);
  }

  /** A copy: it does not keep the whole answer of the broker in memory. */
  bytes(): Uint8Array | null {
    const part = this.buffered();
    if (part === null) return null;
    const copy = new Uint8Array(part.length);
    copy.set(part);
    return copy;
  }
}

function readInt64(buffer: Buffer, at: number): number {
  return buffer.readInt32BE(at) * 2 ** 32 + buffer.readUInt32BE(at + 4);
}

function hex(checksum: number): string {
  return checksum.toString(16).padStart(8, '0');
}
