import type { LogRecord } from '../event-log.js';
import { type LogScene, pause, refusalOf } from './log-scene.contract.js';

export function describeClosing(scene: LogScene): void {
  const { open, consume, topicWith, group, record, collect } = scene;

  describe('closing', () => {
    it('waits for the handler that runs, asks it to stop, and lets it still commit', async () => {
      const topic = await topicWith(1);
      const name = group();
      await scene.log.append([record(topic, 'x')]);
      let told = false;
      let started = (): void => undefined;
      const running = new Promise<void>((resolve) => (started = resolve));
      const { seen, subscription } = await collect(scene.log, {
        group: name,
        topics: [topic],
        onBatch: async ({ signal }) => {
          started();
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
          told = true;
          await pause(20);
        },
      });
      await running;
      await subscription.close();
      expect([told, seen.length, subscription.assignment()]).toEqual([true, 1, []]);
      expect(await scene.log.committedOffsets(name)).toEqual([
        { topic, partition: 0, nextOffset: seen[0]!.offset + 1 },
      ]);
      await subscription.closed;
      await subscription.close();
    });

    it('takes the error by which a handler says that it was stopped for no failure', async () => {
      const topic = await topicWith(1);
      await scene.log.append([record(topic, 'x')]);
      let started = (): void => undefined;
      const running = new Promise<void>((resolve) => (started = resolve));
      const subscription = await consume(scene.log, {
        group: group(),
        topics: [topic],
        from: 'earliest',
        maxBatchRecords: 1,
        onBatch: async ({ signal }) => {
          started();
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
          signal.throwIfAborted();
        },
      });
      await running;
      await subscription.close();
      await expect(subscription.closed).resolves.toBeUndefined();
    });

    it('of a log closes its subscriptions, ends its followers, and refuses further use', async () => {
      const topic = await topicWith(1);
      const another = await open();
      const { subscription } = await collect(another, { group: group(), topics: [topic] });
      const records: LogRecord[] = [];
      const following = (async () => {
        for await (const chunk of another.follow({
          topics: [topic],
          from: 'earliest',
          signal: new AbortController().signal,
        })) {
          records.push(...chunk);
        }
      })();
      const ended = refusalOf(following);
      await another.close();
      await subscription.closed;
      expect(await ended).toMatchObject({ code: 'LOG_UNAVAILABLE' });
      expect(await refusalOf(another.append([record(topic, 'x')]))).toMatchObject({ code: 'LOG_UNAVAILABLE' });
      expect(await refusalOf(another.watermarks(topic))).toMatchObject({ code: 'LOG_UNAVAILABLE' });
      await another.close();
      await scene.log.append([record(topic, 'the other log continues')]);
    });
  });
}
