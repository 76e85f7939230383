import { type ConsumeOptions, type InMemoryEventLog, type NewRecord, type Transaction } from '@seamstream/event-log';
import { TOPIC } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { eventsOf, FlakyLog, recordsOf, until, withTopics } from '@seamstream/testing';
import { deadLetter, done, retry, wait } from './handler-result.js';
import {
  answerAll,
  answered,
  consumedCount,
  expired,
  GROUP,
  ids,
  newLog,
  problem,
  published,
  serve,
} from './served-consumer.fake.js';

describe('the event-log transport, where something fails,', () => {
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
});

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
