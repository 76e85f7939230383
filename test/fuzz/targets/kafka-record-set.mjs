// What a broker stores: reading ends, every record is of the set or said to be unreadable, and places only grow.
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { crc32c } from '@node-rs/crc32';
import { committedRecords } from '../../../libs/event-log-kafka/dist/record-set.js';
import { damaged } from '../damage.mjs';

export const name = 'kafka-record-set';

const zigzag = (value) => (value < 0 ? -value * 2 - 1 : value * 2);
/** A record without a key, of so few bytes that every length is one byte. */
function record(delta, text) {
  const value = Buffer.from(text);
  const body = [0, 0, zigzag(delta), zigzag(-1), zigzag(value.length), ...value, 0];
  return Buffer.from([zigzag(body.length), ...body]);
}

/** attributes: 0 plain, 1 gzip, 4 zstd; 0x10 transactional, 0x20 control. */
function batch(baseOffset, texts, attributes = 0) {
  const plain = Buffer.concat(texts.map((text, delta) => record(delta, text)));
  const codec = attributes & 7;
  const stored = codec === 1 ? gzipSync(plain) : codec === 4 ? zstdCompressSync(plain) : plain;
  const header = Buffer.alloc(61);
  header.writeBigInt64BE(BigInt(baseOffset), 0);
  header.writeInt32BE(49 + stored.length, 8);
  header.writeInt8(2, 16);
  header.writeInt16BE(attributes, 21);
  header.writeInt32BE(texts.length - 1, 23);
  header.writeBigInt64BE(1_700_000_000_000n, 27);
  header.writeBigInt64BE(1_700_000_000_000n, 35);
  header.writeBigInt64BE(attributes & 0x10 ? 7n : -1n, 43);
  header.writeInt32BE(texts.length, 57);
  return checked(Buffer.concat([header, stored]));
}

function checked(bytes) {
  if (bytes.length > 21) bytes.writeUInt32BE(crc32c(bytes.subarray(21)), 17);
  return bytes;
}

const bomb = batch(0, ['a'], 1);
export const seeds = [
  batch(0, ['a', 'b', 'c']),
  Buffer.concat([batch(0, ['a']), batch(1, ['b', 'c'], 1), batch(3, ['d'], 4)]),
  Buffer.concat([batch(0, ['a'], 0x10), batch(1, ['\u0000\u0000\u0000\u0001'], 0x30), batch(2, ['b'])]),
  checked(Buffer.concat([bomb.subarray(0, 61), gzipSync(Buffer.alloc(4_000_000))])),
];

/** Half of the damage has a right checksum: what does not is refused before it is looked at. */
export function mutate(random, all) {
  const bytes = Buffer.from(damaged(random, all));
  return random.int(2) === 0 ? bytes : checked(bytes);
}

export async function run(bytes) {
  const place = { topic: 't', partition: 0, from: 0, high: 1000 };
  const { records, nextOffset } = await committedRecords(place, Buffer.from(bytes), [], 1 << 20);
  if (nextOffset < 0 || nextOffset > 1000) throw new Error(`reads on at ${nextOffset}, which is no place of 0 … 1000`);
  let before = -1;
  for (const { offset } of records) {
    if (offset <= before || offset >= nextOffset)
      throw new Error(`a record at ${offset} after ${before}, before ${nextOffset}`);
    before = offset;
  }
}
