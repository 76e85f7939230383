import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventLog, LogRecord, NewRecord } from '@seamstream/event-log';
import { open } from 'lmdb';
import { FIRST_BLOCK, FIRST_PLACE } from './first-format.contract.js';
import { LmdbEventLog, type LmdbEventLogOptions } from './lmdb-event-log.js';
import { type LogFiles, openLogFiles, translated } from './log-files.js';
import { blockKey, FORMAT, stateKey } from './log-keys.js';

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
  const changeFiles = async (change: (files: LogFiles) => void): Promise<void> => {
    const files = openLogFiles(folder, { readOnly: true, mapSizeBytes: 1024 ** 3 });
    change(files);
    await files.root.close();
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
    /** Flips a bit of the text wherever it stands: pages that later commits replaced still hold it. */
    const damage = async (text: string): Promise<void> => {
      const content = await readFile(dataFile());
      expect(content.indexOf(text)).toBeGreaterThan(0);
      for (let at = content.indexOf(text); at >= 0; at = content.indexOf(text, at)) content[at]! ^= 1;
      await writeFile(dataFile(), content);
    };

    it('is noticed at the commit, which is named and not served; what stands before it and elsewhere is', async () => {
      const log = await openLog();
      await log.createTopics([{ name: 't', partitions: 2 }]);
      await log.append([record('sound-1'), record('elsewhere', 1)]);
      await log.append([record('beside-2'), record('damaged-3')]);
      await log.append([record('behind-4')]);
      await closeAll();
      await damage('damaged-3');
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
      await log.append([record('sound')]);
      await log.append([record('damaged')]);
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

    it('is refused: a log of a later format version, naming both', async () => {
      await openLog();
      await closeAll();
      await changeFiles((files) => {
        files.state.putSync(stateKey.format, Buffer.from(JSON.stringify({ ...FORMAT, version: 3 })));
      });
      await expect(openLog()).rejects.toMatchObject({
        code: 'LOG_INCOMPATIBLE_VERSION',
        details: { expected: 2, found: 3 },
      });
    });
  });

  describe('of format version 1', () => {
    const versionOf = async (): Promise<unknown> => {
      let version: unknown;
      await changeFiles((files) => {
        version = (JSON.parse(files.state.getBinary(stateKey.format)!.toString()) as { version: unknown }).version;
      });
      return version;
    };
    beforeEach(async () => {
      const log = await openLog();
      await log.createTopics([{ name: 't', partitions: 1 }]);
      await closeAll();
      await changeFiles((files) => {
        const { topicId, partition, baseOffset } = FIRST_PLACE;
        files.records.putSync(blockKey(topicId, partition, baseOffset), Buffer.from(FIRST_BLOCK, 'hex'));
        const end = Buffer.alloc(16);
        end.writeDoubleLE(3, 0);
        end.writeDoubleLE(7, 8);
        files.state.putSync(stateKey.partition(topicId, partition), end);
        files.state.putSync(stateKey.format, Buffer.from(JSON.stringify({ ...FORMAT, version: 1 })));
      });
    });
    const textsOf = async (log: EventLog): Promise<(string | null)[]> => {
      const texts: (string | null)[] = [];
      for await (const chunk of log.read({ topic: 't', partition: 0, from: 0 }))
        texts.push(...chunk.map(({ value }) => value && Buffer.from(value).toString()));
      return texts;
    };

    it('is read and left as it is by who only reads', async () => {
      expect(await textsOf(await openLog({ readOnly: true }))).toEqual(['first', 'second', null]);
      await closeAll();
      expect(await versionOf()).toBe(1);
    });

    it('is written on, and then one of the present version, which the release before refuses', async () => {
      const log = await openLog();
      expect(await log.append([record('third')])).toEqual([{ topic: 't', partition: 0, offset: 3 }]);
      expect(await textsOf(log)).toEqual(['first', 'second', null, 'third']);
      expect(await log.offsetForTime('t', 0, 6)).toBe(1);
      await closeAll();
      expect(await versionOf()).toBe(2);
    });
  });

  describe('without space', () => {
    it('refuses what does not fit, keeps the rest, and continues when there is more', async () => {
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
      await larger.append([record('continues')]);
      expect((await valuesOf(larger)).at(-1)).toBe('continues');
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
      const refusal = () => openLog({ folder: missing, readOnly: true });
      await expect(refusal()).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: expect.stringContaining('got nothing'),
      });
      await mkdir(missing); // would fail if it existed
      await expect(refusal()).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: expect.stringContaining('got a folder without one'),
      });
      expect(await readdir(missing)).toEqual([]);
    });

    it('is refused where no folder can be made', async () => {
      await expect(openLog({ folder: '/proc/nope/log' })).rejects.toMatchObject({
        code: 'LOG_READ_ONLY',
        message: expect.stringContaining('no folder can be made at /proc/nope'),
      });
    });
  });

  it.each([
    ['EROFS', 'LOG_READ_ONLY'],
    ['EACCES', 'LOG_READ_ONLY'],
    ['ENOSPC', 'LOG_FULL'],
    ['EDQUOT', 'LOG_FULL'],
    [-30792, 'LOG_FULL'],
    [-30796, 'LOG_CORRUPT'],
    [-30781, 'LOG_CORRUPT'],
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
