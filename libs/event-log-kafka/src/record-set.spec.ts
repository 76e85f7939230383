import { gzipSync, zstdCompressSync } from 'node:zlib';
import { crc32c } from '@node-rs/crc32';
import fc from 'fast-check';
import { compressFrame } from 'lz4-napi';
import snappy from 'snappyjs';
import { committedRecords } from './record-set.js';

interface Batch {
  readonly baseOffset: number;
  readonly producerId?: number;
  readonly kind?: 'plain' | 'transactional' | 'abort' | 'commit';
  readonly keys?: readonly (Buffer | null)[];
  /** Offsets up to here belong to the batch, also where compaction has removed the records. */
  readonly lastOffset?: number;
  /** The number of a codec, and the bytes in place of the records. */
  readonly codec?: number;
  readonly body?: Buffer;
}

const ZERO_KEY = Buffer.from([0, 0, 0, 0]);
const PLACE = { topic: 't', partition: 0, from: 0 };

const offsets = async (
  batches: readonly Batch[],
  aborted: readonly { producerId: number; firstOffset: number }[] = [],
  from = 0,
): Promise<{ offsets: number[]; nextOffset: number }> => {
  const { records, nextOffset } = await committedRecords(
    { ...PLACE, from },
    Buffer.concat(batches.map(batch)),
    aborted,
  );
  return { offsets: records.map(({ offset }) => offset), nextOffset };
};

/** The codecs by Kafka's numbers. */
const CODECS: Readonly<Record<string, { number: number; compress: (bytes: Buffer) => Buffer | Promise<Buffer> }>> = {
  gzip: { number: 1, compress: (bytes) => gzipSync(bytes) },
  snappy: { number: 2, compress: (bytes) => snappy.compress(bytes) },
  'snappy in blocks': {
    number: 2,
    compress: (bytes) => {
      const blocks: Buffer[] = [Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0, 0, 0, 0, 1, 0, 0, 0, 1])];
      for (let at = 0; at < bytes.length; at += 32_768) {
        const block = snappy.compress(bytes.subarray(at, at + 32_768));
        const length = Buffer.alloc(4);
        length.writeInt32BE(block.length);
        blocks.push(length, block);
      }
      return Buffer.concat(blocks);
    },
  },
  lz4: { number: 3, compress: (bytes) => compressFrame(bytes) },
  zstd: { number: 4, compress: (bytes) => zstdCompressSync(bytes) },
};

describe('reading a record set', () => {
  it('checks CRC-32C, by the check value of the algorithm', () => {
    // https://reveng.sourceforge.io/crc-catalogue/17plus.htm#crc.cat.crc-32-iscsi
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  });

  it('hides the records of aborted transactions, with any keys, until the marker', async () => {
    const aborted = { producerId: 7, kind: 'transactional' } as const;
    const batches: Batch[] = [
      { baseOffset: 0, ...aborted },
      { baseOffset: 1, ...aborted, keys: [ZERO_KEY] },
      { baseOffset: 2, ...aborted },
      { baseOffset: 3, keys: [ZERO_KEY] },
      { baseOffset: 4, producerId: 7, kind: 'abort' },
      { baseOffset: 5, ...aborted },
      { baseOffset: 6, producerId: 7, kind: 'commit' },
    ];
    expect(await offsets(batches, [{ producerId: 7, firstOffset: 0 }])).toEqual({ offsets: [3, 5], nextOffset: 7 });
  });

  it('hides them when reading begins after several have begun, and when they end in another order', async () => {
    const batches: Batch[] = [
      { baseOffset: 10, producerId: 2, kind: 'transactional' },
      { baseOffset: 11, producerId: 1, kind: 'transactional' },
      { baseOffset: 12, producerId: 2, kind: 'abort' },
      { baseOffset: 13, producerId: 1, kind: 'abort' },
    ];
    for (const order of [
      [1, 2],
      [2, 1],
    ]) {
      const aborted = order.map((producerId) => ({ producerId, firstOffset: 4 + producerId }));
      expect(await offsets(batches, aborted, 10)).toEqual({ offsets: [], nextOffset: 14 });
    }
  });

  it('steps over batches that compaction has emptied, and over what is before the asked place', async () => {
    const batches: Batch[] = [
      { baseOffset: 0, keys: [null, null, null] },
      { baseOffset: 3, keys: [], lastOffset: 9 },
    ];
    expect(await offsets(batches, [], 2)).toEqual({ offsets: [2], nextOffset: 10 });
    expect(await offsets([{ baseOffset: 3, keys: [], lastOffset: 9 }], [], 5)).toEqual({ offsets: [], nextOffset: 10 });
  });

  it('leaves a batch that was cut off for the next fetch, and refuses the formats of old', async () => {
    const [first, second] = [batch({ baseOffset: 0 }), batch({ baseOffset: 1 })];
    const cut = Buffer.concat([first, second]).subarray(0, first.length + second.length - 1);
    expect(await committedRecords(PLACE, cut, [])).toMatchObject({ records: [{ offset: 0 }], nextOffset: 1 });
    first.writeInt8(1, 16);
    await expect(committedRecords(PLACE, first, [])).rejects.toMatchObject({ code: 'LOG_INCOMPATIBLE_VERSION' });
  });
});

