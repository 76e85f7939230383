/** What strangers write costs what it costs, and no more: memory stays bounded, and each forged result is looked up by itself. */
import { queryObjects } from 'node:v8';
import { InMemoryEventLog, type LogRecord, type NewRecord, type ReadOptions } from '@seamstream/event-log';
import {
  decodeEvent,
  type EventOf,
  encodeEvent,
  type Problem,
  type SeamEvent,
  TOPIC,
  TOPICS,
} from '@seamstream/events';
import { hashOf, Random } from '@seamstream/kernel';
import { explored, FORGERIES, type HonestResults, outcomeOf } from '@seamstream/testing/result-log';
import fc from 'fast-check';
import { Evidence, type PlacedEvent } from './evidence.js';
import { FirstUses } from './first-uses.js';
import { KeyDirectory, STRETCH_RECORDS } from './key-directory.js';
import { KeyFilter } from './key-filter.js';
import { KnownAdapters } from './known-adapters.js';
import { Memory } from './memory.js';

const problemOf = (index: number): Problem => ({
  problemId: `p-${index}`,
  domain: 'sums',
  prompt: `What is ${index}?`,
  reference: String(index),
  verifier: { kind: 'exact', version: '1', options: {} },
  metadata: {},
});

/** Of one partition; counts how often and how much is read. */
class CountingLog extends InMemoryEventLog {
  calls = 0;
  records = 0;

  override async *read(options: ReadOptions): AsyncIterable<readonly LogRecord[]> {
    this.calls++;
    for await (const records of super.read(options)) {
      this.records += records.length;
      yield records;
    }
  }
}

async function logOf(records: readonly NewRecord[]): Promise<CountingLog> {
  const log = new CountingLog();
  await log.createTopics(TOPICS.map(({ name }) => ({ name, partitions: 1 })));
  await log.append(records);
  return log;
}

function placed(event: SeamEvent, offset = 0): PlacedEvent {
  const record = { ...encodeEvent(event), partition: 0, offset };
  return { event: decodeEvent(record), position: record, value: record.value };
}

const story = (index: number): HonestResults => explored(problemOf(index), { groupSize: 2 });
const written = ({ published, experiences }: HonestResults): NewRecord[] =>
  [published, ...experiences].map((event) => encodeEvent(event));

let junkWritten = 0;
const junk = (topic: string, bytes = 1): NewRecord => ({
  topic,
  key: `junk-${junkWritten++}`,
  value: Buffer.alloc(bytes, 7),
});

/** Of a whole log: by how many results the reader asks at once. */
async function judged(
  evidence: Evidence,
  results: readonly SeamEvent[],
  batchOf: () => number,
): Promise<ReadonlySet<number>> {
  const doubted = new Set<number>();
  for (let at = 0; at < results.length; ) {
    const batch = results.slice(at, at + batchOf());
    for (const index of (await evidence.doubts(batch.map(placed))).keys()) doubted.add(at + index);
    at += batch.length;
  }
  return doubted;
}

