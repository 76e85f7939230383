import { committedRecords } from './record-set.js';

interface Batch {
  readonly baseOffset: number;
  readonly producerId?: number;
  readonly kind?: 'plain' | 'transactional' | 'abort' | 'commit';
  readonly keys?: readonly (Buffer | null)[];
  /** Offsets up to here belong to the batch, also where compaction has removed the records. */
  readonly lastOffset?: number;
}

const ZERO_KEY = Buffer.from([0, 0, 0, 0]);
const PLACE = { topic: 't', partition: 0, from: 0 };

/** A record batch of records with the given keys and without value, as a broker stores it; its checksum is left out. */
function batch({ baseOffset, producerId = -1, kind = 'plain', keys = [null], lastOffset }: Batch): Buffer {
  const isControl = kind === 'abort' || kind === 'commit';
  const of = isControl ? [Buffer.from([0, 0, 0, kind === 'commit' ? 1 : 0])] : keys;
  const zigzag = (value: number): number => (value < 0 ? -value * 2 - 1 : value * 2);
  const records = of.map((key, delta) => {
    const body = [0, 0, zigzag(delta), ...(key ? [zigzag(key.length), ...key] : [zigzag(-1)]), zigzag(-1), 0];
    return Buffer.from([zigzag(body.length), ...body]);
  });
  const header = Buffer.alloc(61);
  header.writeBigInt64BE(BigInt(baseOffset), 0);
  header.writeInt32BE(49 + records.reduce((sum, { length }) => sum + length, 0), 8);
  header.writeInt8(2, 16);
  header.writeInt16BE((kind === 'plain' ? 0 : 0x10) | (isControl ? 0x20 : 0), 21);
  header.writeInt32BE((lastOffset ?? baseOffset + of.length - 1) - baseOffset, 23);
  header.writeBigInt64BE(1_700_000_000_000n, 27);
  header.writeBigInt64BE(1_700_000_000_000n, 35);
  header.writeBigInt64BE(BigInt(producerId), 43);
  header.writeInt32BE(records.length, 57);
  return Buffer.concat([header, ...records]);
}

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

describe('reading a record set', () => {
  it('hides the records of aborted transactions, whatever their keys, until the marker', async () => {
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
