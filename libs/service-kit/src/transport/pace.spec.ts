import { jest } from '@jest/globals';
import { InMemoryEventLog, type LogRecord, type RecordBatch, type Transaction } from '@seamstream/event-log';
import { decodeEvent, encodeEvent, type SeamEvent, TOPIC } from '@seamstream/events';
import { derivedId, isSeamError, SeamError } from '@seamstream/kernel';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import fc from 'fast-check';
import { BatchWorker } from './batch-worker.js';
import { judgeLateRecord, speedOf } from './deadline-finding.js';
import type { BatchConsumer } from './delivery.js';
import { done } from './handler-result.js';
import { type Admission, Pace } from './pace.js';

const { ProblemPublished, ProblemExpired } = EXAMPLE_EVENTS;
const never = new AbortController().signal;

/** Keeps what is committed. */
class RecordingLog extends InMemoryEventLog {
  readonly committed: SeamEvent[] = [];

  override async transact({ records }: Transaction): ReturnType<InMemoryEventLog['transact']> {
    this.committed.push(...records.map((record) => decodeEvent({ ...record, ...PLACE })));
    return [] as never;
  }
}

const PLACE = { partition: 0, offset: 0, timestampMs: 0 };

function recordOf(partition: number, offset: number): LogRecord {
  const id = `${partition}-${offset}`;
  const event = {
    ...ProblemPublished,
    meta: { ...ProblemPublished.meta, messageId: derivedId(id, 'problem') },
    problem: { ...ProblemPublished.problem, problemId: id },
  };
  return { ...encodeEvent(event), topic: TOPIC.problems, partition, offset, timestampMs: 0 };
}

/** A model of a given speed, which its concurrent callers share. It heeds its signal between two tokens. */
class SlowModel {
  /** Tokens that were written, wasted ones included. */
  written = 0;
  private asking = 0;
  private readonly finished = new Set<string>();

  constructor(
    private readonly msPerToken: () => number,
    private readonly tokensOf: (id: string) => number,
    private readonly tokensPerRecord: number,
  ) {}

  readonly consume: BatchConsumer = async ({ records, signal, report }) => {
    this.asking++;
    try {
      let tokens = 0;
      for (const { event } of records) {
        const { problemId } = (event as typeof ProblemPublished).problem;
        for (let left = this.finished.has(problemId) ? 0 : this.tokensOf(problemId); left > 0; left--) {
          await new Promise((resolve) => setTimeout(resolve, this.msPerToken() * this.asking));
          if (signal.aborted) throw new SeamError('ABORTED', 'asked to stop');
          this.written++;
          report({ records: 0, tokens: ++tokens, tokensPerRecord: this.tokensPerRecord });
        }
        this.finished.add(problemId);
      }
    } finally {
      this.asking--;
    }
    return records.map(({ event }) =>
      done([{ ...ProblemExpired, problem: (event as typeof ProblemPublished).problem }]),
    );
  };
}