describe('forged results among honest ones', () => {
  const HONEST = 1_200;
  const stories = Array.from({ length: HONEST / 2 }, (_, index) => story(index));
  const records = stories.flatMap(written);
  const honest = stories.flatMap(({ outcomes }) => outcomes);
  const names = Object.keys(FORGERIES);
  /** Readings of the log that one forged result may cause, in its own topic and that of problems. */
  const READS = 12;

  it('cost a few look-ups each, at any place and of any kind, and the honest ones cost none', async () => {
    const log = await logOf(records);
    const smallest = (): Memory => new Memory(2 ** 20);
    const batches = [1, 7, 64, 400];
    const alone = new Map<number, { readonly calls: number; readonly records: number }>();
    for (const batch of batches) {
      log.calls = log.records = 0;
      await judged(new Evidence(log, new Map(), smallest()), honest, () => batch);
      alone.set(batch, { calls: log.calls, records: log.records });
    }
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom(...batches),
        fc.constantFrom('forged', 'forged at first', 'true but early'),
        fc.integer(),
        async (numForged, batch, kind, seed) => {
          const random = Random.of('forged', seed);
          const results: SeamEvent[] = [...honest];
          const isForged = new Set<SeamEvent>();
          for (let index = 0; index < numForged; index++) {
            const own = honest[random.int(HONEST)]!;
            const forge = FORGERIES[names[random.int(names.length)]!]!;
            // Early: of an experience that stands anywhere in the log, with a verdict of the forger's own.
            const event =
              kind === 'true but early' ? { ...own, success: !own.success } : forge(own, honest[random.int(HONEST)]!);
            isForged.add(event);
            results.splice(kind === 'forged at first' ? 0 : random.int(results.length), 0, event);
          }
          log.calls = log.records = 0;
          const doubted = await judged(new Evidence(log, new Map(), smallest()), results, () => batch);
          const wrongly = results.filter((event, index) => doubted.has(index) && !isForged.has(event));
          expect(wrongly).toEqual([]);
          if (kind !== 'true but early')
            expect(results.filter((event, index) => isForged.has(event) && !doubted.has(index))).toEqual([]);
          const { calls, records: read } = log;
          // Besides, each of the two topics is read once more, for its directory.
          const least = alone.get(batch)!;
          const facts = { numForged, batch, kind, honestly: least.calls, calls };
          expect({ ...facts, isBounded: calls <= least.calls + 2 + READS * numForged }).toEqual({
            ...facts,
            isBounded: true,
          });
          expect(read).toBeLessThanOrEqual(2 * least.records + READS * STRETCH_RECORDS * numForged);
        },
      ),
      { numRuns: Number(process.env.SEAM_TEST_FORGED ?? 6) },
    );
  });

  it('let an honest flow catch up after an interruption by records that no result needs', async () => {
    const later = Array.from({ length: 400 }, (_, index) => story(10_000 + index));
    const gap = Array.from({ length: 9_000 }, () => junk(TOPIC.experiences));
    const log = await logOf([...records, ...gap, ...later.flatMap(written)]);
    const evidence = new Evidence(log);
    expect(await judged(evidence, honest, () => 64)).toEqual(new Set());
    const [first, second] = [later.slice(0, 200), later.slice(200)];
    expect(
      await judged(
        evidence,
        first.flatMap(({ outcomes }) => outcomes),
        () => 8,
      ),
    ).toEqual(new Set());
    log.calls = 0;
    expect(
      await judged(
        evidence,
        second.flatMap(({ outcomes }) => outcomes),
        () => 8,
      ),
    ).toEqual(new Set());
    // Read along again: a chunk of 500 records at a time, not one look-up for each batch.
    expect(log.calls).toBeLessThan(10);
  });
});

it('a forged result that names an experience under another problem does not hide it from its own, wherever reading began', async () => {
  const [own, other] = [story(1), story(2)];
  const log = await logOf([...written(own), ...written(other)]);
  const ends = new Map(
    await Promise.all(
      [TOPIC.experiences, TOPIC.problems].map(
        async (topic) => [`${topic}/0`, (await log.watermarks(topic))[0]!.high] as const,
      ),
    ),
  );
  const [result] = own.outcomes as [EventOf<'OutcomeRecorded'>];
  const forged = { ...result, problem: other.published.problem };
  expect(await judged(new Evidence(log, ends), [forged, result], () => 2)).toEqual(new Set([0]));
});

