import { Controller, Module } from '@nestjs/common';
import {
  type ConsumeOptions,
  InMemoryEventLog,
  InMemoryLogStorage,
  type NewRecord,
  type Transaction,
} from '@seamstream/event-log';
import { type EventOf, encodeEvent, type SeamEvent, TOPIC, type TopicName } from '@seamstream/events';
import { derivedId, SeamError } from '@seamstream/kernel';
import {
  committedRecords,
  EXAMPLE_EVENTS,
  eventsOf,
  FlakyLog,
  openLog,
  recordsOf,
  until,
  withTopics,
} from '@seamstream/testing';
import { startForTest } from '@seamstream/testing/services';
import { commonConfigSchema } from '../config/common-config.js';
import { type RunningService } from '../run-service.js';
import { ConsumeTopic } from './consume-topic.decorator.js';
import type { BatchConsumer, DeliveredBatch } from './delivery.js';
import { deadLetter, done, halt, retry, wait } from './handler-result.js';

const GROUP = 'seam.test';
const config = commonConfigSchema.parse({
  logging: { level: 'silent' },
  consuming: { maxAttempts: 3, firstRetryMs: 1, maxRetryMs: 5, shutdownGraceMs: 200, deadlineMs: 400 },
});

const { ProblemPublished } = EXAMPLE_EVENTS;

function problem(id: string): EventOf<'ProblemPublished'> {
  return {
    ...ProblemPublished,
    meta: { ...ProblemPublished.meta, messageId: derivedId(id, 'problem'), correlationId: id },
    problem: { ...ProblemPublished.problem, problemId: id, prompt: `What is ${id}?` },
  };
}

function expired({ event }: DeliveredBatch['records'][number]): EventOf<'ProblemExpired'> {
  if (event.type !== 'ProblemPublished') throw new Error('unexpected event');
  return expiredOf(event);
}

function expiredOf({ meta, problem: subject }: EventOf<'ProblemPublished'>): EventOf<'ProblemExpired'> {
  return {
    type: 'ProblemExpired',
    meta: { ...meta, messageId: derivedId(meta.messageId, 'expired'), causationId: meta.messageId },
    problem: subject,
    expiredAt: 1,
  };
}

/** Names the problem's event as its cause, and is not one of our answers. */
function forgedFor(id: string): EventOf<'ProblemExpired'> {
  const { meta, ...event } = expiredOf(problem(id));
  return { ...event, meta: { ...meta, messageId: derivedId(id, 'forged') } };
}

/** Answers every problem with an event that names it. */
const answerAll: BatchConsumer = async (batch) => batch.records.map((record) => done([expired(record)]));

/** As in Kafka: a commit that fails costs the claim, and the records are delivered again under another one at once. */
class ForfeitingLog extends FlakyLog {
  /** Commits that say more than this are refused. */
  mostRecords = Number.POSITIVE_INFINITY;
  refusals = 0;
  private readonly claims = new Map<string, AbortController>();

  override consume(options: ConsumeOptions): ReturnType<InMemoryEventLog['consume']> {
    return super.consume({
      ...options,
      onBatch: (batch) => {
        const claim = new AbortController();
        this.claims.set(`${batch.topic}/${batch.partition}`, claim);
        return options.onBatch({ ...batch, signal: AbortSignal.any([batch.signal, claim.signal]) });
      },
    });
  }

  override async transact(transaction: Transaction): ReturnType<InMemoryEventLog['transact']> {
    try {
      const { records, consumed } = transaction;
      if (consumed && records.filter(({ topic }) => topic !== TOPIC.deadLetters).length > this.mostRecords)
        throw new SeamError('RECORD_TOO_LARGE', 'the broker takes no batch of this size');
      return await super.transact(transaction);
    } catch (error) {
      this.refusals++;
      for (const { topic, partition } of transaction.consumed?.offsets ?? [])
        this.claims.get(`${topic}/${partition}`)?.abort(new SeamError('ABORTED', 'the claim is gone'));
      throw error;
    }
  }
}

