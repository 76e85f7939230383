import type { RecordBatch } from '../event-log.js';
import { type LogScene, refusalOf, text, valuesOf } from './log-scene.contract.js';

export function describeAtomicStep(scene: LogScene): void {
  const { open, consume, topicWith, group, record, numbered, readAll, eventually, commit, collect } = scene;

  describe('the atomic step of a consumer', () => {
    it('commits what was derived and how far was read together', async () => {
      const [source, target] = [await topicWith(1), await topicWith(1)];
      const name = group();
      await scene.log.append(numbered(source, 10));
      const subscription = await consume(scene.log, {
        group: name,
        topics: [source],
        from: 'earliest',
        maxBatchRecords: 4,
        onBatch: async (batch) => {
          const derived = batch.records.map((one) => record(target, `from ${text(one.value)}`));
          const positions = await commit(scene.log, batch, derived);
          expect(positions).toHaveLength(derived.length);
        },
      });
      await eventually(async () => expect(await readAll(target)).toHaveLength(10));
      await subscription.close();
      expect(valuesOf(await readAll(target))).toEqual(Array.from({ length: 10 }, (_, index) => `from ${index}`));
      const last = (await readAll(source)).at(-1)!;
      expect(await scene.log.committedOffsets(name)).toEqual([
        { topic: source, partition: 0, nextOffset: last.offset + 1 },
      ]);
    });

    it('commits neither when it is refused', async () => {
      const [source, target] = [await topicWith(1), await topicWith(1)];
      await scene.log.append(numbered(source, 3));
      const refusals: unknown[] = [];
      let attempts = 0;
      const subscription = await consume(scene.log, {
        group: group(),
        topics: [source],
        from: 'earliest',
        maxBatchRecords: 10,
        onBatch: async (batch) => {
          if (++attempts === 1) {
            refusals.push(
              await refusalOf(commit(scene.log, batch, [record(target, 'derived'), record('nowhere', 'x')])),
            );
            const { high } = (await scene.log.watermarks(source))[0]!;
            const beyond = [{ topic: source, partition: 0, nextOffset: high + 1 }];
            refusals.push(
              await refusalOf(
                scene.log.transact({
                  records: [record(target, 'derived')],
                  consumed: { claim: batch.claim, offsets: beyond },
                }),
              ),
            );
            const foreign = [{ topic: target, partition: 0, nextOffset: 0 }];
            refusals.push(
              await refusalOf(
                scene.log.transact({
                  records: [record(target, 'derived')],
                  consumed: { claim: batch.claim, offsets: foreign },
                }),
              ),
            );
          } else {
            await commit(scene.log, batch);
          }
        },
      });
      await eventually(() => expect(attempts).toBeGreaterThanOrEqual(2));
      await subscription.close();
      expect(refusals).toMatchObject([
        { code: 'UNKNOWN_TOPIC' },
        { code: 'OFFSET_OUT_OF_RANGE' },
        { code: 'INVALID_INPUT' },
      ]);
      expect(await readAll(target)).toEqual([]);
    });

    it('commits records under a claim alone, and the place stays', async () => {
      const [source, target] = [await topicWith(1), await topicWith(1)];
      const name = group();
      await scene.log.append(numbered(source, 1));
      let steps = 0;
      const subscription = await consume(scene.log, {
        group: name,
        topics: [source],
        from: 'earliest',
        maxBatchRecords: 1,
        onBatch: async ({ claim }) => {
          if (steps++ >= 2) return;
          await scene.log.transact({ records: [record(target, `step ${steps}`)], consumed: { claim, offsets: [] } });
        },
      });
      await eventually(() => expect(steps).toBeGreaterThan(2));
      await subscription.close();
      expect(valuesOf(await readAll(target))).toEqual(['step 1', 'step 2']);
      expect((await scene.log.committedOffsets(name)).filter(({ nextOffset }) => nextOffset > 0)).toEqual([]);
    });

    it('commits no offset a second time and none before it', async () => {
      const [source, target] = [await topicWith(1), await topicWith(1)];
      const name = group();
      await scene.log.append(numbered(source, 3));
      const refusals: unknown[] = [];
      let seen = 0;
      const subscription = await consume(scene.log, {
        group: name,
        topics: [source],
        from: 'earliest',
        maxBatchRecords: 3,
        onBatch: async (batch) => {
          await commit(scene.log, batch, [record(target, 'derived')], 2);
          for (const upTo of [2, 1])
            refusals.push(await refusalOf(commit(scene.log, batch, [record(target, 'again')], upTo)));
          seen = batch.records[1]!.offset + 1;
          await commit(scene.log, batch, [record(target, 'the rest')]);
        },
      });
      await eventually(async () => expect(await readAll(target)).toHaveLength(2));
      await subscription.close();
      expect(refusals).toMatchObject([
        {
          code: 'CONFLICT',
          details: { group: name, topic: source, partition: 0, nextOffset: seen, committed: seen },
        },
        { code: 'CONFLICT', details: { committed: seen } },
      ]);
      expect(valuesOf(await readAll(target))).toEqual(['derived', 'the rest']);
    });

    it('knows nothing of a group that never committed', async () => {
      expect(await scene.log.committedOffsets(group())).toEqual([]);
    });

    it('fences a claim whose subscription has closed', async () => {
      const [source, target] = [await topicWith(1), await topicWith(1)];
      await scene.log.append([record(source, 'x')]);
      const kept: RecordBatch[] = [];
      const { subscription } = await collect(scene.log, {
        group: group(),
        topics: [source],
        onBatch: async (batch) => void kept.push(batch),
      });
      await eventually(() => expect(kept).toHaveLength(1));
      await subscription.close();
      expect(await refusalOf(commit(scene.log, kept[0]!, [record(target, 'too late')]))).toMatchObject({
        code: 'FENCED',
        retryable: true,
      });
      expect(await readAll(target)).toEqual([]);
    });

    it('fences the claim of a partition that went to another member', async () => {
      const [source, target] = [await topicWith(2), await topicWith(1)];
      const name = group();
      await scene.log.append([record(source, 'a'), record(source, 'b', { partition: 1 })]);
      const kept: RecordBatch[] = [];
      const first = await collect(scene.log, {
        group: name,
        topics: [source],
        onBatch: async (batch) => void kept.push(batch),
      });
      await eventually(() => expect(kept).toHaveLength(2));
      const other = await open();
      const second = await collect(other, { group: name, topics: [source] });
      await eventually(() => {
        expect(first.subscription.assignment()).toHaveLength(1);
        expect(second.subscription.assignment()).toHaveLength(1);
      });
      const moved = kept.find((batch) =>
        second.subscription.assignment().includes(`${batch.topic}/${batch.partition}`),
      )!;
      await other.append([record(source, 'c', { partition: moved.partition })]);
      await eventually(() => expect(valuesOf(second.seen)).toEqual(['c']));
      expect(await refusalOf(commit(scene.log, moved, [record(target, 'zombie')]))).toMatchObject({ code: 'FENCED' });
      const underTheClaim = scene.log.transact({
        records: [record(target, 'zombie')],
        consumed: { claim: moved.claim, offsets: [] },
      });
      expect(await refusalOf(underTheClaim)).toMatchObject({ code: 'FENCED' });
      expect(await readAll(target)).toEqual([]);
      const { nextOffset } = (await scene.log.committedOffsets(name)).find(
        (offset) => offset.partition === moved.partition,
      )!;
      expect(nextOffset).toBe(second.seen[0]!.offset + 1);
    });
  });
}
