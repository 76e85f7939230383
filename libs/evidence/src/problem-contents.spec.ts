import { InMemoryEventLog, type LogRecord, type ReadOptions, type Watermarks } from '@seamstream/event-log';
import {
  type ContentReference,
  copyOf,
  decodeEvent,
  encodeEvent,
  eventWindow,
  isWhole,
  type Problem,
  type ProblemCopy,
  TOPIC,
  TOPICS,
} from '@seamstream/events';
import { Random } from '@seamstream/kernel';
import { explored, FORGED_EXPERIENCES, FORGERIES, type HonestResults, outcomeOf } from '@seamstream/testing/result-log';
import fc from 'fast-check';
import { EncodedRecords } from './bears-out.decide.js';
import { doubtOf } from './doubt.decide.js';
import { Evidence, type PlacedEvent } from './evidence.js';
import { KeptExperience, KeptProblem, Windows } from './kept-records.js';
import { STRETCH_RECORDS } from './key-directory.js';
import { contentMissing, ProblemContents } from './problem-contents.js';

const problemOf = (index: number, seed = 1): Problem => ({
  problemId: `p-${index}`,
  domain: 'sums',
  prompt: `What is ${index} and ${'é'.repeat(Random.of(`prompt/${seed}/${index}`).int(2_000))}?`,
  reference: index % 5 === 4 ? null : String(index),
  verifier: index % 5 === 4 ? null : { kind: 'exact', version: '1', options: {} },
  metadata: { number: String(index) },
});

/** Its problems begin at an offset, as those of a log with retention do; reads are counted. */
class TrimmedLog extends InMemoryEventLog {
  low = 0;
  reads = 0;
  records = 0;

  override async watermarks(topic: string): Promise<readonly Watermarks[]> {
    const marks = await super.watermarks(topic);
    if (topic !== TOPIC.problems) return marks;
    return marks.map((mark) => ({ ...mark, low: Math.min(this.low, mark.high) }));
  }

  override async *read(options: ReadOptions): AsyncIterable<readonly LogRecord[]> {
    const { low } = (await this.watermarks(options.topic))[options.partition]!;
    if (options.from < low) throw new Error(`read at ${options.from}, below ${low}`);
    this.reads++;
    for await (const records of super.read(options)) {
      this.records += records.length;
      yield records;
    }
  }
}

async function logOf(problems: readonly Problem[]): Promise<{
  readonly log: TrimmedLog;
  /** Of each problem its record. */
  readonly places: readonly { readonly partition: number; readonly offset: number }[];
}> {
  const log = new TrimmedLog();
  await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
  const places = await log.append(problems.map((problem) => encodeEvent(explored(problem).published)));
  return { log, places };
}

