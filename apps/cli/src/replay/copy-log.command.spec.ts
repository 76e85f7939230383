import {
  type EventLog,
  InMemoryEventLog,
  InMemoryLogStorage,
  type LogRecord,
  type NewRecord,
  type Transaction,
} from '@seamstream/event-log';
import { type EventOf, encodeEvent, originMeta, TOPIC, TOPICS } from '@seamstream/events';
import { Random, SeamError } from '@seamstream/kernel';
import { COPIES_TOPIC, copyLog, ORIGIN_HEADER } from '@seamstream/operations/copy';
import { EXAMPLE_EVENTS, recordsOf } from '@seamstream/testing';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const meta = (messageId: string) =>
  originMeta({ messageId, correlationId: 'c', source: 'seam/test', occurredAt: 0, sourceClass: 'user' });

function problem(number: number, domain = 'sums'): EventOf<'ProblemPublished'> {
  const id = `p${number}`;
  return {
    ...EXAMPLE_EVENTS.ProblemPublished,
    meta: meta(`m-${id}`),
    problem: { ...EXAMPLE_EVENTS.ProblemPublished.problem, problemId: id, domain },
  };
}

function outcome(number: number, domain = 'sums'): EventOf<'OutcomeRecorded'> {
  const { problem: subject } = problem(number, domain);
  return { ...EXAMPLE_EVENTS.OutcomeRecorded, meta: meta(`o-${number}`), problem: subject };
}

const DAY = 24 * 3600_000;
const JANUARY = Date.UTC(2030, 0, 1);

/** `count` problems with one outcome each, two domains in turn, one a day from the first of January 2030. */
async function fill(log: EventLog, count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    const domain = number % 2 === 0 ? 'sums' : 'words';
    const timestampMs = JANUARY + number * DAY;
    const events = [problem(number, domain), outcome(number, domain)];
    await log.append(events.map((event) => ({ ...encodeEvent(event), timestampMs })));
  }
}

/** All that a copy keeps. */
const kept = (records: readonly LogRecord[]) =>
  records.map(({ partition, key, value, headers, timestampMs }) => ({
    partition,
    key,
    value: Buffer.from(value ?? []).toString('base64'),
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== ORIGIN_HEADER)),
    timestampMs,
  }));

const keys = (records: readonly LogRecord[]) => records.map(({ key }) => key).sort();

async function world(problems: number): Promise<FakeWorld> {
  const made = await fakeWorld();
  await fill(made.log, problems);
  return made;
}

const TO = 'lmdb:there';

