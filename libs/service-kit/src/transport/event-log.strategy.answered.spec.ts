import { InMemoryLogStorage } from '@seamstream/event-log';
import { encodeEvent, type SeamEvent, TOPIC } from '@seamstream/events';
import { eventsOf, until } from '@seamstream/testing';
import type { BatchConsumer } from './delivery.js';
import { deadLetter, done } from './handler-result.js';
import {
  answerAll,
  answered,
  consumedCount,
  expired,
  expiredOf,
  forgedFor,
  GROUP,
  ids,
  newLog,
  problem,
  published,
  serve,
} from './served-consumer.fake.js';

describe('the event-log transport, where records were answered before,', () => {
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
});
