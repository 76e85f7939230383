import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventLog, ForwardingEventLog, InMemoryEventLog, type ReadOptions } from '@seamstream/event-log';
import { encodeEvent, TOPICS } from '@seamstream/events';
import { Random } from '@seamstream/kernel';
import { type EventChunk, presentRanges } from '@seamstream/log-reader';
import {
  adapterLineageProjection,
  faithfulEntriesProjection,
  ledgerProjection,
  successByArmProjection,
  trainingProgressProjection,
} from '@seamstream/read-models';
import { totalRecords } from '@seamstream/testing';
import { history } from '@seamstream/testing/log-history';
import { published } from '@seamstream/testing/log-of';
import type { SnapshotUse } from './kept-model.js';
import { jointUse, KeptReading, type KeptReadingOptions } from './kept-reading.js';

const { signal } = new AbortController();
const options = { signal, progress: () => ({ advance: () => undefined, stop: () => undefined }) };
/** How often a snapshot is damaged: `npm run fuzz:snapshots` does it more often. */
const DAMAGES = Number(process.env.SEAM_TEST_DAMAGES ?? 25);

/** So that small histories are spilled, merged and kept often. */
const OFTEN = { worthKeeping: 1, recordsBetween: 40, mostChanged: 10 };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'seam-snapshots-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function modelsOf(reading: KeptReading) {
  return [
    reading.of(ledgerProjection),
    reading.of(successByArmProjection),
    reading.of(faithfulEntriesProjection),
    reading.of(trainingProgressProjection),
    reading.of(adapterLineageProjection),
  ] as const;
}

interface Told {
  readonly answers: readonly unknown[];
  readonly use: SnapshotUse;
  readonly ledger: SnapshotUse;
}

/** What all read models answer; with snapshots in the spec's folder unless said otherwise. */
async function tell(log: EventLog, changed: Partial<KeptReadingOptions> = {}): Promise<Told> {
  const place = { folder, view: 'all' };
  const reading = await KeptReading.open(log, { place, code: 'c1', limits: OFTEN, ...changed });
  try {
    const models = modelsOf(reading);
    await reading.readOn(options);
    return { answers: models.map((model) => model.answer()), use: jointUse(models), ledger: models[0].use() };
  } finally {
    reading.close();
  }
}

async function fromBeginning(log: EventLog): Promise<readonly unknown[]> {
  return (await tell(log, { place: null })).answers;
}

async function emptyLog(): Promise<InMemoryEventLog> {
  const log = new InMemoryEventLog();
  await log.createTopics(TOPICS);
  return log;
}

/** Of all snapshots of the spec, the files. */
const files = (): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());

type Comparison = Omit<Parameters<KeptReading['compare']>[1], 'signal'>;
async function comparedIn(log: EventLog, comparison: Comparison) {
  const reading = await KeptReading.open(log, { place: { folder, view: 'all' }, code: 'c1' });
  const compared = await reading.compare([ledgerProjection, successByArmProjection], { signal, ...comparison });
  reading.close();
  return compared;
}

describe('A fold from a snapshot', () => {
  it.each(Array.from({ length: 12 }, (_, seed) => seed))(
    'equals the fold from the beginning, wherever the history is cut (history %i)',
    async (seed) => {
      const random = Random.of('cuts', seed);
      const log = await emptyLog();
      const records = history(seed, 160);
      for (let from = 0; from < records.length; ) {
        const to = Math.min(records.length, from + 1 + random.int(50));
        await log.append(records.slice(from, to));
        const { answers, use } = await tell(log);
        expect(answers).toEqual(await fromBeginning(log));
        expect(use.from).toBe(from === 0 ? 'beginning' : 'snapshot');
        from = to;
      }
    },
  );

  it('reads only what is new', async () => {
    const log = await emptyLog();
    await log.append(history(1, 100));
    expect((await tell(log)).use).toMatchObject({ from: 'beginning', snapshot: { passedOver: 'there is none' } });
    let read = 0;
    class Counting extends ForwardingEventLog {
      override async *read(range: ReadOptions) {
        for await (const chunk of super.read(range)) {
          read += chunk.length;
          yield chunk;
        }
      }
    }
    await log.append([encodeEvent(published('new'))]);
    const { use } = await tell(new Counting(log));
    expect(use).toMatchObject({ from: 'snapshot', snapshot: { passedOver: null } });
    // One record that is new, and of each partition the last one that was folded, which proves that it is the same log.
    const partitions = TOPICS.reduce((sum, { partitions: some }) => sum + some, 0);
    expect(read).toBeLessThanOrEqual(1 + 5 * partitions);
  });

  it('resumes where a reading was stopped', async () => {
    const log = await emptyLog();
    await log.append(history(2, 400));
    const stop = new AbortController();
    const reading = await KeptReading.open(log, { place: { folder, view: 'all' }, code: 'c1', limits: OFTEN });
    modelsOf(reading);
    let chunks = 0;
    const progress = () => ({
      advance: () => {
        if (++chunks === 3) stop.abort(new Error('stopped'));
      },
      stop: () => undefined,
    });
    await expect(reading.readOn({ signal: stop.signal, progress })).rejects.toThrow('stopped');
    reading.close();
    const { answers, ledger } = await tell(log);
    expect(answers).toEqual(await fromBeginning(log));
    expect(ledger.snapshot.records).toBeGreaterThan(0);
  });

  it('holds no more cells in memory than it may, and as many files as the number of cells has digits', async () => {
    const log = await emptyLog();
    await log.append(Array.from({ length: 3000 }, (_, n) => encodeEvent(published(`p${n}`))));
    const limits = { ...OFTEN, mostChanged: 100, recordsBetween: 100 };
    expect((await tell(log, { limits })).answers).toEqual(await fromBeginning(log));
    const ledger = files().filter((path) => /ledger.*\.cells$/.test(path));
    expect(ledger.length).toBeLessThanOrEqual(12);
    expect(files().filter((path) => /ledger.*\.snapshot$/.test(path))).toHaveLength(1);
  });
});

