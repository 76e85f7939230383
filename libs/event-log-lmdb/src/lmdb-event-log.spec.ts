import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventLog, LogRecord, NewRecord } from '@seamstream/event-log';
import { open } from 'lmdb';
import { LmdbEventLog, type LmdbEventLogOptions } from './lmdb-event-log.js';
import { translated } from './log-files.js';

const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);
const record = (value: string, partition = 0): NewRecord => ({ topic: 't', key: null, value: bytes(value), partition });

describe('LmdbEventLog', () => {
  let folder: string;
  let logs: EventLog[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'event-log-'));
    logs = [];
  });
  afterEach(async () => {
    await Promise.all(logs.map((log) => log.close()));
    await rm(folder, { recursive: true });
  });
  const openLog = async (options: Partial<LmdbEventLogOptions> = {}): Promise<LmdbEventLog> => {
    const log = await LmdbEventLog.open({ folder, ...options });
    logs.push(log);
    return log;
  };
  const closeAll = async () => {
    await Promise.all(logs.map((log) => log.close()));
    logs = [];
  };
  const valuesOf = async (log: EventLog, partition = 0): Promise<string[]> => {
    const values: string[] = [];
    for await (const chunk of log.read({ topic: 't', partition, from: 0 }))
      values.push(...chunk.map((one) => Buffer.from(one.value!).toString()));
    return values;
  };
  const dataFile = () => join(folder, 'data.mdb');

  it('keeps everything across closing and opening, with offsets that have no gaps', async () => {
    const first = await openLog();
    await first.createTopics([{ name: 't', partitions: 2 }]);
    await first.append([record('a'), record('b', 1), record('c')]);
    await closeAll();
    const second = await openLog();
    expect(await second.append([record('d')])).toEqual([{ topic: 't', partition: 0, offset: 2 }]);
    expect([await valuesOf(second), await valuesOf(second, 1), await second.topics()]).toEqual([
      ['a', 'c', 'd'],
      ['b'],
      [{ name: 't', partitions: 2 }],
    ]);
  });

  describe('a damaged file', () => {
    const damage = async (text: string): Promise<void> => {
      const content = await readFile(dataFile());
      const at = content.indexOf(text);
      expect(at).toBeGreaterThan(0);
      content[at]! ^= 1;
      await writeFile(dataFile(), content);
    };

    it('is noticed at the record, which is named and not served; what stands before it and elsewhere is', async () => {
      const log = await openLog();
      await log.createTopics([{ name: 't', partitions: 2 }]);
      await log.append([record('sound-1'), record('damaged-2'), record('behind-3'), record('elsewhere', 1)]);
      await closeAll();
      await damage('damaged-2');
      const reopened = await openLog();
      const seen: LogRecord[] = [];
      const reading = (async () => {
        for await (const chunk of reopened.read({ topic: 't', partition: 0, from: 0 })) seen.push(...chunk);
      })();
      await expect(reading).rejects.toMatchObject({
        code: 'LOG_CORRUPT',
        details: { topic: 't', partition: 0, offset: 1 },
      });
      expect(seen.map((one) => Buffer.from(one.value!).toString())).toEqual(['sound-1']);
      expect(await valuesOf(reopened, 1)).toEqual(['elsewhere']);
    });

    it('ends a subscription loudly at the damaged record', async () => {
      const log = await openLog();
      await log.createTopics([{ name: 't', partitions: 1 }]);
      await log.append([record('sound'), record('damaged')]);
      await closeAll();
      await damage('damaged');
      const reopened = await openLog();
      const seen: number[] = [];
      const subscription = await reopened.consume({
        group: 'g',
        topics: ['t'],
        from: 'earliest',
        maxBatchRecords: 10,
        onBatch: async ({ records, claim }) => {
          seen.push(...records.map((one) => one.offset));
          await reopened.transact({
            records: [],
            consumed: { claim, offsets: [{ topic: 't', partition: 0, nextOffset: records.at(-1)!.offset + 1 }] },
          });
        },
      });
      await expect(subscription.closed).rejects.toMatchObject({ code: 'LOG_CORRUPT', details: { offset: 1 } });
      expect(seen).toEqual([0]);
    });

    it('that was cut short is refused, or its missing records are', async () => {
      const log = await openLog();
      await log.createTopics([{ name: 't', partitions: 1 }]);
      for (let index = 0; index < 4; index++) await log.append([record(`${index}`.repeat(600_000))]);
      await closeAll();
      const { length } = await readFile(dataFile());
      const tail = length - 200_000;
      await truncate(dataFile(), tail);
      const reopened = await openLog();
      await expect(valuesOf(reopened)).rejects.toMatchObject({
        code: 'LOG_CORRUPT',
        details: { topic: 't', partition: 0 },
      });
      await closeAll();
      await truncate(dataFile(), tail - 1_500_000);
      await expect(openLog()).rejects.toMatchObject({
        code: 'LOG_CORRUPT',
        message: expect.stringContaining('cut short'),
      });
    });
  });

  describe('what is no log of this version', () => {
    it.each([
      ['text', Buffer.from('this is no database at all\n'.repeat(1000))],
      ['zeros', Buffer.alloc(20_000)],
      ['a few bytes', Buffer.from('x')],
    ])('is refused: a file of %s', async (_, content) => {
      await writeFile(dataFile(), content);
      await expect(openLog()).rejects.toMatchObject({ code: 'LOG_CORRUPT', message: expect.stringContaining(folder) });
      expect(await readFile(dataFile())).toEqual(content); // and left as it was
    });

    it('is refused: the LMDB file of another program', async () => {
      const other = open({ path: folder, noSubdir: false, overlappingSync: false });
      await other.put('theirs', 'data');
      await other.close();
      await expect(openLog()).rejects.toMatchObject({
        code: 'LOG_CORRUPT',
        message: expect.stringContaining('another program'),
      });
    });

    it('is refused: a log of another format version, naming both', async () => {
      await openLog();
      await closeAll();
      const raw = open<Buffer, Buffer>({
        path: folder,
        noSubdir: false,
        overlappingSync: false,
        encoding: 'binary',
        keyEncoding: 'binary',
      });
      const state = raw.openDB<Buffer, Buffer>({ name: 'state', encoding: 'binary', keyEncoding: 'binary' });
      state.putSync(Buffer.from('format'), Buffer.from(JSON.stringify({ format: 'seamstream-event-log', version: 2 })));
      await raw.close();
      await expect(openLog()).rejects.toMatchObject({
        code: 'LOG_INCOMPATIBLE_VERSION',
        details: { expected: 1, found: 2 },
      });
    });
  });

  describe('without space', () => {
    it('refuses what does not fit, keeps the rest, and goes on when there is more', async () => {
      const log = await openLog({ mapSizeBytes: 2 * 1024 ** 2 });
      await log.createTopics([{ name: 't', partitions: 1 }]);
      const value = 'x'.repeat(300_000);
      let kept = 0;
      const filling = (async () => {
        for (; kept < 20; kept++) await log.append([record(value)]);
      })();
      await expect(filling).rejects.toMatchObject({ code: 'LOG_FULL', retryable: true });
      expect(kept).toBeGreaterThanOrEqual(3);
      expect(await valuesOf(log)).toHaveLength(kept);
      expect((await readFile(dataFile())).length).toBeLessThanOrEqual(2 * 1024 ** 2);
      await closeAll();
      const larger = await openLog({ mapSizeBytes: 8 * 1024 ** 2 });
      await larger.append([record('goes on')]);
      expect((await valuesOf(larger)).at(-1)).toBe('goes on');
    });

    it('still commits how far a consumer has read', async () => {
      const log = await openLog({ mapSizeBytes: 1024 ** 2 });
      await log.createTopics([{ name: 't', partitions: 1 }]);
      await log.append([record('small')]);
      await expect(log.append(Array.from({ length: 4 }, () => record('x'.repeat(400_000))))).rejects.toMatchObject({
        code: 'LOG_FULL',
      });
      let committed = (): void => undefined;
      const done = new Promise<void>((resolve) => (committed = resolve));
      const subscription = await log.consume({
        group: 'g',
        topics: ['t'],
        from: 'earliest',
        maxBatchRecords: 10,
        onBatch: async ({ claim }) => {
          await log.transact({
            records: [],
            consumed: { claim, offsets: [{ topic: 't', partition: 0, nextOffset: 1 }] },
          });
          committed();
        },
      });
      await done;
      await subscription.close();
      expect(await log.committedOffsets('g')).toEqual([{ topic: 't', partition: 0, nextOffset: 1 }]);
    });
  });

  describe('opened for reading', () => {
    it('reads, follows and refuses to write', async () => {
      const writer = await openLog();
      await writer.createTopics([{ name: 't', partitions: 1 }]);
      await writer.append([record('a')]);
      const reader = await openLog({ readOnly: true });
      expect(await valuesOf(reader)).toEqual(['a']);
      await expect(reader.append([record('b')])).rejects.toMatchObject({ code: 'LOG_READ_ONLY' });
      await expect(reader.createTopics([])).rejects.toMatchObject({ code: 'LOG_READ_ONLY' });
      await writer.append([record('c')]);
      expect(await valuesOf(reader)).toEqual(['a', 'c']);
    });

    it('creates nothing where there is no log', async () => {
      const missing = join(folder, 'missing');
      await expect(openLog({ folder: missing, readOnly: true })).rejects.toMatchObject({
        code: 'LOG_UNAVAILABLE',
        message: expect.stringContaining('no log'),
      });
      await mkdir(missing); // would fail if it existed
    });
  });

  it.each([
    ['EROFS', 'LOG_READ_ONLY'],
    ['EACCES', 'LOG_READ_ONLY'],
    ['ENOSPC', 'LOG_FULL'],
    ['EDQUOT', 'LOG_FULL'],
    [-30792, 'LOG_FULL'],
    [-30796, 'LOG_CORRUPT'],
    [-30794, 'LOG_INCOMPATIBLE_VERSION'],
    ['EIO', 'LOG_UNAVAILABLE'],
  ])('says %s of the system as %s', (system, expected) => {
    expect(translated(Object.assign(new Error('refused'), { code: system }), 'committing').code).toBe(expected);
  });

  it('refuses options that cannot work', async () => {
    await expect(openLog({ mapSizeBytes: 1000 })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(openLog({ sessionTimeoutMs: 5 })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});