describe('work that is slow', () => {
  beforeEach(() => {
    jest.useFakeTimers({ now: 0 });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is done to the last record, once, at any speed and with any deadline above what one record needs', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 12 }), {
          minLength: 1,
          maxLength: 4,
        }),
        // With three others under way, a token still ends within the second in which a signal is to be heeded.
        fc.integer({ min: 1, max: 240 }),
        fc.double({ min: 1.1, max: 12, noNaN: true }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 30_000 }),
        fc.integer({ min: 0, max: 60_000 }),
        async (tokens, msPerToken, slack, faster, changesEveryMs, startsAtMs) => {
          jest.setSystemTime(startsAtMs);
          const longest = Math.max(...tokens.flat());
          // The machine is faster at times, so that what was measured then is wrong later.
          const isFast = (): boolean => Math.floor(Date.now() / changesEveryMs) % 2 === 1;
          const model = new SlowModel(
            () => msPerToken / (isFast() ? faster : 1),
            (id) => {
              const [partition, offset] = id.split('-').map(Number) as [number, number];
              return tokens[partition]![offset]!;
            },
            longest,
          );
          const { log, worker } = workerOf(model, Math.ceil(longest * msPerToken * slack));
          await finish(
            Promise.all(tokens.map((records, partition) => worker.work(batchOf(partition, records.length), never))),
          );
          const ids = log.committed.map((event) => (event as typeof ProblemExpired).problem.problemId);
          const all = tokens.flatMap((records, partition) => records.map((_, offset) => `${partition}-${offset}`));
          expect(log.committed.every(({ type }) => type === 'ProblemExpired')).toBe(true);
          expect([...ids].sort()).toEqual(all.sort());
        },
      ),
      { numRuns: 300 },
    );
  });

  it('wastes little once the speed is known: of 64 like records next to nothing is written twice', async () => {
    const model = new SlowModel(
      () => 100,
      () => 8,
      8,
    );
    const { log, worker } = workerOf(model, 4_000);
    await finish(worker.work(batchOf(0, 64), never));
    expect(log.committed).toHaveLength(64);
    expect(model.written).toBe(64 * 8);
  });

  it('ends and names a deadline that would do where any record needs longer than the current one', async () => {
    const { log, worker } = workerOf(
      new SlowModel(
        () => 200,
        () => 10,
        10,
      ),
      1_000,
    );
    const error: unknown = await finish(worker.work(batchOf(0, 3), never)).catch((reason: unknown) => reason);
    expect(isSeamError(error, 'INVALID_CONFIGURATION')).toBe(true);
    expect((error as Error).message).toContain(
      'One problem needs about 2.0 s at the measured 5.00 tokens/s, the deadline is 1.0 s. Raise SEAM_CONSUMING_DEADLINE_MS to 4000',
    );
    expect(log.committed).toEqual([]);
  });

  it('does not end for a record that was late while others were under way: alone it is in time', async () => {
    // Both begin at the speed that was measured; at less than a third of it they are in time only one after the other.
    let msPerToken = 30;
    const model = new SlowModel(
      () => msPerToken,
      () => 10,
      10,
    );
    const { log, worker } = workerOf(model, 1_200);
    await finish(worker.work(batchOf(2, 1), never));
    msPerToken = 100;
    await finish(Promise.all([0, 1].map((partition) => worker.work(batchOf(partition, 1), never))));
    expect(log.committed.map(({ type }) => type)).toEqual(['ProblemExpired', 'ProblemExpired', 'ProblemExpired']);
  });

  it('gives up one record that is longer than all others, and continues', async () => {
    const { log, worker } = workerOf(
      new SlowModel(
        () => 100,
        (id) => (id === '0-2' ? 40 : 2),
        40,
      ),
      1_000,
    );
    await finish(worker.work(batchOf(0, 6), never));
    expect(log.committed.map(({ type }) => type).sort()).toEqual([
      'DeadLettered',
      ...Array.from({ length: 5 }, () => 'ProblemExpired'),
    ]);
  });
});