const newLog = (storage = new InMemoryLogStorage()): Promise<FlakyLog> => openLog({ storage });

async function serve(
  log: InMemoryEventLog,
  consume: BatchConsumer,
  maxBatchRecords = 100,
  topics?: readonly TopicName[],
  consuming: Partial<typeof config.consuming> = {},
): Promise<RunningService> {
  const answers = topics === undefined ? {} : { answersIn: { topics, recognise: isExpiry } };

  @Controller()
  class ProblemConsumer {
    @ConsumeTopic({ topic: TOPIC.problems, group: GROUP, maxBatchRecords, ...answers })
    consume(batch: DeliveredBatch): ReturnType<BatchConsumer> {
      return consume(batch);
    }
  }

  @Module({ controllers: [ProblemConsumer] })
  class TestModule {}

  const definition = { name: 'test', module: () => ({ module: TestModule }) };
  return startForTest(definition, { config: { ...config, consuming: { ...config.consuming, ...consuming } }, log });
}

/** As {@link expired} writes it. */
const isExpiry =
  ({ type, meta }: SeamEvent) =>
  (cause: SeamEvent): boolean =>
    type === 'ProblemExpired' && meta.messageId === derivedId(cause.meta.messageId, 'expired');

const consumedCount = (log: InMemoryEventLog): Promise<number> => committedRecords(log, GROUP);

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `p-${index}`);
const published = (names: readonly string[]): NewRecord[] => names.map((name) => encodeEvent(problem(name)));
const answered = async (log: InMemoryEventLog): Promise<string[]> =>
  (await eventsOf(log, 'ProblemExpired')).map((event) => event.problem.problemId).sort();

