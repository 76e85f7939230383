import { bytes, type LogScene, pause, refusalOf, valuesOf } from './log-scene.contract.js';

export function describeConsuming(scene: LogScene): void {
  const { open, consume, topicWith, group, record, numbered, eventually, commit, collect, quietMs } = scene;

  describe('consuming', () => {
    it('delivers every record once, in order of each partition, in batches of one partition and of the asked size', async () => {
      const topic = await topicWith(4);
      await scene.log.append(
        Array.from({ length: 2000 }, (_, index) => ({ topic, key: `key-${index % 37}`, value: bytes(`${index}`) })),
      );
      const { seen, batches, subscription } = await collect(scene.log, {
        group: group(),
        topics: [topic],
        maxBatchRecords: 64,
      });
      await eventually(() => expect(seen).toHaveLength(2000));
      await subscription.close();
      expect(new Set(valuesOf(seen)).size).toBe(2000);
      for (const batch of batches) {
        expect(batch.records.length).toBeLessThanOrEqual(64);
        expect(batch.records.every((one) => one.topic === batch.topic && one.partition === batch.partition)).toBe(true);
      }
      for (const partition of [0, 1, 2, 3]) {
        const offsets = seen.filter((one) => one.partition === partition).map((one) => one.offset);
        expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
      }
    });

    it('hands out records that arrive later, from this log and from another', async () => {
      const topic = await topicWith(2);
      const { seen } = await collect(scene.log, { group: group(), topics: [topic] });
      await scene.log.append([record(topic, 'mine')]);
      await eventually(() => expect(valuesOf(seen)).toEqual(['mine']));
      await (await open()).append([record(topic, 'theirs', { partition: 1 })]);
      await eventually(() => expect(valuesOf(seen)).toEqual(['mine', 'theirs']));
    });

    it('begins a new group at the earliest record or after the latest, as asked', async () => {
      const topic = await topicWith(1);
      await scene.log.append([record(topic, 'old')]);
      const early = await collect(scene.log, { group: group(), topics: [topic], from: 'earliest' });
      const late = await collect(scene.log, { group: group(), topics: [topic], from: 'latest' });
      await eventually(() => expect(late.subscription.assignment()).toHaveLength(1));
      await eventually(() => expect(valuesOf(early.seen)).toEqual(['old']));
      await pause(quietMs);
      await scene.log.append([record(topic, 'new')]);
      await eventually(() => expect([valuesOf(early.seen), valuesOf(late.seen)]).toEqual([['old', 'new'], ['new']]));
    });

    it('continues where the group had committed, in a log opened later', async () => {
      const topic = await topicWith(1);
      const name = group();
      await scene.log.append(numbered(topic, 10));
      const first = await collect(scene.log, { group: name, topics: [topic], maxBatchRecords: 5 });
      await eventually(() => expect(first.seen).toHaveLength(10));
      await first.subscription.close();
      await scene.log.append([record(topic, 'next')]);
      const second = await collect(await open(), { group: name, topics: [topic] });
      await eventually(() => expect(valuesOf(second.seen)).toEqual(['next']));
    });

    it('serves several groups, and several subscriptions of one log, independently', async () => {
      const [left, right] = [await topicWith(1), await topicWith(2)];
      await scene.log.append([record(left, 'l'), record(right, 'r'), record(right, 's', { partition: 1 })]);
      const a = await collect(scene.log, { group: group(), topics: [left] });
      const b = await collect(scene.log, { group: group(), topics: [left, right] });
      await eventually(() => expect([valuesOf(a.seen), valuesOf(b.seen).toSorted()]).toEqual([['l'], ['l', 'r', 's']]));
      await a.subscription.close();
      await scene.log.append([record(left, 'm')]);
      await eventually(() => expect(valuesOf(b.seen)).toContain('m'));
      expect(valuesOf(a.seen)).toEqual(['l']);
    });

    it('delivers again what a handler did not commit, from the first uncommitted record on', async () => {
      const topic = await topicWith(1);
      await scene.log.append(numbered(topic, 6));
      const deliveries: (string | null)[][] = [];
      const subscription = await consume(scene.log, {
        group: group(),
        topics: [topic],
        from: 'earliest',
        maxBatchRecords: 4,
        onBatch: async (batch) => {
          deliveries.push(valuesOf(batch.records));
          if (deliveries.length === 1) return; // nothing committed
          await commit(scene.log, batch, [], deliveries.length === 2 ? 1 : undefined); // then one record, then all
        },
      });
      await eventually(() => expect(deliveries).toHaveLength(4));
      await subscription.close();
      expect(deliveries).toEqual([['0', '1', '2', '3'], ['0', '1', '2', '3'], ['1', '2', '3', '4'], ['5']]);
    });

    it('gives no second batch of a partition before the handler of the first returned', async () => {
      const topic = await topicWith(2);
      await scene.log.append([...numbered(topic, 30), ...numbered(topic, 30, { partition: 1 })]);
      const running = new Map<number, number>();
      let most = 0;
      const { seen } = await collect(scene.log, {
        group: group(),
        topics: [topic],
        maxBatchRecords: 3,
        onBatch: async ({ partition }) => {
          running.set(partition, (running.get(partition) ?? 0) + 1);
          most = Math.max(most, running.get(partition)!);
          await pause(2);
          running.set(partition, running.get(partition)! - 1);
        },
      });
      await eventually(() => expect(seen).toHaveLength(60));
      expect(most).toBe(1);
    });

    it('serves partitions side by side up to the bound, and starves none', async () => {
      const topic = await topicWith(6);
      await scene.log.append([0, 1, 2, 3, 4, 5].flatMap((partition) => numbered(topic, 20, { partition })));
      const order: number[] = [];
      let [running, most] = [0, 0];
      const subscription = await consume(scene.log, {
        group: group(),
        topics: [topic],
        from: 'earliest',
        maxBatchRecords: 5,
        maxConcurrentPartitions: 2,
        onBatch: async (batch) => {
          most = Math.max(most, ++running);
          order.push(batch.partition);
          await pause(3);
          await commit(scene.log, batch);
          running--;
        },
      });
      await eventually(() => expect(order).toHaveLength(24));
      await subscription.close();
      expect(most).toBe(2);
      expect(new Set(order.slice(0, 12))).toEqual(new Set([0, 1, 2, 3, 4, 5])); // none waits for another's backlog
    });

    it('ends with the error of a handler that throws, and commits nothing of its batch', async () => {
      const topic = await topicWith(1);
      const name = group();
      await scene.log.append([record(topic, 'poison')]);
      const subscription = await consume(scene.log, {
        group: name,
        topics: [topic],
        from: 'earliest',
        maxBatchRecords: 10,
        onBatch: async () => {
          throw new Error('the handler broke');
        },
      });
      await expect(subscription.closed).rejects.toThrow('the handler broke');
      expect(subscription.assignment()).toEqual([]);
      expect((await scene.log.committedOffsets(name)).filter((offset) => offset.nextOffset > 0)).toEqual([]);
      await subscription.close();
    });

    it.each([
      [{ maxBatchRecords: 0 }],
      [{ maxBatchRecords: 1.5 }],
      [{ topics: [] as string[] }],
      [{ group: '' }],
      [{ group: 'a/b' }],
      [{ maxConcurrentPartitions: 0 }],
    ])('refuses %j', async (bad) => {
      const topic = await topicWith(1);
      const options = {
        group: group(),
        topics: [topic],
        from: 'earliest' as const,
        maxBatchRecords: 1,
        onBatch: async () => undefined,
        ...bad,
      };
      expect(await refusalOf(consume(scene.log, options))).toMatchObject({ code: 'INVALID_INPUT' });
    });
  });
}