describe('the content of a problem', () => {
  it('is found by its digest wherever a reference says that it is, and missing exactly where the log has it no more', async () => {
    const stream = fc.record({
      count: fc.integer({ min: 1, max: 60 }),
      seed: fc.nat(1_000),
      inlineBytes: fc.constantFrom(0, 1024, Number.POSITIVE_INFINITY),
      // As in a copied log: before, behind, in another partition.
      shift: fc.constantFrom(0, 0, -3, 5, 1_000_000),
      turn: fc.constantFrom(0, 0, 1),
      low: fc.constantFrom(0, 0, 2, 9),
      asked: fc.array(fc.nat(1_000), { minLength: 1, maxLength: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(stream, async ({ count, seed, inlineBytes, shift, turn, low, asked }) => {
        const problems = Array.from({ length: count }, (_, index) => problemOf(index, seed));
        const { log, places } = await logOf(problems);
        log.low = low;
        const copies = problems.map((problem, index): ProblemCopy => {
          const { partition, offset } = places[index]!;
          return copyOf(
            problem,
            { partition: (partition + turn) % 4, offset: Math.max(0, offset + shift) },
            inlineBytes,
          );
        });
        const contents = new ProblemContents(log);
        for (const at of [0, Math.floor(asked.length / 2)]) {
          const numbers = asked.slice(at).map((number) => number % count);
          const own = numbers.map((number) => copies[number]!);
          // A stranger's claims of the same content, before and behind.
          const claims = own.filter((copy) => !isWhole(copy)).map((copy) => ({ ...copy, problemId: 'nobody' }));
          const found = await contents.find([...claims, ...own, ...claims]);
          const expected = numbers.map((number) =>
            isWhole(copies[number]!) || places[number]!.offset >= low ? problems[number] : undefined,
          );
          const none = claims.map(() => undefined);
          expect(found).toEqual([...none, ...expected, ...none]);
        }
      }),
      { numRuns: 120, seed: 1 },
    );
  });

  it('is not one that an attacker put in its place, or published under its key', async () => {
    const honest = problemOf(1);
    const { log } = await logOf([{ ...honest, prompt: 'Say yes.' }, problemOf(2)]);
    const { partition, offset } = (
      await log.append([encodeEvent(explored({ ...honest, reference: 'mine' }).published)])
    )[0]!;
    const copy = copyOf(honest, { partition, offset }, 0);
    expect(await new ProblemContents(log).find([copy])).toEqual([undefined]);
    expect(contentMissing(copy)).toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringMatching(/problem p-1.*no longer in the log/s) as string,
    });
    await log.append([encodeEvent(explored(honest).published)]);
    expect(await new ProblemContents(log).find([copy])).toEqual([honest]);
  });

  it('costs one read a partition for a batch, and none for a group that came before', async () => {
    const problems = Array.from({ length: 40 }, (_, index) => problemOf(index));
    const { log, places } = await logOf(problems);
    const copies = problems.map((problem, index) => copyOf(problem, places[index]!, 0));
    const contents = new ProblemContents(log);
    await contents.find(copies);
    expect(log.reads).toBe(4);
    await contents.find(copies);
    expect(log.reads).toBe(4);
  });

  it('is remembered of the problems that follow, so that asked for in their order most batches cost no read', async () => {
    const problems = Array.from({ length: 800 }, (_, index) => ({ ...problemOf(index), prompt: `What is ${index}?` }));
    const { log, places } = await logOf(problems);
    const copies = problems.map((problem, index) => copyOf(problem, places[index]!, 0));
    const contents = new ProblemContents(log);
    for (let at = 0; at < copies.length; at += 16)
      expect(await contents.find(copies.slice(at, at + 16))).toEqual(problems.slice(at, at + 16));
    // 200 a partition: one read of what was asked for and one of the rest, not 50 of each.
    expect(log.reads).toBeLessThanOrEqual(8);
    expect(log.records).toBe(800);
  });

  it('costs a stranger a few looks at the log for each reference that leads nowhere, and the others none', async () => {
    const COUNT = 500;
    const problems = Array.from({ length: COUNT }, (_, index) => ({
      ...problemOf(index),
      prompt: `What is ${index}?`,
    }));
    const { log, places } = await logOf(problems);
    const honest = problems.map((problem, index) => copyOf(problem, places[index]!, 0));
    /** Looks at the log that one may cause: at its place, and in each of four partitions, in stretches that its key may be in. */
    const READS = 12;
    const found = async (copies: readonly ProblemCopy[], batch: number): Promise<(Problem | undefined)[]> => {
      const contents = new ProblemContents(log);
      const all: (Problem | undefined)[] = [];
      log.reads = log.records = 0;
      for (let at = 0; at < copies.length; at += batch)
        all.push(...(await contents.find(copies.slice(at, at + batch))));
      return all;
    };
    const FORGE: Readonly<Record<string, (own: Problem, at: ContentReference) => ProblemCopy>> = {
      'a problem that is not there': (own, at) => copyOf({ ...own, problemId: 'nobody' }, at, 0),
      'content that its problem never had': (own, at) => copyOf({ ...own, prompt: 'mine' }, at, 0),
      'a place beyond the end': (own, at) => copyOf({ ...own, prompt: 'mine' }, { ...at, offset: 2 ** 52 }, 0),
      'a place before the beginning': (own, at) => copyOf({ ...own, prompt: 'mine' }, { ...at, offset: -7 }, 0),
      'a partition that is not there': (own, at) =>
        copyOf({ ...own, prompt: 'mine' }, { ...at, partition: 2 ** 31 }, 0),
      'no digest': (own, at) => ({ ...own, prompt: { ...at, digest: '' }, reference: null }),
    };
    const alone = new Map<number, { readonly reads: number; readonly records: number }>();
    for (const batch of [16, 500]) {
      expect(await found(honest, batch)).toEqual(problems);
      alone.set(batch, { reads: log.reads, records: log.records });
    }
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...alone.keys()),
        fc.constantFrom(...Object.keys(FORGE)),
        fc.array(fc.nat(COUNT - 1), { minLength: 1, maxLength: 20 }),
        async (batch, kind, victims) => {
          const honestly = alone.get(batch)!;
          const forged = victims.map((index) =>
            FORGE[kind]!(problems[index]!, honest[index]!.prompt as ContentReference),
          );
          const asked = [...honest];
          victims.forEach((index, at) => asked.splice(index, 0, forged[at]!));
          const answers = await found(asked, batch);
          expect(answers).toEqual(asked.map((copy) => (forged.includes(copy) ? undefined : problemAt(copy))));
          const { reads, records } = log;
          // Besides, each partition is read once for its directory and once along.
          const most = { reads: honestly.reads + READS * (1 + forged.length), records: READS * STRETCH_RECORDS };
          expect({ kind, reads, isBounded: reads <= most.reads }).toEqual({ kind, reads, isBounded: true });
          expect(records).toBeLessThanOrEqual(honestly.records + 2 * COUNT + most.records * forged.length);
        },
      ),
      { numRuns: 12, seed: 1 },
    );
    function problemAt({ problemId }: ProblemCopy): Problem | undefined {
      return problems[Number(problemId.slice(2))];
    }
  });

  it('is found one batch after the other where several ask at once', async () => {
    const problems = Array.from({ length: 30 }, (_, index) => problemOf(index));
    const { log } = await logOf(problems);
    const contents = new ProblemContents(log);
    const copies = problems.map((problem) => copyOf(problem, { partition: 9, offset: 0 }, 0));
    const found = await Promise.all(copies.map((copy) => contents.find([copy])));
    expect(found.flat()).toEqual(problems);
  });
});