describe('seam replay copy', () => {
  it('copies problems, experiences and outcomes with key, bytes, headers, time and partition', async () => {
    const here = await world(40);
    await here.log.append([
      { topic: TOPIC.problems, key: 'poison', value: Buffer.from('no event'), headers: { h: 'ü' } },
    ]);
    expect(await here.seam('replay', 'copy', '--to', TO)).toBe(0);
    expect(here.takeOutput()).toMatch(
      /^seam\.problems +41 +0 +0 +0 +0 +0\n.*^seam\.outcomes +40 .*^copied 81 records/ms,
    );
    const target = here.otherLogs.get(TO)!;
    for (const topic of [TOPIC.problems, TOPIC.experiences, TOPIC.outcomes])
      expect(kept(await recordsOf(target, topic))).toEqual(kept(await recordsOf(here.log, topic)));
    const [copied] = await recordsOf(target, TOPIC.problems);
    expect(copied?.headers[ORIGIN_HEADER]).toBe(`${await here.log.identity()}@0`);
    expect((await target.topics()).map(({ name }) => name)).not.toContain(TOPIC.buffer);
  });

  it('copies what is new when it is given again, and nothing else', async () => {
    const here = await world(10);
    await here.seam('replay', 'copy', '--to', TO, '--json');
    here.takeJson();
    await here.log.append([encodeEvent(problem(99))]);
    await here.seam('replay', 'copy', '--to', TO, '--json');
    const [{ topics }] = here.takeJson() as [{ topics: { topic: string; copied: number }[] }];
    expect(topics.map(({ topic, copied }) => [topic, copied])).toEqual([
      [TOPIC.problems, 1],
      [TOPIC.experiences, 0],
      [TOPIC.answers, 0],
      [TOPIC.feedback, 0],
      [TOPIC.outcomes, 0],
    ]);
    expect(await recordsOf(here.otherLogs.get(TO)!, TOPIC.problems)).toHaveLength(11);
  });

  it('filters by domain, by time and by topic', async () => {
    const here = await world(10);
    const copied = async (...filters: string[]): Promise<(string | null)[]> => {
      await here.seam('replay', 'copy', '--to', `lmdb:${filters.join()}`, '--json', ...filters);
      here.takeJson();
      return keys(await recordsOf(here.otherLogs.get(`lmdb:${filters.join()}`)!, TOPIC.problems));
    };
    expect(await copied('--domain', 'words')).toEqual(['p1', 'p3', 'p5', 'p7', 'p9']);
    expect(await copied('--domain', 'words', '--domain', 'sums')).toHaveLength(10);
    expect(await copied('--since', '2030-01-04', '--until', '2030-01-07')).toEqual(['p3', 'p4', 'p5']);
    expect(await copied('--since', '2030-01-04', '--domain', 'sums')).toEqual(['p4', 'p6', 'p8']);
    expect(await here.seam('replay', 'copy', '--to', 'lmdb:o', '--topic', 'outcomes')).toBe(0);
    const topics = (await here.otherLogs.get('lmdb:o')!.topics()).map(({ name }) => name);
    expect(topics).toEqual([COPIES_TOPIC, TOPIC.outcomes]);
  });

  it('copies nothing twice when the filters change in between', async () => {
    const here = await world(20);
    const copied = async (...filters: string[]): Promise<unknown> => {
      await here.seam('replay', 'copy', '--to', TO, '--topic', 'problems', '--json', ...filters);
      return (here.takeJson() as { topics: { copied: number; hereAlready: number }[] }[])[0]?.topics[0];
    };
    expect(await copied('--domain', 'words')).toMatchObject({ copied: 10, notSelected: 10 });
    expect(await copied('--since', '2030-01-11')).toMatchObject({ copied: 5, hereAlready: 5 });
    expect(await copied()).toMatchObject({ copied: 5, hereAlready: 15 });
    expect(await copied('--domain', 'sums')).toMatchObject({ copied: 0, hereAlready: 10 });
    expect(keys(await recordsOf(here.otherLogs.get(TO)!, TOPIC.problems))).toEqual(
      keys(await recordsOf(here.log, TOPIC.problems)),
    );
  });

  it('lets dead letters come along when they are asked for, by the domain of what they hold', async () => {
    const here = await fakeWorld();
    const letter = (number: number, domain: string) =>
      encodeEvent({
        ...EXAMPLE_EVENTS.DeadLettered,
        topic: TOPIC.problems,
        value: Buffer.from(encodeEvent(problem(number, domain)).value),
        key: `p${number}`,
      });
    await here.log.append([letter(1, 'sums'), letter(2, 'words')]);
    expect(await here.seam('replay', 'copy', '--to', TO, '--topic', 'dead-letters', '--domain', 'words')).toBe(0);
    expect(keys(await recordsOf(here.otherLogs.get(TO)!, TOPIC.deadLetters))).toEqual(['p2']);
  });

  it('brings home what was added elsewhere, and not what it had sent there', async () => {
    const here = await world(6);
    await here.seam('replay', 'copy', '--to', TO);
    await here.otherLogs.get(TO)!.append([encodeEvent(problem(50))]);
    await here.seam('replay', 'copy', '--from', TO, '--topic', 'problems');
    expect(keys(await recordsOf(here.log, TOPIC.problems))).toEqual(['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p50']);
  });

  it('carries a record that has no room for its origin', async () => {
    const here = await fakeWorld();
    await here.log.append([{ topic: TOPIC.problems, key: null, partition: 0, value: new Uint8Array(999_990) }]);
    expect(await here.seam('replay', 'copy', '--to', TO)).toBe(0);
    const [copied] = await recordsOf(here.otherLogs.get(TO)!, TOPIC.problems);
    expect([copied?.value?.length, copied?.headers]).toEqual([999_990, {}]);
  });

  it('moves generator and executor past what they had done at the source, with --done', async () => {
    const here = await world(12);
    const ends = await here.log.watermarks(TOPIC.problems);
    // The source's generator has done all but the last problem of each partition.
    await consumeUpTo(here.log, 'seam.generator', new Map(ends.map(({ partition, high }) => [partition, high - 1])));
    for (let time = 0; time < 2; time++) {
      expect(await here.seam('replay', 'copy', '--to', TO, '--done', '--json')).toBe(0);
      expect(here.takeJson()).toMatchObject([
        {
          done: [
            { group: 'seam.generator', records: time === 0 ? 12 - 4 : 0 },
            { group: 'seam.executor', records: 0 },
            { group: 'seam.executor.settler', records: 0 },
            { group: 'seam.executor.judge', records: 0 },
          ],
        },
      ]);
      const committed = await here.otherLogs.get(TO)!.committedOffsets('seam.generator');
      expect(committed.filter(({ nextOffset }) => nextOffset > 0).map(({ nextOffset }) => nextOffset)).toEqual(
        ends.map(({ high }) => high - 1).filter((offset) => offset > 0),
      );
    }
  });

  it.each([
    [[], 'expected --from, --to or both, got none'],
    [['--to', 'elsewhere'], 'expected lmdb:FOLDER'],
    [['--from', 'lmdb:nowhere'], 'there is no such log'],
    [['--to', TO, '--topic', 'nothing'], 'expected one of access, adapters, answers, buffer'],
    [['--to', TO, '--topic', 'buffer'], 'name offsets and objects of the log'],
    [
      ['--to', TO, '--since', 'yesterday'],
      'Cannot read --since: expected a time (2030-01-31T12:00:00Z), got "yesterday"',
    ],
    [['--to', TO, '--until', '42'], 'Cannot read --until: expected a time'],
    [['--to', TO, '--since', '2030-02-01', '--until', '2030-01-01'], 'expected --since before --until'],
    [['--to', TO, '--done', '--until', '2030-01-01'], 'Cannot copy a log with --done'],
    [['--to', TO, '--done', '--topic', 'problems'], 'Cannot copy a log with --done'],
  ])('refuses %j', async (options, expected) => {
    const here = await fakeWorld();
    expect(await here.seam('replay', 'copy', ...options)).toBe(2);
    expect(here.takeErrors()).toContain(expected);
    expect(here.otherLogs.size).toBe(0);
  });

  it('copies derived topics on request', async () => {
    const here = await fakeWorld();
    await here.log.append([{ topic: TOPIC.training, key: 'r', value: Buffer.from('x') }]);
    expect(await here.seam('replay', 'copy', '--to', TO, '--topic', 'training', '--derived')).toBe(0);
    expect(await recordsOf(here.otherLogs.get(TO)!, TOPIC.training)).toHaveLength(1);
  });

  it('refuses a topic with another number of partitions, and a log into itself', async () => {
    const here = await fakeWorld();
    const other = new InMemoryEventLog();
    await other.createTopics([{ name: TOPIC.problems, partitions: 7 }]);
    here.otherLogs.set(TO, other);
    expect(await here.seam('replay', 'copy', '--to', TO)).toBe(2);
    expect(here.takeErrors()).toMatch(
      /expected 4 partitions at the target, as at the source, got 7.*Copy into a log without this topic/,
    );
    here.otherLogs.set('lmdb:same', here.log);
    expect(await here.seam('replay', 'copy', '--to', 'lmdb:same')).toBe(2);
    expect(here.takeErrors()).toContain('expected two logs, got the same one twice');
  });

  it('teaches', async () => {
    const here = await fakeWorld();
    expect(await here.seam('replay', 'copy', '--help')).toBe(0);
    const help = here.takeOutput();
    for (const part of ['Examples:', 'Logs:', 'kafka://HOST:PORT', 'the same command resumes', '--data-dir'])
      expect(help).toContain(part);
  });
});

