import { InMemoryLogStorage } from '@seamstream/event-log';
import { TOPIC } from '@seamstream/events';
import { eventsOf, recordsOf, until } from '@seamstream/testing';
import type { BatchConsumer, DeliveredBatch } from './delivery.js';
import { done, halt } from './handler-result.js';
import { answerAll, answered, consumedCount, expired, ids, newLog, published, serve } from './served-consumer.fake.js';

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
