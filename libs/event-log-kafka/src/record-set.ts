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
 */
import type { Headers, LogRecord } from '@seamstream/event-log';
import { SeamError } from '@seamstream/kernel';
import { decompressed } from './compression.js';
import { isDoubtful, isPlain, type RawHeader, readable } from './foreign-text.js';

export interface AbortedTransaction {
  readonly producerId: number;
  readonly firstOffset: number;
}

export interface CommittedRecords {
  readonly records: LogRecord[];
  /** Where to read on: after the last whole batch, control batches included. */
  readonly nextOffset: number;
}

const HEADER_BYTES = 61;
/** Bytes before those that `length` counts. */
const LENGTH_END = 12;
const ABORT_MARKER = 0;
const CODEC = 0x07;
const BROKER_TIME = 0x08;
const TRANSACTIONAL = 0x10;
const CONTROL = 0x20;

/**
 * The committed records of a fetched record set from `from` on. A set's last batch may be cut off and is left for the next
 * fetch. `aborted` are the transactions that the broker names beside the set, in any order.
 */
export async function committedRecords(
  place: { readonly topic: string; readonly partition: number; readonly from: number },
  set: Buffer,
  aborted: readonly AbortedTransaction[],
): Promise<CommittedRecords> {
  const upcoming = aborted.toSorted((a, b) => a.firstOffset - b.firstOffset);
  let begun = 0;
  const abortedProducers = new Set<number>();
  const records: LogRecord[] = [];
  let nextOffset = place.from;
  for (let at = 0; at + HEADER_BYTES <= set.length; ) {
    const end = at + LENGTH_END + set.readInt32BE(at + 8);
    if (end > set.length) break;
    const magic = set[at + 16];
    if (magic !== 2) {
      throw new SeamError(
        'LOG_INCOMPATIBLE_VERSION',
        `reading ${place.topic}/${place.partition}: expected record batches of format 2 (Kafka 0.11 and newer), got format ${magic}`,
      );
    }
    const attributes = set.readInt16BE(at + 21);
    const lastOffset = readInt64(set, at) + set.readInt32BE(at + 23);
    const producerId = readInt64(set, at + 43);
    while (begun < upcoming.length && upcoming[begun]!.firstOffset <= lastOffset)
      abortedProducers.add(upcoming[begun++]!.producerId);
    if (attributes & CONTROL) {
      if (controlType(set, at) === ABORT_MARKER) abortedProducers.delete(producerId);
    } else if (!(attributes & TRANSACTIONAL && abortedProducers.has(producerId)) && lastOffset >= place.from) {
      const bytes = await decompressed(attributes & CODEC, set.subarray(at + HEADER_BYTES, end));
      readRecords(place, { set, at, attributes }, bytes, records);
    }
    nextOffset = Math.max(nextOffset, lastOffset + 1);
    at = end;
  }
  return { records, nextOffset };
}

/** Of a control batch's one record, whose key is version i16, type i16. Control batches are never compressed. */
function controlType(set: Buffer, at: number): number {
  if (set.readInt32BE(at + 57) === 0) return -1;
  const cursor = new Cursor(set, at + HEADER_BYTES);
  cursor.varint(); // length
  cursor.at += 1; // attributes
  cursor.varint(); // time
  cursor.varint(); // offset
  cursor.varint(); // key's length
  return set.readInt16BE(cursor.at + 2);
}

function readRecords(
  { topic, partition, from }: { readonly topic: string; readonly partition: number; readonly from: number },
  { set, at, attributes }: { readonly set: Buffer; readonly at: number; readonly attributes: number },
  bytes: Buffer,
  into: LogRecord[],
): void {
  const baseOffset = readInt64(set, at);
  const baseTimestamp = readInt64(set, at + 27);
  const maxTimestamp = readInt64(set, at + 35);
  const count = set.readInt32BE(at + 57);
  const cursor = new Cursor(bytes, 0);
  for (let index = 0; index < count; index++) {
    const length = cursor.varint();
    const end = cursor.at + length;
    cursor.at += 1; // attributes, unused
    const timestampDelta = cursor.varint();
    const offset = baseOffset + cursor.varint();
    if (offset >= from) {
      const keyAt = cursor.at;
      let key = cursor.text();
      const value = cursor.bytes();
      const headersAt = cursor.at;
      let headers = cursor.plainHeaders();
      if (headers === undefined || (key !== null && isDoubtful(key))) {
        const rawKey = new Cursor(bytes, keyAt).buffered();
        ({ key, headers } = readable(rawKey, new Cursor(bytes, headersAt).rawHeaders()));
      }
      const timestampMs = attributes & BROKER_TIME ? maxTimestamp : baseTimestamp + timestampDelta;
      into.push({ topic, partition, offset, key, value, headers, timestampMs });
    }
    cursor.at = end;
  }
}

class Cursor {
  constructor(
    private readonly buffer: Buffer,
    public at: number,
  ) {}

  /** Zigzag, up to 53 bits. */
  varint(): number {
    let value = 0;
    let weight = 1;
    for (;;) {
      const byte = this.buffer[this.at++]!;
      value += (byte & 0x7f) * weight;
      if (byte < 0x80) break;
      weight *= 128;
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  text(): string | null {
    const length = this.varint();
    if (length < 0) return null;
    const start = this.at;
    this.at += length;
    return this.buffer.toString('utf8', start, this.at);
  }

  /** Headers that are text, each once; undefined where one is anything else. */
  plainHeaders(): Headers | undefined {
    const headers: Record<string, string> = {};
    for (let left = this.varint(); left > 0; left--) {
      const name = this.text() ?? '';
      const value = this.text();
      if (value === null || !isPlain(name) || Object.hasOwn(headers, name) || isDoubtful(value)) return undefined;
      headers[name] = value;
    }
    return headers;
  }

  rawHeaders(): RawHeader[] {
    return Array.from({ length: this.varint() }, () => [this.text() ?? '', this.buffered()] as const);
  }

  /** A part of the buffer. */
  buffered(): Buffer | null {
    const length = this.varint();
    return length < 0 ? null : this.buffer.subarray(this.at, (this.at += length));
  }

  /** A copy: it does not keep the whole answer of the broker in memory. */
  bytes(): Uint8Array | null {
    const length = this.varint();
    if (length < 0) return null;
    const start = this.at;
    this.at += length;
    const copy = new Uint8Array(length);
    copy.set(this.buffer.subarray(start, this.at));
    return copy;
  }
}

function readInt64(buffer: Buffer, at: number): number {
  return buffer.readInt32BE(at) * 2 ** 32 + buffer.readUInt32BE(at + 4);
}