async function consumeUpTo(log: EventLog, group: string, goals: ReadonlyMap<number, number>): Promise<void> {
  const open = new Set([...goals].filter(([, goal]) => goal > 0).map(([partition]) => partition));
  const subscription = await log.consume({
    group,
    topics: [TOPIC.problems],
    from: 'earliest',
    maxBatchRecords: 1,
    onBatch: async ({ topic, partition, claim, signal }) => {
      if (!open.has(partition)) return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
      await log.transact({
        records: [],
        consumed: { claim, offsets: [{ topic, partition, nextOffset: goals.get(partition)! }] },
      });
      open.delete(partition);
    },
  });
  while (open.size > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  await subscription.close();
}

/** A log whose every commit may be the last one of its process: before it, or after it without an answer. */
class DyingLog extends InMemoryEventLog {
  constructor(
    storage: InMemoryLogStorage,
    private readonly fate: () => 'live' | 'die before' | 'die after',
  ) {
    super({ storage });
  }

  override async transact(transaction: Transaction): ReturnType<EventLog['transact']> {
    const fate = transaction.records.length === 0 ? 'live' : this.fate();
    if (fate === 'die before') throw new SeamError('LOG_UNAVAILABLE', 'killed');
    const positions = await super.transact(transaction);
    if (fate === 'die after') throw new SeamError('LOG_UNAVAILABLE', 'killed');
    return positions;
  }
}

describe('a copy that dies again and again', () => {
  it.each([1, 2, 3, 4, 5])('copies every record once (seed %i)', async (seed) => {
    const random = Random.of('copy', seed);
    const source = new InMemoryEventLog();
    await source.createTopics(TOPICS);
    const storage = new InMemoryLogStorage();
    const value = Buffer.alloc(100_000); // some forty records to a step
    let written = 0;
    const write = (count: number): Promise<unknown> =>
      source.append(
        Array.from({ length: count }, (): NewRecord => ({ topic: TOPIC.outcomes, key: `k${written++}`, value })),
      );
    await write(600);
    let deaths = 0;
    for (;;) {
      const target = new DyingLog(storage, () => {
        const at = random.float();
        return at < 0.15 ? 'die before' : at < 0.3 ? 'die after' : 'live';
      });
      const observer = { planned: () => undefined, looked: () => undefined, waits: () => undefined };
      const request = { topics: [TOPIC.outcomes], selection: { since: null, until: null, domains: [] } };
      try {
        await copyLog(source, target, request, { signal: new AbortController().signal, observer });
        if (deaths >= 4) break;
        await write(300);
      } catch {
        deaths++;
      } finally {
        await target.close();
      }
    }
    const copied = await recordsOf(new InMemoryEventLog({ storage }), TOPIC.outcomes);
    expect(kept(copied)).toEqual(kept(await recordsOf(source, TOPIC.outcomes)));
    expect(copied).toHaveLength(written);
  });
});

describe('two copies at once', () => {
  it('take turns: the second finds everything there', async () => {
    const source = new InMemoryEventLog();
    await source.createTopics(TOPICS);
    await fill(source, 50);
    const storage = new InMemoryLogStorage();
    const copy = () =>
      copyLog(
        source,
        new InMemoryEventLog({ storage }),
        { topics: [TOPIC.problems], selection: { since: null, until: null, domains: [] } },
        {
          signal: new AbortController().signal,
          observer: { planned: () => undefined, looked: () => undefined, waits: () => undefined },
        },
      );
    const reports = await Promise.all([copy(), copy(), copy()]);
    expect(reports.map(([report]) => report?.copied).sort()).toEqual([0, 0, 50]);
    expect(await recordsOf(new InMemoryEventLog({ storage }), TOPIC.problems)).toHaveLength(50);
  });

  it('fence the one that was given up for dead', async () => {
    const storage = new InMemoryLogStorage();
    const source = new InMemoryEventLog();
    await source.createTopics(TOPICS);
    await fill(source, 5);
    let firstClaim: Transaction['consumed'];
    class Watched extends InMemoryEventLog {
      override transact(transaction: Transaction): ReturnType<EventLog['transact']> {
        firstClaim ??= transaction.consumed;
        return super.transact(transaction);
      }
    }
    const target = new Watched({ storage });
    const request = { topics: [TOPIC.problems], selection: { since: null, until: null, domains: [] } };
    const observer = { planned: () => undefined, looked: () => undefined, waits: () => undefined };
    await copyLog(source, target, request, { signal: new AbortController().signal, observer });
    const late = target.transact({
      records: [{ topic: TOPIC.problems, key: 'late', value: null }],
      consumed: firstClaim!,
    });
    await expect(late).rejects.toMatchObject({ code: 'FENCED' });
  });
});