/** By hand: a problem's group whose content is named. */
const named = (index: number): HonestResults =>
  explored(problemOf(index), { solved: [0], namedAt: { partition: 3, offset: 7 } });

describe('a result that names its content', () => {
  const placed = (event: HonestResults['outcomes'][number], offset: number): PlacedEvent => {
    const record = { ...encodeEvent(event), partition: 0, offset };
    return { event: decodeEvent(record), position: record, value: record.value };
  };

  it('counts by its bytes alone, and by its values; with any other digest, reference or problem it does neither', () => {
    const { published, experiences, outcomes } = named(1);
    const windows = new Windows();
    const recordOf = (event: Parameters<typeof encodeEvent>[0]): LogRecord =>
      ({ ...encodeEvent(event), partition: 0, offset: 0, timestamp: 0 }) as unknown as LogRecord;
    const problem = new KeptProblem(recordOf(published), windows);
    const said = (experience: HonestResults['experiences'][number]): readonly boolean[] => {
      const outcome = { ...outcomeOf(experience, true) };
      const byBytes = new EncodedRecords(windows).bearOut(
        outcome,
        encodeEvent(outcome).value,
        { experience: new KeptExperience(recordOf(experience), windows), problem },
        () => new Set(),
      );
      return [byBytes, doubtOf(outcome, experience, published, () => new Set()) === undefined];
    };
    const [own] = experiences;
    expect(outcomes).toHaveLength(4);
    expect(said(own!)).toEqual([true, true]);
    const others: readonly ProblemCopy[] = [
      problemOf(2),
      copyOf(problemOf(2), { partition: 3, offset: 7 }, 0),
      copyOf({ ...problemOf(1), prompt: 'mine' }, { partition: 3, offset: 7 }, 0),
      copyOf({ ...problemOf(1), reference: 'mine' }, { partition: 3, offset: 7 }, 0),
      { ...own!.problem, reference: '1' },
      { ...own!.problem, domain: 'other' },
      { ...own!.problem, verifier: null },
      { ...own!.problem, metadata: {} },
      { ...own!.problem, problemId: 'p-2' },
    ];
    for (const other of others) expect(said({ ...own!, problem: other })).toEqual([false, false]);
    // The place is where to look first, and nothing that is claimed.
    expect(said({ ...own!, problem: copyOf(problemOf(1), { partition: 0, offset: 1 }, 0) })).toEqual([true, true]);
    expect(said({ ...own!, problem: problemOf(1) })).toEqual([true, true]);
  });

  it('counts in a log of both kinds, and no forged one among them does', async () => {
    const log = new InMemoryEventLog();
    await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
    const runs = Array.from({ length: 40 }, (_, index) =>
      index % 2 === 0 ? explored(problemOf(index), { solved: [0] }) : named(index),
    );
    const forgedExperiences = Object.values(FORGED_EXPERIENCES).map((forge, at) => forge(runs[at]!.experiences[3]!));
    await log.append(runs.flatMap(({ published }) => [encodeEvent(published)]));
    await log.append(runs.flatMap(({ experiences }) => experiences.map(encodeEvent)));
    await log.append(forgedExperiences.map(encodeEvent));
    const honest = runs.flatMap(({ outcomes }) => outcomes);
    const forged = Object.values(FORGERIES).flatMap((forge) =>
      [0, 1].map((at) => forge(runs[at]!.outcomes[1]!, runs[at + 2]!.outcomes[0]!)),
    );
    const results = [...forged, ...honest].map((event, offset) => placed(event as (typeof honest)[number], offset));
    const doubts = await new Evidence(log).doubts(results);
    expect([...doubts.keys()].sort((a, b) => a - b)).toEqual(forged.map((_, at) => at));
  });

  it('is shown by a window with its digest, which no prompt of a text is taken for', () => {
    const { experiences } = named(1);
    const window = eventWindow('ExperienceGenerated');
    const prompt = window.layout.leaf('problem.prompt');
    window.open(encodeEvent(experiences[0]!).value);
    const { digest } = experiences[0]!.problem.prompt as Exclude<ProblemCopy['prompt'], string>;
    expect([window.saysIn(prompt, 1, digest), window.saysIn(prompt, 0, digest), window.textOf(prompt)]).toEqual([
      true,
      false,
      null,
    ]);
    expect(window.says(prompt, digest)).toBe(false);
    window.open(encodeEvent({ ...experiences[0]!, problem: { ...problemOf(1), prompt: digest } }).value);
    expect([window.saysIn(prompt, 1, digest), window.saysIn(prompt, 0, digest), window.textOf(prompt)]).toEqual([
      false,
      true,
      digest,
    ]);
  });
});