describe('what is remembered', () => {
  const inUse = (): number => {
    // To count objects, garbage is collected first.
    queryObjects(Evidence, { format: 'count' });
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  /** Honest results of a log in which so many other records stand between. */
  async function flooded(numJunk: number, bytes: number): Promise<{ log: CountingLog; results: SeamEvent[] }> {
    const stories = Array.from({ length: 60 }, (_, index) => story(index));
    const between = Math.floor(numJunk / stories.length);
    const log = await logOf([]);
    for (const each of stories) {
      const flood = Array.from({ length: between }, (_, at) =>
        junk(at % 2 === 0 ? TOPIC.experiences : TOPIC.problems, bytes),
      );
      await log.append([...flood, ...written(each)]);
    }
    return { log, results: stories.flatMap(({ outcomes }) => outcomes) };
  }

  it.each([
    { bytes: 1, numJunk: 20_000 },
    { bytes: 3_000, numJunk: 6_000 },
  ])('is bounded and counted, in a flood of $numJunk records of $bytes bytes', async ({ bytes, numJunk }) => {
    const { log, results } = await flooded(numJunk, bytes);
    const limit = 4 * 2 ** 20;
    const memory = new Memory(limit);
    const before = inUse();
    const evidence = new Evidence(log, new Map(), memory);
    expect(await judged(evidence, results, () => 4)).toEqual(new Set());
    const taken = inUse() - before;
    expect(memory.held).toBeLessThanOrEqual(limit);
    // The count is above what is taken. The filters of the directory and of the forgotten keys come on top, at most 4 MiB each.
    expect(taken).toBeLessThan(limit + 8 * 2 ** 20);
    expect(evidence.places().size).toBe(2); // and it is alive until here
  });

  it('leaves out what no result needs yet, although a result was forged of what is nowhere', async () => {
    const log = await logOf(Array.from({ length: 6_000 }, () => junk(TOPIC.experiences)));
    const memory = new Memory();
    const evidence = new Evidence(log, new Map(), memory);
    expect(await judged(evidence, story(1).outcomes.slice(0, 1), () => 1)).toEqual(new Set([0]));
    // 2,000 records read ahead at some 700 bytes each, and what pieces of memory are shared.
    expect(memory.held).toBeLessThan(2_500 * 800);
  });

  it('is counted with all that it keeps alive: a small record with the piece of memory that it lies in', () => {
    const memory = new Memory(1_000);
    const remembered: { key: string; entryBytes: number; value: Uint8Array }[] = [];
    const forgetOldest = (): boolean => {
      const oldest = remembered.shift();
      if (oldest !== undefined) part.release(oldest);
      return oldest !== undefined;
    };
    const part = memory.part({ forgetOldest, isOldestStale: () => false });
    const block = new ArrayBuffer(600);
    for (let at = 0; at < 3; at++) {
      const held = { key: 'kk', entryBytes: 10, value: new Uint8Array(block, at, 1) };
      remembered.push(held);
      part.hold(held);
    }
    expect(memory.held).toBe(600 + 3 * 14);
    const other = { key: 'kk', entryBytes: 10, value: new Uint8Array(500) };
    remembered.push(other);
    part.hold(other);
    memory.shrink();
    // The block goes with the last record in it.
    expect(remembered).toEqual([other]);
    expect(memory.held).toBe(514);
  });

  it('is not waited for without end: after a restart reading begins near where it was, even if some were never asked for', async () => {
    const victim = story(1_000);
    const log = await logOf([junk(TOPIC.experiences), ...written(victim), junk(TOPIC.problems)]);
    const evidence = new Evidence(log);
    for (let index = 0; index < 24; index++) {
      const each = story(index);
      await log.append([...Array.from({ length: 1_500 }, () => junk(TOPIC.experiences)), ...written(each)]);
      expect(await judged(evidence, each.outcomes, () => 2)).toEqual(new Set());
      // What a forged result names, and is not used by it, is as old as it was.
      const forged = { ...victim.outcomes[0]!, entry: '{"n":"forged"}' };
      expect(await judged(evidence, [forged], () => 1)).toEqual(new Set([0]));
    }
    const begin = evidence.places().get(`${TOPIC.experiences}/0`)!;
    expect(begin).toBeGreaterThan(24 * 1_500 - 2 * 16_384);
  });
});

describe('of two experiences under one id the first counts', () => {
  it('although it was forgotten before anybody asked for it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 16 }), async (before, batch) => {
        const victim = story(0);
        const others = Array.from({ length: 250 }, (_, index) => story(index + 1));
        const forged = victim.experiences.map((each) => ({ ...each, entry: '{"n":"forged"}' }));
        const log = await logOf([
          ...others.slice(0, before).flatMap(written),
          ...written(victim),
          ...others.slice(before).flatMap(written),
          ...forged.map((event) => encodeEvent(event)),
        ]);
        // Room for some hundred records.
        const evidence = new Evidence(log, new Map(), new Memory(160_000));
        expect(
          await judged(
            evidence,
            others.flatMap(({ outcomes }) => outcomes),
            () => batch,
          ),
        ).toEqual(new Set());
        const lies = forged.map((event) => outcomeOf(event, true));
        expect(await judged(evidence, lies, () => 1)).toEqual(new Set([0, 1]));
        expect(await judged(evidence, victim.outcomes, () => 1)).toEqual(new Set());
      }),
      { numRuns: 4 },
    );
  });

  it('is not known any more of problems that were forgotten, nor of any published before them', () => {
    const uses = new FirstUses(() => 10, 2);
    const at = (offset: number) => ({ partition: 0, offset });
    expect(uses.claim('before reading began', 'g', 0, at(9))).toBe(false);
    for (const offset of [10, 11, 12]) expect(uses.claim(`p-${offset}`, 'g', 0, at(offset))).toBe(true);
    expect(uses.claim('p-10', 'g', 0, at(10))).toBe(false);
    expect(uses.claim('p-10', 'g', 1, at(10))).toBe(false);
    expect(uses.claim('p-12', 'g', 1, at(12))).toBe(true);
    expect(uses.claim('p-12', 'g', 1, at(12))).toBe(false);
    expect(uses.claim('x'.repeat(100_000), 'g', 0, at(13))).toBe(false);
  });
});

