import type { LogRecord, NewRecord } from '@seamstream/event-log';
import { isSeamError } from '@seamstream/kernel';
import { BlockMemory } from './block-memory.js';
import {
  decodeRecords,
  encodeBlocks as encodeInto,
  MAX_BLOCK_RECORDS,
  openBlock,
  placeBlock,
  type UnplacedBlock,
} from './record-block.js';

const NOW = 1_700_000_000_000;
const place = { topicId: 3, partition: 1, baseOffset: 40 };
const encodeBlocks = (topic: string, partition: number, records: readonly NewRecord[], nowMs: number) =>
  encodeInto([{ topic, partition, records }], nowMs, new BlockMemory()).blocks;
const record = (value: string, extra: Partial<NewRecord> = {}): NewRecord => ({
  topic: 't',
  key: null,
  value: Buffer.from(value),
  ...extra,
});

function stored(block: UnplacedBlock): Buffer {
  placeBlock(block.bytes, place, NOW);
  return Buffer.from(block.bytes);
}

function decode(bytes: Buffer, from = 0, to = Number.MAX_SAFE_INTEGER): LogRecord[] {
  const records: LogRecord[] = [];
  decodeRecords(openBlock('t', place, bytes), from, to, records);
  return records;
}

describe('a block of records', () => {
  it('gives its records their offsets, and time stamps to those without', () => {
    const [block] = encodeBlocks(
      't',
      1,
      [record('a', { key: 'k', headers: { h: '1' } }), record('b', { timestampMs: 5 })],
      NOW,
    );
    expect(block).toMatchObject({ topic: 't', partition: 1, count: 2, maxTimestampMs: NOW });
    const records = decode(stored(block!)).map((one) => ({ ...one, value: Buffer.from(one.value!).toString() }));
    expect(records).toEqual([
      { topic: 't', partition: 1, offset: 40, key: 'k', value: 'a', headers: { h: '1' }, timestampMs: NOW },
      { topic: 't', partition: 1, offset: 41, key: null, value: 'b', headers: {}, timestampMs: 5 },
    ]);
  });

  it('decodes a range of its offsets', () => {
    const [block] = encodeBlocks(
      't',
      1,
      ['a', 'b', 'c', 'd'].map((value) => record(value)),
      NOW,
    );
    expect(decode(stored(block!), 41, 43).map((one) => one.offset)).toEqual([41, 42]);
  });

  it('is followed by another when it has enough records or bytes', () => {
    const many = encodeBlocks(
      't',
      0,
      Array.from({ length: MAX_BLOCK_RECORDS + 5 }, () => record('x')),
      NOW,
    );
    expect(many.map((block) => block.count)).toEqual([MAX_BLOCK_RECORDS, 5]);
    const large = encodeBlocks(
      't',
      0,
      Array.from({ length: 4 }, () => record('x'.repeat(900_000))),
      NOW,
    );
    expect(large.map((block) => block.count)).toEqual([1, 1, 1, 1]);
  });

  it('is refused at another place than its own', () => {
    const bytes = stored(encodeBlocks('t', 1, [record('a')], NOW)[0]!);
    for (const other of [
      { ...place, topicId: 4 },
      { ...place, partition: 0 },
      { ...place, baseOffset: 41 },
    ]) {
      expect(() => openBlock('t', other, bytes)).toThrow(/does not match its checksum or place/);
    }
  });

  it('never serves a record with a flipped bit, and names the place of each', () => {
    const sound = stored(
      encodeBlocks(
        't',
        1,
        [record('first', { key: 'k', headers: { h: 'x' } }), record('second'), record('third')],
        NOW,
      )[0]!,
    );
    const expected = decode(sound);
    let detected = 0;
    for (let bit = 0; bit < sound.length * 8; bit++) {
      const flipped = Buffer.from(sound);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      const served: LogRecord[] = [];
      try {
        decodeRecords(openBlock('t', place, flipped), 0, Number.MAX_SAFE_INTEGER, served);
      } catch (error) {
        if (!isSeamError(error, 'LOG_CORRUPT')) throw error;
        expect(error.details).toMatchObject({ topic: 't', partition: 1, offset: 40 + served.length });
        detected++;
      }
      expect(served).toEqual(expected.slice(0, served.length));
    }
    // Only the four unused bytes of the header may change unnoticed.
    expect(detected).toBe(sound.length * 8 - 32);
  });

  it('never serves a record of a block that was cut short at any byte', () => {
    const sound = stored(encodeBlocks('t', 1, [record('first'), record('second')], NOW)[0]!);
    const expected = decode(sound);
    for (let size = 0; size < sound.length; size++) {
      const served: LogRecord[] = [];
      expect(() => decodeRecords(openBlock('t', place, sound.subarray(0, size)), 0, 100, served)).toThrow(
        /reading t\/1 at offset/,
      );
      expect(served).toEqual(expected.slice(0, served.length));
    }
  });
});
