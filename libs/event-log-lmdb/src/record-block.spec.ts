import type { LogRecord, NewRecord } from '@seamstream/event-log';
import { isSeamError, type SeamError } from '@seamstream/kernel';
import { BlockMemory } from './block-memory.js';
import { FIRST_BLOCK, FIRST_PLACE } from './first-format.contract.js';
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
  decodeRecords(openBlock('t', place, bytes), { from, to }, records);
  return records;
}

const textBytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** What is served of damaged bytes, and the error that says so. */
function attempt(
  bytes: Buffer,
  at: typeof place,
): { readonly served: readonly LogRecord[]; readonly error: SeamError | undefined } {
  const served: LogRecord[] = [];
  try {
    decodeRecords(openBlock('t', at, bytes), { from: 0, to: Number.MAX_SAFE_INTEGER }, served);
  } catch (error) {
    if (!isSeamError(error)) throw error;
    return { served, error };
  }
  return { served, error: undefined };
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

  it('serves none of its records with a flipped bit, and names its place', () => {
    const sound = stored(
      encodeBlocks(
        't',
        1,
        [record('first', { key: 'k', headers: { h: 'x' } }), record('second'), record('third')],
        NOW,
      )[0]!,
    );
    for (let bit = 0; bit < sound.length * 8; bit++) {
      const flipped = Buffer.from(sound);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      const { served, error } = attempt(flipped, place);
      expect(error).toMatchObject({ code: 'LOG_CORRUPT', details: { topic: 't', partition: 1, offset: 40 } });
      expect(served).toEqual([]);
    }
  });

  it('serves none of its records when it was cut short at any byte', () => {
    const sound = stored(encodeBlocks('t', 1, [record('first'), record('second')], NOW)[0]!);
    for (let size = 0; size < sound.length; size++) {
      const { served, error } = attempt(sound.subarray(0, size), place);
      expect(error).toMatchObject({ code: 'LOG_CORRUPT' });
      expect(served).toEqual([]);
    }
  });
});

describe('a block of format version 1', () => {
  const sound = Buffer.from(FIRST_BLOCK, 'hex');

  it('is read', () => {
    const { served } = attempt(sound, FIRST_PLACE);
    const inFirst = { topic: 't', partition: 0 };
    expect(served).toEqual([
      { ...inFirst, offset: 0, key: 'k', value: textBytes('first'), headers: { h: '1' }, timestampMs: 5 },
      { ...inFirst, offset: 1, key: null, value: textBytes('second'), headers: {}, timestampMs: 6 },
      { ...inFirst, offset: 2, key: 'ü', value: null, headers: {}, timestampMs: 7 },
    ]);
  });

  it('never serves a record with a flipped bit, and names the place of each', () => {
    const expected = attempt(sound, FIRST_PLACE).served;
    let detected = 0;
    for (let bit = 0; bit < sound.length * 8; bit++) {
      const flipped = Buffer.from(sound);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      const { served, error } = attempt(flipped, FIRST_PLACE);
      if (error !== undefined) {
        expect(error).toMatchObject({ code: 'LOG_CORRUPT', details: { offset: served.length } });
        detected++;
      }
      expect(served).toEqual(expected.slice(0, served.length));
    }
    // Only the four unused bytes of its header may change unnoticed.
    expect(detected).toBe(sound.length * 8 - 32);
  });

  it('never serves a record when it was cut short at any byte', () => {
    const expected = attempt(sound, FIRST_PLACE).served;
    for (let size = 0; size < sound.length; size++) {
      const { served, error } = attempt(sound.subarray(0, size), FIRST_PLACE);
      expect(error).toMatchObject({ code: 'LOG_CORRUPT' });
      expect(served).toEqual(expected.slice(0, served.length));
    }
  });
});