describe('the event-log transport', () => {
  it('hands decoded batches to a decorated method and commits its events together with the offsets', async () => {
    const log = await newLog();
    await log.append(published(ids(30)));
    const batches: DeliveredBatch[] = [];
    await serve(
      log,
      async (batch) => {
        batches.push(batch);
        return answerAll(batch);
      },
      5,
    );
    await until(async () => (await consumedCount(log)) === 30);
    expect(await answered(log)).toEqual(ids(30).sort());
    expect(Math.max(...batches.map(({ records }) => records.length))).toBeLessThanOrEqual(5);
    for (const { records } of batches) {
      const offsets = records.map(({ position }) => position.offset);
      expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
    }
  });

  it('carries the trace context of the cause into its headers', async () => {
    const log = await newLog();
    await log.append(published(['a']));
    await serve(log, answerAll);
    await until(async () => (await consumedCount(log)) === 1);
    const [record] = await recordsOf(log, TOPIC.outcomes);
    expect(record?.headers.traceparent).toBe('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01');
  });

  it('sends a thousand malformed records to the dead letters with code, reason and bytes, and the rest is unaffected', async () => {
    const log = await newLog();
    const good = ids(50);
    const garbage = Array.from(
      { length: 1000 },
      (_, index): NewRecord => ({
        topic: TOPIC.problems,
        key: `bad-${index}`,
        value: Buffer.from(`not avro ${index}`),
        headers: { origin: 'test' },
      }),
    );
    await log.append([...garbage.slice(0, 500), ...published(good), ...garbage.slice(500)]);
    await serve(log, answerAll);
    await until(async () => (await consumedCount(log)) === 1050);
    expect(await answered(log)).toEqual(good.sort());
    const letters = await eventsOf(log, 'DeadLettered');
    expect(letters).toHaveLength(1000);
    const letter = letters.find(({ key }) => key === 'bad-7');
    expect(letter).toMatchObject({
      topic: TOPIC.problems,
      group: GROUP,
      code: 'MALFORMED_RECORD',
      headers: { origin: 'test' },
      attempts: 1,
    });
    expect(Buffer.from(letter?.value ?? []).toString()).toBe('not avro 7');
    expect(letter?.reason).toContain('expected c301');
    expect(new Set(letters.map(({ meta }) => meta.messageId)).size).toBe(1000);
  });

  it('keeps the beginning of a record that is too large for its own dead letter, and says so', async () => {
    const log = await newLog();
    await log.append([{ topic: TOPIC.problems, key: 'big', value: new Uint8Array(999_900).fill(7) }]);
    await serve(log, answerAll);
    await until(async () => (await consumedCount(log)) === 1);
    const [letter] = await eventsOf(log, 'DeadLettered');
    expect(letter?.value?.length).toBeGreaterThan(900_000);
    expect(letter?.reason).toMatch(/only the first \d+ of 999900 bytes/);
  });

  it('dead-letters what the consumer skips, in the same transaction as the rest of the batch', async () => {
    const log = await newLog();
    await log.append(published(ids(10)));
    await serve(log, async (batch) =>
      batch.records.map((record) =>
        record.event.meta.correlationId === 'p-3'
          ? deadLetter('PROMPT_TOO_LONG', 'too long: 900 tokens')
          : done([expired(record)]),
      ),
    );
    await until(async () => (await consumedCount(log)) === 10);
    expect(await answered(log)).toEqual(
      ids(10)
        .filter((id) => id !== 'p-3')
        .sort(),
    );
    expect(await eventsOf(log, 'DeadLettered')).toMatchObject([
      {
        key: 'p-3',
        code: 'PROMPT_TOO_LONG',
        reason: 'too long: 900 tokens',
        meta: { causationId: problem('p-3').meta.messageId, correlationId: 'p-3' },
      },
    ]);
  });

  it('isolates a record on which the consumer throws by halving the batch', async () => {
    const log = await newLog();
    await log.append(published(ids(40)).map((record) => ({ ...record, partition: 0 })));
    const calls: number[] = [];
    await serve(log, async (batch) => {
      calls.push(batch.records.length);
      if (batch.records.some(({ event }) => event.meta.correlationId === 'p-17')) throw new Error('cannot be digested');
      return answerAll(batch);
    });
    await until(async () => (await consumedCount(log)) === 40);
    expect(await answered(log)).toEqual(
      ids(40)
        .filter((id) => id !== 'p-17')
        .sort(),
    );
    expect(await eventsOf(log, 'DeadLettered')).toMatchObject([
      { key: 'p-17', code: 'INTERNAL', reason: 'cannot be digested', attempts: 2 },
    ]);
    expect(calls.slice(0, 3)).toEqual([40, 40, 20]);
  });

  it('retries one record with back-off up to the limit, after committing the records before it', async () => {
    const log = await newLog();
    await log.append(published(ids(6)).map((record) => ({ ...record, partition: 0 })));
    const attempts: { readonly attempt: number; readonly isLastAttempt: boolean; readonly committed: number }[] = [];
    await serve(log, async (batch) => {
      const committed = await consumedCount(log);
      return batch.records.map((record) => {
        if (record.event.meta.correlationId !== 'p-2') return done([expired(record)]);
        attempts.push({ attempt: record.attempt, isLastAttempt: record.isLastAttempt, committed });
        return retry('SESSION_FAILED', 'the model is busy');
      });
    });
    await until(async () => (await consumedCount(log)) === 6);
    expect(attempts).toEqual([
      { attempt: 1, isLastAttempt: false, committed: 0 },
      { attempt: 2, isLastAttempt: false, committed: 2 },
      { attempt: 3, isLastAttempt: true, committed: 2 },
    ]);
    expect(await answered(log)).toEqual(['p-0', 'p-1', 'p-3', 'p-4', 'p-5']);
    expect(await eventsOf(log, 'DeadLettered')).toMatchObject([
      { key: 'p-2', code: 'SESSION_FAILED', reason: 'the model is busy', attempts: 3 },
    ]);
  });

  it('a record that succeeds on its second try leaves nothing behind', async () => {
    const log = await newLog();
    await log.append(published(['a']));
    let tries = 0;
    await serve(log, async (batch) => (++tries === 1 ? retry('SESSION_FAILED', 'not yet', 1) : answerAll(batch)));
    await until(async () => (await consumedCount(log)) === 1);
    expect(await answered(log)).toEqual(['a']);
    expect(await recordsOf(log, TOPIC.deadLetters)).toHaveLength(0);
  });

  it('delivers a record that is not ready again, after a wait that counts no attempt, and commits the records before it', async () => {
    const log = await newLog();
    await log.append(published(ids(6)).map((record) => ({ ...record, partition: 0 })));
    const seen: { readonly attempt: number; readonly committed: number }[] = [];
    await serve(log, async (batch) => {
      const committed = await consumedCount(log);
      return batch.records.map((record) => {
        if (record.event.meta.correlationId !== 'p-2' || seen.length === 20) return done([expired(record)]);
        seen.push({ attempt: record.attempt, committed });
        return wait(1);
      });
    });
    await until(async () => (await consumedCount(log)) === 6);
    expect(await answered(log)).toEqual(['p-0', 'p-1', 'p-2', 'p-3', 'p-4', 'p-5']);
    expect(seen[0]).toEqual({ attempt: 1, committed: 0 });
    expect(seen.slice(1)).toEqual(Array.from({ length: 19 }, () => ({ attempt: 1, committed: 2 })));
    expect(await recordsOf(log, TOPIC.deadLetters)).toHaveLength(0);
  });

  it('closes at once while a record waits, without the time that work in flight is given', async () => {
    const log = await newLog();
    await log.append(published(['a']));
    let asked = 0;
    const service = await serve(log, async () => {
      asked++;
      return wait(3_600_000);
    });
    await until(() => asked === 1);
    await service.close();
    expect(asked).toBe(1);
    expect(await consumedCount(log)).toBe(0);
  });

  it('waits out an outage however long, without blaming a record', async () => {
    const log = await newLog();
    await log.append(published(['a', 'b']).map((record) => ({ ...record, partition: 0 })));
    log.failures = Array.from({ length: 12 }, () => new SeamError('LOG_FULL', 'the disk is full'));
    const service = await serve(log, answerAll);
    await until(async () => (await consumedCount(log)) === 2);
    expect(await answered(log)).toEqual(['a', 'b']);
    expect(await recordsOf(log, TOPIC.deadLetters)).toHaveLength(0);
    expect(await service.metrics.registry.getSingleMetricAsString('seam_retries_total')).toContain(
      'code="LOG_FULL"} 12',
    );
  });

  it('waits out an unnamed error of the log, also in the consumer; the same code without a driver is the fault of the record', async () => {
    const log = await newLog();
    await log.append(published(['a', 'b']).map((record) => ({ ...record, partition: 0 })));
    let questions = 0;
    const service = await serve(log, async (batch) => {
      if (++questions <= 9) throw new SeamError('INTERNAL', 'an error of tomorrow', { details: { driver: 'kafka' } });
      if (batch.records.some(({ event }) => event.meta.correlationId === 'b')) throw new SeamError('INTERNAL', 'mine');
      return answerAll(batch);
    });
    await until(async () => (await consumedCount(log)) === 2);
    expect(await answered(log)).toEqual(['a']);
    expect(await eventsOf(log, 'DeadLettered')).toMatchObject([{ key: 'b', code: 'INTERNAL' }]);
    expect(await service.metrics.registry.getSingleMetricAsString('seam_retries_total')).toMatch(
      /code="INTERNAL"} \d\d/,
    );
  });

  it('drops and counts work that is fenced, and dead-letters nothing', async () => {
    const log = await newLog();
    await log.append(published(['a']));
    log.failures = [new SeamError('FENCED', 'another owns it')];
    const service = await serve(log, answerAll);
    await until(async () => (await consumedCount(log)) === 1); // the fake still owns the partition and delivers again
    expect(await answered(log)).toEqual(['a']);
    expect(await recordsOf(log, TOPIC.deadLetters)).toHaveLength(0);
    expect(await service.metrics.registry.getSingleMetricAsString('seam_fenced_records_total')).toContain('} 1');
  });

  it('a refused commit that costs the claim is counted, and waited for longer each time under the next ones', async () => {
    const log = await withTopics(new ForfeitingLog());
    await log.append(published(['a', 'b']).map((record) => ({ ...record, partition: 0 })));
    log.failures = ['LOG_UNAVAILABLE', 'INTERNAL', 'LOG_UNAVAILABLE', 'INTERNAL', 'INTERNAL'].map(
      (code) => new SeamError(code as 'INTERNAL', 'INVALID_TXN_STATE'),
    );
    const asked: number[] = [];
    const service = await serve(
      log,
      async (batch) => {
        asked.push(performance.now());
        return answerAll(batch);
      },
      100,
      undefined,
      { firstRetryMs: 10, maxRetryMs: 40 },
    );
    await until(async () => (await consumedCount(log)) === 2);
    expect(await answered(log)).toEqual(['a', 'b']);
    expect(await recordsOf(log, TOPIC.deadLetters)).toHaveLength(0);
    const waits = asked.slice(1).map((at, index) => at - asked[index]!);
    for (const [index, leastMs] of [9, 19, 39, 39, 39].entries()) expect(waits[index]).toBeGreaterThanOrEqual(leastMs);
    const retries = await service.metrics.registry.getSingleMetricAsString('seam_retries_total');
    expect(retries).toContain('code="LOG_UNAVAILABLE"} 2');
    expect(retries).toContain('code="INTERNAL"} 3');
  });

  it('finds the record whose events are too large for the log across the claims that the search costs', async () => {
    const log = await withTopics(new ForfeitingLog());
    await log.append(published(ids(40)).map((record) => ({ ...record, partition: 0 })));
    log.mostRecords = 100;
    await serve(log, async (batch) =>
      batch.records.map((record) =>
        done(
          Array.from({ length: ['p-17', 'p-30'].includes(record.event.meta.correlationId) ? 101 : 1 }, () =>
            expired(record),
          ),
        ),
      ),
    );
    await until(async () => (await consumedCount(log)) === 40);
    expect(await answered(log)).toEqual(
      ids(40)
        .filter((id) => id !== 'p-17' && id !== 'p-30')
        .sort(),
    );
    expect(await eventsOf(log, 'DeadLettered')).toMatchObject([
      { key: 'p-17', code: 'RECORD_TOO_LARGE', attempts: 2 },
      { key: 'p-30', code: 'RECORD_TOO_LARGE', attempts: 2 },
    ]);
    expect(log.refusals).toBeLessThan(20);
  });

  it('a commit that is refused for good ends the service with what the log said, though the claim is gone', async () => {
    const log = await withTopics(new ForfeitingLog());
    await log.append(published(['a']));
    log.failures = [new SeamError('INVALID_CONFIGURATION', 'TOPIC_AUTHORIZATION_FAILED')];
    const service = await serve(log, answerAll);
    await expect(service.ended).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining('TOPIC_AUTHORIZATION_FAILED'),
    });
    expect(await consumedCount(log)).toBe(0);
  });

  it('a dead letter that the log will not take ends the service', async () => {
    const log = await withTopics(new ForfeitingLog());
    await log.append([{ topic: TOPIC.problems, key: 'bad', value: Buffer.from('not avro') }]);
    log.failures = [new SeamError('RECORD_TOO_LARGE', 'the broker takes no batch of this size')];
    const service = await serve(log, answerAll);
    await expect(service.ended).rejects.toMatchObject({ code: 'RECORD_TOO_LARGE' });
    expect(await consumedCount(log)).toBe(0);
  });

  it.each([
    'OBJECT_NOT_FOUND',
    'OFFSET_OUT_OF_RANGE',
    'INVALID_CONFIGURATION',
    'CONFLICT',
    'CHECKPOINT_INVALID',
  ] as const)('blames no record when its consumer throws %s: the service ends', async (code) => {
    const log = await newLog();
    await log.append(published(ids(3)).map((record) => ({ ...record, partition: 0 })));
    const service = await serve(log, async () => {
      throw new SeamError(code, 'the world is another');
    });
    await expect(service.ended).rejects.toMatchObject({ code });
    expect(await consumedCount(log)).toBe(0);
    expect(await recordsOf(log, TOPIC.deadLetters)).toHaveLength(0);
  });

  it('ends the service with the reason when a consumer answers stop, and commits the records before it', async () => {
    const log = await newLog();
    await log.append(published(ids(3)).map((record) => ({ ...record, partition: 0 })));
    const service = await serve(log, async (batch) =>
      batch.records.map((record) =>
        record.event.meta.correlationId === 'p-1'
          ? halt('CONFLICT', 'the executor is not the frozen one')
          : done([expired(record)]),
      ),
    );
    await expect(service.ended).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('the executor is not the frozen one'),
    });
    expect(await answered(log)).toEqual(['p-0']);
    expect(await consumedCount(log)).toBe(1);
  });

  it('refuses an answer that is not parallel to the batch instead of guessing', async () => {
    const log = await newLog();
    await log.append(published(ids(2)).map((record) => ({ ...record, partition: 0 })));
    await serve(log, async () => []);
    await until(async () => (await consumedCount(log)) === 2);
    expect(await eventsOf(log, 'DeadLettered')).toMatchObject([{ code: 'INTERNAL' }, { code: 'INTERNAL' }]);
  });

  it('R11: what takes longer than the deadline is tried one record at a time, and the culprit is given up', async () => {
    const log = await newLog();
    await log.append(published(ids(6)).map((record) => ({ ...record, partition: 0 })));
    const sizes: number[] = [];
    await serve(log, async (batch) => {
      sizes.push(batch.records.length);
      if (batch.records.some(({ event }) => event.meta.correlationId === 'p-3'))
        await new Promise((_resolve, reject) =>
          batch.signal.addEventListener('abort', () => reject(new Error('the signal was heeded'))),
        );
      return answerAll(batch);
    });
    await until(async () => (await consumedCount(log)) === 6);
    expect(await answered(log)).toEqual(['p-0', 'p-1', 'p-2', 'p-4', 'p-5']);
    expect(sizes).toEqual([6, 1, 1, 1, 1, 1, 1, 1]); // the culprit alone twice
    expect(await eventsOf(log, 'DeadLettered')).toMatchObject([
      { key: 'p-3', code: 'DEADLINE_EXCEEDED', attempts: 2, reason: expect.stringContaining('within 400 ms') },
    ]);
  });

  it('R11: a consumer that hangs in spite of its signal ends the service, and nothing is committed', async () => {
    const log = await newLog();
    await log.append(published(ids(2)).map((record) => ({ ...record, partition: 0 })));
    const service = await serve(log, () => new Promise(() => undefined));
    await expect(service.ended).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    expect(await consumedCount(log)).toBe(0);
  });

  it('R07: passes over what was answered before, in the same batch, the same process or another one', async () => {
    const storage = new InMemoryLogStorage();
    const asked: (string | null)[] = [];
    const consume: BatchConsumer = async (batch) => {
      asked.push(...batch.records.map(({ event }) => event.meta.correlationId));
      return batch.records.map((record) =>
        record.event.meta.correlationId === 'p-1' ? deadLetter('DATA_REFUSED', 'not yet') : done([expired(record)]),
      );
    };
    const log = await newLog(storage);
    const once = published(ids(4));
    await log.append([...once, ...once]);
    const first = await serve(log, consume, 6, [TOPIC.outcomes]);
    await until(async () => (await consumedCount(log)) === 8);
    expect([...new Set(asked)].sort()).toEqual(ids(4));
    expect(asked.filter((id) => id !== 'p-1')).toHaveLength(3);
    await first.close();
    await log.append(once);
    asked.length = 0;
    const other = await newLog(storage);
    await serve(other, consume, 6, [TOPIC.outcomes]);
    await until(async () => (await consumedCount(other)) === 12);
    // A dead letter is no answer: a record that is sent again is to be worked on.
    expect(asked).toEqual(['p-1']);
    expect(await answered(other)).toEqual(['p-0', 'p-2', 'p-3']);
    expect((await eventsOf(other, 'DeadLettered')).length).toBeGreaterThan(1);
  });

  it('works on what a record only names as its cause, reports each such record, and skips what was answered as well', async () => {
    const log = await newLog();
    const named = await Promise.all(ids(3).map(async (id) => encodeEvent(forgedFor(id))));
    await log.append([...published(ids(3)), ...named, ...named]);
    await log.append([encodeEvent(expiredOf(problem('p-2')))]);
    const service = await serve(log, answerAll, 6, [TOPIC.outcomes]);
    await until(async () => (await consumedCount(log)) === 3);
    const answers = (await eventsOf(log, 'ProblemExpired')).map(({ meta }) => meta.messageId);
    for (const id of ids(3))
      expect(answers.filter((each) => each === expiredOf(problem(id)).meta.messageId)).toHaveLength(1);
    const metric = await service.metrics.registry.getSingleMetricAsString('seam_foreign_answers_total');
    expect(metric).toContain(`seam_foreign_answers_total{group="${GROUP}"} 6`);
  });

  it('takes no record of another tenant, or of another problem, for one that it has answered', async () => {
    const log = await newLog();
    const own = problem('p-0');
    const globex = { ...own, meta: { ...own.meta, tenant: 'globex' } };
    const other = { ...own, problem: { ...own.problem, problemId: 'p-1' } };
    await log.append([globex, other, own, own].map((event) => ({ ...encodeEvent(event), partition: 0 })));
    const asked: SeamEvent[] = [];
    await serve(
      log,
      async (batch) => {
        asked.push(...batch.records.map(({ event }) => event));
        return answerAll(batch);
      },
      6,
      [TOPIC.outcomes],
    );
    await until(async () => (await consumedCount(log)) === 4);
    expect(asked).toHaveLength(3);
  });

  it('lets work in flight finish and commit at shutdown', async () => {
    const log = await newLog();
    await log.append(published(['a']));
    let begun = false;
    const service = await serve(log, async (batch) => {
      begun = true;
      await new Promise((resolve) => setTimeout(resolve, 50));
      return answerAll(batch);
    });
    await until(() => begun);
    await service.close();
    expect(await answered(log)).toEqual(['a']);
    expect(await consumedCount(log)).toBe(1);
    await expect(service.ended).resolves.toBeUndefined();
  });

  it('hands back what is not finished by the deadline: nothing is committed and another instance does it', async () => {
    const storage = new InMemoryLogStorage();
    const log = await newLog(storage);
    await log.append(published(['a']));
    let stopped = false;
    let begun = false;
    const service = await serve(log, async (batch) => {
      begun = true;
      await new Promise<void>((resolve) => batch.signal.addEventListener('abort', () => resolve()));
      stopped = true;
      return answerAll(batch);
    });
    await until(() => begun);
    const started = Date.now();
    await service.close();
    expect(stopped).toBe(true);
    expect(Date.now() - started).toBeGreaterThanOrEqual(190); // shutdownGraceMs is 200; timers may fire a little early
    expect(await consumedCount(log)).toBe(0);
    expect(await recordsOf(log, TOPIC.outcomes)).toHaveLength(0);
    await serve(await newLog(storage), answerAll);
    await until(async () => (await consumedCount(log)) === 1);
    expect(await answered(log)).toEqual(['a']);
  });

  it('two instances share the partitions and answer every record once', async () => {
    const storage = new InMemoryLogStorage();
    const first = await newLog(storage);
    const second = await newLog(storage);
    const slow: BatchConsumer = async (batch) => {
      await new Promise((resolve) => setTimeout(resolve, 2));
      return answerAll(batch);
    };
    await serve(first, slow, 3);
    await serve(second, slow, 3);
    await first.append(published(ids(60)));
    await until(async () => (await consumedCount(first)) === 60);
    expect(await answered(first)).toEqual(ids(60).sort());
  });
});