describe('a directory of keys', () => {
  it('knows every record that was noted, in bounded memory, and mostly nothing else', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 9 }),
        fc.integer({ min: 1, max: 12_000 }),
        fc.integer(),
        (most, count, salt) => {
          const directory = new KeyDirectory(most, salt);
          for (let offset = 0; offset < count; offset++) directory.note(`k-${offset}`, offset);
          directory.knowTo(count);
          for (let offset = 0; offset < count; offset += 997) {
            const places = directory.whereaboutsOf([`k-${offset}`]);
            expect(places.some(({ from, to }) => from <= offset && offset < to)).toBe(true);
            expect(places.length).toBeLessThanOrEqual(most);
          }
        },
      ),
      { numRuns: 20 },
    );
  });

  it('does not search again what was searched, only what arrived since', () => {
    const directory = new KeyDirectory(8, 1);
    directory.note('a', 3);
    directory.note('a', 5);
    directory.knowTo(100);
    directory.see('a', [5, 3]);
    directory.see('b', []);
    expect(directory.whereaboutsOf(['a', 'b'])).toEqual([{ from: 3, to: 6, keys: ['a'] }]);
    directory.note('a', 100);
    directory.note('b', 101);
    directory.knowTo(102);
    expect(directory.whereaboutsOf(['a', 'b'])).toEqual([
      { from: 3, to: 6, keys: ['a'] },
      { from: 100, to: STRETCH_RECORDS, keys: ['a', 'b'] },
    ]);
  });

  it('takes one key for another as seldom as its filter promises', () => {
    const filter = new KeyFilter(2 ** 13);
    for (let index = 0; index < 512; index++) filter.add(hashOf(`key-${index}`, 7));
    let wrong = 0;
    for (let index = 0; index < 50_000; index++) if (filter.mayHold(hashOf(`other-${index}`, 7))) wrong++;
    // (1 − e^(−6·512/8192))⁶ = 0.00093: 47 expected, and of so many a few more by chance.
    expect(wrong).toBeLessThan(100);
    for (let index = 0; index < 512; index++) expect(filter.mayHold(hashOf(`key-${index}`, 7))).toBe(true);
  });
});

it('adapters are known of any number, by reading again what was forgotten', async () => {
  const { EXAMPLE_EVENTS } = await import('@seamstream/testing');
  const published = (index: number, baseModelDigest: string): EventOf<'AdapterPublished'> => ({
    ...EXAMPLE_EVENTS.AdapterPublished,
    adapterDigest: `adapter-${index}`,
    baseModelDigest,
  });
  const events = [...Array.from({ length: 20 }, (_, index) => published(index, 'base')), published(3, 'other')];
  const log = await logOf(events.map((event) => encodeEvent(event)));
  const adapters = new KnownAdapters(log, 4);
  for (const [index, base, isKnown] of [
    [19, 'base', true],
    [3, 'base', true],
    [3, 'other', true],
    [0, 'base', true],
    [0, 'other', false],
    [77, 'base', false],
  ] as const) {
    const adapterDigest = `adapter-${index}`;
    await adapters.meet([{ adapterDigest, baseModelDigest: base }]);
    expect({ index, isKnown: adapters.basesOf(adapterDigest).has(base) }).toEqual({ index, isKnown });
  }
});