describe('a batch that cannot be read is one record that says so', () => {
  const good = (baseOffset: number): Buffer => batch({ baseOffset, keys: [null, null] });

  it.each([
    ['a bit of a record', 70],
    ['a bit of the attributes', 22],
    ['a bit of the checksum', 18],
  ])('when %s was flipped: it is between its neighbours, and reading continues after it', async (_, at) => {
    const damaged = good(2);
    damaged[at]! ^= 1;
    const first = await delivered(Buffer.concat([good(0), damaged, good(4)]), { high: 6 });
    expect(first.found).toEqual([
      0,
      1,
      expect.stringMatching(/^the record batch with offsets 2 to 3 cannot be read: its checksum/),
    ]);
    expect(first.nextOffset).toBe(4);
    expect(await delivered(good(4), { from: 4, high: 6 })).toEqual({ found: [4, 5], nextOffset: 6 });
  });

  it('ends where its two counts agree that it does, when nothing follows; else one offset is given up', async () => {
    const damaged = good(2);
    damaged[70]! ^= 1;
    expect((await delivered(damaged, { from: 2, high: 4 })).nextOffset).toBe(4);
    damaged.writeInt32BE(5, 23);
    expect((await delivered(damaged, { from: 2, high: 9 })).nextOffset).toBe(3);
    damaged.writeInt32BE(6, 57);
    expect((await delivered(damaged, { from: 2, high: 9 })).nextOffset).toBe(8);
    expect((await delivered(damaged, { from: 2, high: 5 })).nextOffset).toBe(3);
  });

  it('makes the reader ask again for aborted transactions: it may have been the end of one', async () => {
    const marker = batch({ baseOffset: 1, producerId: 7, kind: 'abort' });
    marker[70]! ^= 1;
    const transaction = { producerId: 7, kind: 'transactional' } as const;
    const set = Buffer.concat([
      batch({ baseOffset: 0, ...transaction }),
      marker,
      batch({ baseOffset: 2, ...transaction }),
    ]);
    const { records, nextOffset } = await committedRecords({ ...PLACE, high: 4 }, set, [
      { producerId: 7, firstOffset: 0 },
    ]);
    expect([records.map(({ unreadable }) => typeof unreadable), nextOffset]).toEqual([['string'], 2]);
  });

  it.each([-12, -1, 0, 48, 2 ** 31 - 1])('when its length is %d', async (length) => {
    const damaged = good(0);
    damaged.writeInt32BE(length, 8);
    expect(await delivered(damaged, { high: 9 })).toEqual({
      found: [`the record batch with offset 0 cannot be read: its length is ${length}`],
      nextOffset: 1,
    });
  });

  it('when its offset is not where it is', async () => {
    for (const [baseOffset, high] of [
      [4096, 9],
      [-3, 9],
      [0, 9], // after another at 0
    ] as const) {
      const { found, nextOffset } = await delivered(Buffer.concat([good(0), good(baseOffset)]), { high });
      expect(found).toEqual([0, 1, expect.stringContaining('which is not where it stands')]);
      expect(nextOffset).toBe(3);
    }
  });

  it.each([
    ['a number without an end', Buffer.alloc(20, 0xff)],
    ['a number that continues beyond its bytes', Buffer.alloc(5, 0x80)],
    ['a record longer than the batch', Buffer.from([0x7e, 0, 0, 0, 1, 1, 0])],
    ['a record of a negative length', Buffer.from([0x01, 0, 0, 0, 1, 1, 0])],
    ['a key longer than its record', Buffer.from([12, 0, 0, 0, 0x7e, 1, 0])],
    ['a million headers', Buffer.from([18, 0, 0, 0, 1, 1, 0x80, 0x89, 0x7a, 0])],
    ['a negative number of headers', Buffer.from([12, 0, 0, 0, 1, 1, 1])],
    ['another record behind the last', Buffer.from([12, 0, 0, 0, 1, 1, 0, 12, 0, 0, 2, 1, 1, 0])],
    ['bytes behind the headers', Buffer.from([14, 0, 0, 0, 1, 1, 0, 0])],
    ['an offset that is not its own', Buffer.from([12, 0, 0, 8, 1, 1, 0])],
    ['nothing', Buffer.alloc(0)],
  ])('when it holds %s under a checksum that fits', async (_, body) => {
    const { found, nextOffset } = await delivered(Buffer.concat([batch({ baseOffset: 0, body }), good(1)]));
    expect(found).toEqual([expect.stringMatching(/^the record batch with offset 0 cannot be read: /), 1, 2]);
    expect(nextOffset).toBe(3);
  });

  it('when it says to hold more records than offsets, or fewer than none', async () => {
    for (const count of [-1, 3, 2 ** 31 - 1]) {
      const damaged = good(0);
      damaged.writeInt32BE(count, 57);
      expect((await delivered(checked(damaged))).found).toEqual([expect.stringContaining(`${count} records`)]);
    }
  });
});