describe('a pace', () => {
  /** Time that stands still until it is moved. */
  function paceOf(deadlineMs: number): { pace: Pace; pass: (ms: number) => void } {
    let nowMs = 0;
    return {
      pace: new Pace(deadlineMs, () => nowMs),
      pass: (ms) => {
        nowMs += ms;
      },
    };
  }

  it('lets in one record before anything is known, then what fits into half of the deadline', async () => {
    const { pace, pass } = paceOf(1_000);
    const first = (await pace.admit(50, false, never))!;
    expect(first.count).toBe(1);
    pass(20);
    first.leave(1);
    expect(pace.msPerRecord).toBe(20);
    expect((await pace.admit(50, false, never))!.count).toBe(25);
  });

  it('knows which admissions shared the speed, also with others that came later or have left', async () => {
    const { pace, pass } = paceOf(1_000);
    (await pace.admit(1, false, never))!.leave(1);
    pass(10);
    const first = (await pace.admit(1, false, never))!;
    expect(first.wasShared).toBe(false);
    const second = (await pace.admit(1, false, never))!;
    expect([first.wasShared, second.wasShared]).toEqual([true, true]);
    first.leave(1);
    expect(second.wasShared).toBe(true);
    second.leave(1);
    expect((await pace.admit(1, true, never))!.wasShared).toBe(false);
  });

  it('admits nothing while the time is full or a record is alone; waiting ends with its signal', async () => {
    const { pace, pass } = paceOf(1_000);
    (await pace.admit(1, false, never))!.leave(1);
    const known = (await pace.admit(1, false, never))!;
    pass(100);
    known.leave(1);
    const filling = (await pace.admit(99, false, never))!;
    const entered: Admission[] = [];
    const stop = new AbortController();
    const stopped = pace.admit(1, false, stop.signal);
    const alone = pace.admit(7, true, never).then((admission) => entered.push(admission!));
    const behind = pace.admit(7, false, never).then((admission) => entered.push(admission!));
    stop.abort();
    expect(await stopped).toBeUndefined();
    expect(entered).toHaveLength(0);
    filling.leave(filling.count);
    await alone;
    expect(entered.map(({ count }) => count)).toEqual([1]);
    entered[0]!.leave(1);
    await behind;
    expect(entered).toHaveLength(2);
  });
});

describe('what a late batch says', () => {
  const at = (atMs: number, tokens: number) => ({ atMs, progress: { records: 0, tokens, tokensPerRecord: 100 } });

  it('is the speed of writing, without the time that prompts took', () => {
    expect(speedOf([at(9_000, 1), at(10_000, 11)])).toEqual({ tokensPerSecond: 10, msPerRecord: 10_000 });
    expect(speedOf([at(2_000, 10)])).toEqual({ tokensPerSecond: 5, msPerRecord: 20_000 });
    expect(speedOf([])).toBeUndefined();
  });

  it('says nothing about the deadline where nothing was counted, or where writing alone would have been in time', () => {
    expect(judgeLateRecord(undefined, 1_000).isTooShort).toBe(false);
    expect(judgeLateRecord({ tokensPerSecond: 10, msPerRecord: 10_000 }, 10_000).isTooShort).toBe(false);
    expect(judgeLateRecord({ tokensPerSecond: 10, msPerRecord: 10_000 }, 9_999).isTooShort).toBe(true);
  });
});

function batchOf(partition: number, count: number): RecordBatch {
  return {
    topic: TOPIC.problems,
    partition,
    records: Array.from({ length: count }, (_, offset) => recordOf(partition, offset)),
    claim: { group: 'g', memberId: 'm', token: {} },
    signal: never,
  };
}

function workerOf(model: SlowModel, deadlineMs: number): { log: RecordingLog; worker: BatchWorker } {
  const log = new RecordingLog();
  const clock = { now: () => Date.now() };
  const worker = new BatchWorker(
    {
      log,
      group: 'g',
      source: 'seam/test',
      maxAttempts: 5,
      firstRetryMs: 1,
      maxRetryMs: 1,
      deadlineMs,
      pace: new Pace(deadlineMs, () => clock.now()),
      clock,
      observer: {
        committed: () => undefined,
        deadLettered: () => undefined,
        retried: () => undefined,
        fenced: () => undefined,
        passedOver: () => undefined,
        notBelieved: () => undefined,
        underWay: () => undefined,
      },
    },
    model.consume,
  );
  return { log, worker };
}

/** Lets virtual time pass until the work is done. */
async function finish<T>(work: Promise<T>): Promise<T> {
  const watch = { isOver: false };
  const over = (): void => {
    watch.isOver = true;
  };
  work.then(over, over);
  while (!watch.isOver) await jest.advanceTimersByTimeAsync(50);
  return work;
}