describe('A snapshot', () => {
  it('that is damaged anywhere is passed over, and replaced', async () => {
    const log = await emptyLog();
    await log.append(history(3, 300));
    await tell(log);
    await log.append(history(4, 60));
    const expected = await fromBeginning(log);
    const random = Random.of('damage', 1);
    const whole = new Map(files().map((path) => [path, readFileSync(path)]));
    const restore = (): void => {
      for (const path of files()) rmSync(path);
      for (const [path, bytes] of whole) writeFileSync(path, bytes, { mode: 0o600 });
    };
    let passedOver = 0;
    for (let trial = 0; trial < DAMAGES; trial++) {
      restore();
      const [path, bytes] = [...whole][random.int(whole.size)]!;
      const damaged = Buffer.from(bytes);
      const at = random.int(damaged.length);
      const kind = random.int(4);
      if (kind === 0) rmSync(path);
      else if (kind === 1) writeFileSync(path, damaged.subarray(0, at));
      else {
        for (let n = 0; n < (kind === 2 ? 1 : 64) && at + n < damaged.length; n++)
          damaged[at + n]! ^= 1 + random.int(255);
        writeFileSync(path, damaged);
      }
      const { answers, use } = await tell(log);
      expect([trial, answers]).toEqual([trial, expected]);
      if (use.from === 'beginning') passedOver++;
      expect((await tell(log)).answers).toEqual(expected);
    }
    // A block that no look-up needs is not looked at.
    expect(passedOver).toBeGreaterThan(DAMAGES / 2);
  });

  it.each([
    ['another release', 'c2', 'all', false, 'it is of another release'],
    ['other keys', 'c1', 'some', false, 'other keys are believed'],
    ['a log that is to be read from scratch', 'c1', 'all', true, 'from scratch'],
  ])('of %s is passed over and replaced', async (_, code, view, fromScratch, why) => {
    const log = await emptyLog();
    await log.append(history(5, 80));
    await tell(log);
    const others = { code, place: { folder, view } };
    const { answers, use } = await tell(log, { ...others, fromScratch });
    expect([answers, use]).toEqual([
      await fromBeginning(log),
      { from: 'beginning', snapshot: { records: 0, passedOver: why, kept: 'written' } },
    ]);
    expect((await tell(log, others)).use.from).toBe('snapshot');
  });

  it('of a log that was recreated, cut, trimmed or written differently under the same identity is passed over', async () => {
    const log = await emptyLog();
    const records = history(6, 120);
    await log.append(records);
    await tell(log);
    class Named extends ForwardingEventLog {
      override identity(): Promise<string> {
        return log.identity();
      }
    }
    class Trimmed extends Named {
      override async watermarks(topic: string) {
        return (await super.watermarks(topic)).map((mark) => ({ ...mark, low: Math.min(mark.high, mark.low + 1) }));
      }
    }
    const shorter = await emptyLog();
    await shorter.append(records.slice(0, 60));
    const regrown = await emptyLog();
    await regrown.append([...records.slice(0, 60), ...history(7, 200)]);
    for (const other of [await emptyLog(), new Named(shorter), new Named(regrown), new Trimmed(log)]) {
      const { answers, use } = await tell(other);
      expect(answers).toEqual(await fromBeginning(other));
      expect(use.from).toBe('beginning');
      // Of the log itself it is there again.
      expect((await tell(log)).answers).toEqual(await fromBeginning(log));
    }
  });

  it('that has no place, or that others may write, is done without', async () => {
    const log = await emptyLog();
    await log.append(history(8, 80));
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const without = await tell(log, { place: { folder: file, view: 'all' } });
    expect(without).toMatchObject({
      answers: await fromBeginning(log),
      use: { from: 'beginning', snapshot: { records: 0, passedOver: 'there is no place for it', kept: 'not written' } },
    });
    await tell(log);
    for (const path of new Set(files().map((each) => join(each, '..')))) if (path !== folder) chmodSync(path, 0o777);
    expect((await tell(log)).use.snapshot).toEqual({
      records: 0,
      passedOver: 'others may write its folder',
      kept: 'not written',
    });
  });

  it('with one figure changed is passed over', async () => {
    const log = await emptyLog();
    await log.append(history(15, 120));
    await tell(log);
    await log.append([encodeEvent(published('later'))]);
    for (const path of files().filter((each) => each.endsWith('.snapshot'))) {
      const changed = readFileSync(path, 'utf8').replace(/"records":(\d+)/, (_, records) => `"records":${records}0`);
      writeFileSync(path, changed);
    }
    const { answers, use } = await tell(log);
    expect([answers, use.snapshot]).toEqual([
      await fromBeginning(log),
      { records: 0, passedOver: 'it is damaged', kept: 'written' },
    ]);
  });

  it('counts each record once, however far the others of a reading are', async () => {
    const log = await emptyLog();
    const records = history(16, 200);
    await log.append(records.slice(0, 90));
    const read = async (both: boolean) => {
      const reading = await KeptReading.open(log, { place: { folder, view: 'all' }, code: 'c1', limits: OFTEN });
      const success = reading.of(successByArmProjection);
      if (both) reading.of(ledgerProjection);
      await reading.readOn(options);
      reading.close();
      return success.read;
    };
    await read(false);
    await log.append(records.slice(90));
    const poison = ({ value }: (typeof records)[number]) => value?.toString() === 'poison';
    const outcomes = records.filter(({ topic }) => topic === 'seam.outcomes');
    expect(await read(true)).toEqual({ records: outcomes.length, unreadable: outcomes.filter(poison).length });
  });

  it('is compared with the records that it was folded from, on request', async () => {
    const log = await emptyLog();
    await log.append(history(14, 120));
    const compare = async (mostRecords: number) => (await comparedIn(log, { mostRecords }))[0];
    expect(await compare(1000)).toEqual({ model: 'ledger', records: 0, state: 'none' });
    await tell(log);
    await log.append([encodeEvent(published('later'))]);
    expect(await compare(1000)).toMatchObject({ model: 'ledger', state: 'agrees' });
    expect(await compare(10)).toMatchObject({ model: 'ledger', state: 'not compared' });
    // Written by a fold that forgets what is published, and says that it is this one.
    const wrong: typeof ledgerProjection = {
      ...ledgerProjection,
      evolve: (state, event, position) =>
        event.type === 'ProblemPublished' ? state : ledgerProjection.evolve(state, event, position),
    };
    const reading = await KeptReading.open(log, { place: { folder, view: 'all' }, code: 'c1', fromScratch: true });
    reading.of(wrong);
    await reading.readOn(options);
    reading.close();
    expect(await compare(1000)).toMatchObject({ model: 'ledger', state: 'disagrees' });
  });

  it('is compared together with those of other models in one reading of the records', async () => {
    const log = await emptyLog();
    await log.append(history(14, 120));
    await tell(log);
    let read = 0;
    const counting = Object.assign(Object.create(log) as typeof log, {
      read(range: Parameters<typeof log.read>[0]) {
        if (range.topic === 'seam.outcomes') read += range.to! - range.from;
        return log.read(range);
      },
    });
    const compare = async (comparison: Comparison) => {
      read = 0;
      const compared = await comparedIn(counting, comparison);
      return { states: compared.map(({ state }) => state), read };
    };
    const stored = await totalRecords(log, 'seam.outcomes');
    const once = { states: ['agrees', 'agrees'], read: (await compare({ mostRecords: 0 })).read + stored };
    expect(await compare({ mostRecords: 1000 })).toEqual(once);
    // Another reader gets them in the same reading, and alone where no snapshot is compared.
    let taken = 0;
    const take = async ({ range, records }: EventChunk) => {
      if (range.topic === 'seam.outcomes') taken += records.length;
    };
    const alongside = { ranges: await presentRanges(log, ['seam.outcomes']), take };
    expect(await compare({ mostRecords: 1000, alongside })).toEqual(once);
    expect((await compare({ mostRecords: 0, alongside })).read).toBe(once.read);
    expect(taken).toBe(2 * stored);
  });

  it('is for its owner alone', async () => {
    const log = await emptyLog();
    await log.append(history(9, 80));
    await tell(log);
    const modes = files().map((path) => [statSync(path).mode & 0o077, statSync(join(path, '..')).mode & 0o077]);
    expect(modes.length).toBeGreaterThan(5);
    expect(modes.flat().every((mode) => mode === 0)).toBe(true);
  });

  it('stays whole when many read and keep at once', async () => {
    const log = await emptyLog();
    await log.append(history(10, 60));
    await tell(log);
    for (const seed of [11, 12, 13]) {
      await log.append(history(seed, 120));
      const expected = await fromBeginning(log);
      const told = await Promise.all([1, 2, 3, 4].map(() => tell(log)));
      for (const { answers } of told) expect(answers).toEqual(expected);
      const after = await tell(log);
      expect([after.answers, after.use.from]).toEqual([expected, 'snapshot']);
    }
    // What the slower ones wrote is gone.
    expect(files().filter((path) => path.endsWith('.snapshot'))).toHaveLength(5);
  });
});