describe.each(Object.entries(CODECS))('a batch that was compressed with %s', (_, { number, compress }) => {
  const record = (bytes: number): Buffer => {
    const zigzag = (value: number): number[] => {
      const out = [];
      for (let left = value * 2; ; left = Math.floor(left / 128)) {
        if (left < 128) return [...out, left];
        out.push((left % 128) | 0x80);
      }
    };
    const head = Buffer.from([0, 0, 0, 1, ...zigzag(bytes)]);
    return Buffer.concat([Buffer.from(zigzag(head.length + bytes + 1)), head, Buffer.alloc(bytes + 1)]);
  };

  it('is read, up to the bytes that it may have', async () => {
    const body = await compress(record(999_000));
    const { records } = await committedRecords(PLACE, batch({ baseOffset: 0, codec: number, body }), []);
    expect(records.map(({ value, unreadable }) => [value?.length, unreadable])).toEqual([[999_000, undefined]]);
    const few = await delivered(batch({ baseOffset: 0, codec: number, body }), {}, 500_000);
    expect(few.found).toEqual([expect.stringContaining('are more than 500000 when decompressed')]);
  });

  it('and says to be forty megabytes takes no memory, and what follows is read', async () => {
    const bomb = batch({ baseOffset: 0, codec: number, body: await compress(Buffer.alloc(40_000_000)) });
    const before = process.memoryUsage.rss();
    const { found, nextOffset } = await delivered(Buffer.concat([bomb, batch({ baseOffset: 1 })]));
    expect([found, nextOffset]).toEqual([[expect.stringMatching(/are more than \d+ when decompressed/), 1], 2]);
    // Less than the bomb; the limit is 16 MiB, which decoders collect piece by piece.
    expect(process.memoryUsage.rss() - before).toBeLessThan(38_000_000);
  });

  it('is one record that says so when its bytes are cut or changed', async () => {
    const body = Buffer.from(await compress(record(30_000)));
    const cut = body.subarray(0, body.length - 5);
    expect((await delivered(batch({ baseOffset: 0, codec: number, body: cut }))).found).toEqual([
      expect.stringMatching(/cannot be read/),
    ]);
  });
});

