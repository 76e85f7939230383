import { ReadWriteLock } from '@seamstream/kernel';
import { InMemoryObjectStore } from '@seamstream/object-store';
import type { Item } from './batch-item.js';
import { CrashIsolation, CrashJournal } from './crash-journal.js';

const PLACE = 'seam.problems/0';

describe('marks of in-flight records', () => {
  /** Each process has its own marks on the same store. */
  const processes = (objects = new InMemoryObjectStore()) => {
    const warnings: string[] = [];
    const process = (): CrashJournal =>
      new CrashJournal({ objects, group: 'g', maxDeaths: 2, warn: (reason) => warnings.push(reason) });
    return { objects, process, warnings };
  };

  it('suspect a batch after some deaths, and its first record after some more alone', async () => {
    const { process } = processes();
    for (let start = 0; start < 2; start++)
      expect(await process().taken(PLACE, 10, 20)).toEqual({ until: 0, deaths: 0 });
    let marks = process();
    expect(await marks.taken(PLACE, 10, 20)).toEqual({ until: 20, deaths: 0 });
    await marks.takenAlone(PLACE, 10, { until: 20, deaths: 0 });
    await marks.takenAlone(PLACE, 11, { until: 20, deaths: 0 });
    // It dies with record 11; what it did before is committed, and later batches may be cut elsewhere.
    for (const deaths of [1, 2]) {
      marks = process();
      expect(await marks.taken(PLACE, 11, 13)).toEqual({ until: 20, deaths });
      await marks.takenAlone(PLACE, 11, { until: 20, deaths });
    }
  });

  it('forget a process that ended in order or got on', async () => {
    const { process, objects } = processes();
    for (let start = 0; start < 5; start++) {
      const marks = process();
      expect(await marks.taken(PLACE, 10, 20)).toEqual({ until: 0, deaths: 0 });
      await marks.clearAll();
    }
    const mark = await objects.get('operations/in-hand/g/seam.problems/0.json');
    expect(JSON.parse(Buffer.from(mark).toString())).toMatchObject({ inHand: null });
    await process().taken(PLACE, 10, 20);
    await process().taken(PLACE, 10, 20);
    // It dies after its first batch, before the mark was deleted.
    expect(await process().taken(PLACE, 20, 30)).toEqual({ until: 0, deaths: 0 });
  });

  it('blame what hangs at once', async () => {
    const { process } = processes();
    await process().hung(PLACE, 10, 20);
    const marks = process();
    expect(await marks.taken(PLACE, 10, 20)).toEqual({ until: 20, deaths: 0 });
    await marks.takenAlone(PLACE, 10, { until: 20, deaths: 0 });
    await marks.hung(PLACE, 10, 11);
    await marks.clearAll();
    expect(await process().taken(PLACE, 10, 20)).toEqual({ until: 20, deaths: 1 });
  });

  it('of the new owner stay as they are when the former one wakes up', async () => {
    const { process } = processes();
    const [late, owner] = [process(), process()];
    await late.taken(PLACE, 10, 20);
    await owner.taken(PLACE, 10, 20);
    await late.takenAlone(PLACE, 15, { until: 20, deaths: 0 });
    await late.hung(PLACE, 15, 20);
    await late.clear(PLACE);
    await late.clearAll();
    // With the owner's death two have died with these records.
    expect(await process().taken(PLACE, 10, 20)).toEqual({ until: 20, deaths: 0 });
  });

  it('are not needed for the work: a store that fails is a warning', async () => {
    const { objects, process, warnings } = processes();
    await objects.close();
    expect(await process().taken(PLACE, 10, 20)).toEqual({ until: 0, deaths: 0 });
    expect(warnings.length).toBeGreaterThan(0);
  });
});

describe('what is taken alone', () => {
  const KEY = 'operations/in-hand/g/seam.problems/0.json';
  const record = (offset: number) =>
    ({ topic: 'seam.problems', partition: 0, offset, key: null, value: null, headers: {}, timestampMs: 1 }) as const;
  const itemsFrom = (first: number, count: number): Item[] =>
    Array.from({ length: count }, (_, index) => ({ record: record(first + index), event: {} }) as unknown as Item);

  it('and waits is delivered again alone, and is not in flight meanwhile', async () => {
    const objects = new InMemoryObjectStore();
    const process = (): CrashJournal => new CrashJournal({ objects, group: 'g', maxDeaths: 2, warn: () => undefined });
    for (let death = 0; death < 2; death++) await process().taken(PLACE, 10, 13);
    const isolation = new CrashIsolation({ marks: process(), lock: new ReadWriteLock() });
    const claim = { group: 'g', memberId: 'm', token: 1 };
    const { signal } = new AbortController();
    const items = itemsFrom(10, 3);
    const batch = { topic: 'seam.problems', partition: 0, records: items.map((item) => item.record), claim, signal };
    const asked: number[][] = [];
    let isReady = false;
    const finish = (some: readonly Item[]): Promise<boolean> => {
      asked.push(some.map((item) => item.record.offset));
      return Promise.resolve(isReady);
    };
    for (let delivery = 0; delivery < 2; delivery++) {
      await isolation.finish(batch, items, signal, finish);
      expect(JSON.parse(Buffer.from(await objects.get(KEY)).toString())).toMatchObject({ inHand: null });
    }
    isReady = true;
    await isolation.finish(batch, items, signal, finish);
    expect(asked).toEqual([[10], [10], [10], [11], [12]]);
  });
});