describe('any bytes of a broker', () => {
  const SETS = Promise.all(
    [
      Promise.resolve(batch({ baseOffset: 0, keys: [Buffer.from('key'), null] })),
      ...Object.values(CODECS).map(async ({ number, compress }) => {
        const plain = batch({ baseOffset: 2, keys: [Buffer.from('a'), null, Buffer.alloc(40)] });
        return batch({
          baseOffset: 2,
          keys: [null, null, null],
          codec: number,
          body: await compress(plain.subarray(61)),
        });
      }),
    ].map(async (each) => Buffer.concat([await each, batch({ baseOffset: 5, keys: [null, null] })])),
  );

  it('is read to an end or said to be unreadable; reading gets on, and no good batch before the damage is lost', async () => {
    const sets = await SETS;
    const change = fc.record({
      at: fc.nat(),
      to: fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), fc.nat(255)),
      isChecked: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.nat(sets.length - 1),
        fc.array(change, { minLength: 1, maxLength: 4 }),
        fc.option(fc.nat(), { nil: undefined }),
        async (which, changes, cut) => {
          const set = Buffer.from(sets[which]!);
          const first = 12 + set.readInt32BE(8);
          for (const { at, to, isChecked } of changes) {
            set[at % set.length] = to;
            if (isChecked) set.writeUInt32BE(crc32c(set.subarray(21, first)), 17);
          }
          if (set[16]! < 2 || set[first + 16]! < 2) return; // a format of old ends the service: see above
          const damaged = cut === undefined ? set : set.subarray(0, cut % (set.length + 1));
          const place = { ...PLACE, high: 7 };
          const { records, nextOffset, isCutOff } = await committedRecords(place, damaged, []);
          expect(nextOffset).toBeGreaterThanOrEqual(damaged.length < 61 || isCutOff ? 0 : 1);
          expect(nextOffset).toBeLessThanOrEqual(7);
          const offsets = records.map(({ offset }) => offset);
          expect(offsets).toEqual([...new Set(offsets)].sort((a, b) => a - b));
          for (const { offset, unreadable, value } of records) {
            expect(offset).toBeLessThan(nextOffset);
            if (unreadable !== undefined) expect(value).toBeNull();
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});

/** A record batch of records with the given keys and without value, as a broker stores it. */
function batch({
  baseOffset,
  producerId = -1,
  kind = 'plain',
  keys = [null],
  lastOffset,
  codec = 0,
  body,
}: Batch): Buffer {
  const isControl = kind === 'abort' || kind === 'commit';
  const of = isControl ? [Buffer.from([0, 0, 0, kind === 'commit' ? 1 : 0])] : keys;
  const zigzag = (value: number): number => (value < 0 ? -value * 2 - 1 : value * 2);
  const records = of.map((key, delta) => {
    const record = [0, 0, zigzag(delta), ...(key ? [zigzag(key.length), ...key] : [zigzag(-1)]), zigzag(-1), 0];
    return Buffer.from([zigzag(record.length), ...record]);
  });
  const stored = body ?? Buffer.concat(records);
  const header = Buffer.alloc(61);
  header.writeBigInt64BE(BigInt(baseOffset), 0);
  header.writeInt32BE(49 + stored.length, 8);
  header.writeInt8(2, 16);
  header.writeInt16BE(codec | (kind === 'plain' ? 0 : 0x10) | (isControl ? 0x20 : 0), 21);
  header.writeInt32BE((lastOffset ?? baseOffset + of.length - 1) - baseOffset, 23);
  header.writeBigInt64BE(1_700_000_000_000n, 27);
  header.writeBigInt64BE(1_700_000_000_000n, 35);
  header.writeBigInt64BE(BigInt(producerId), 43);
  header.writeInt32BE(records.length, 57);
  return checked(Buffer.concat([header, stored]));
}

/** The batch with the checksum of what it holds. */
function checked<B extends Buffer>(bytes: B): B {
  bytes.writeUInt32BE(crc32c(bytes.subarray(21)), 17);
  return bytes;
}

/** What is delivered of a set: the offset of each good record, and where and why there is none. */
async function delivered(
  set: Buffer,
  place: { readonly from?: number; readonly high?: number } = {},
  maxBatchBytes?: number,
): Promise<{ readonly found: (number | string)[]; readonly nextOffset: number }> {
  const { records, nextOffset } = await committedRecords({ ...PLACE, ...place }, set, [], maxBatchBytes);
  return { found: records.map(({ offset, unreadable }) => unreadable ?? offset), nextOffset };
}
