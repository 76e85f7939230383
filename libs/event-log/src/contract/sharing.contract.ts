import type { EventLog, Subscription } from '../event-log.js';
import { type LogScene, pause, text, valuesOf } from './log-scene.contract.js';

export function describeSharing(scene: LogScene): void {
  const { open, consume, topicWith, group, record, numbered, readAll, eventually, commit, collect, quietMs } = scene;

  describe('sharing a group', () => {
    const owners = (...members: { subscription: Subscription }[]) =>
      members.map(({ subscription }) => [...subscription.assignment()]);

    it('shares the partitions evenly among members, of one log and of two, without overlap', async () => {
      const topic = await topicWith(6);
      const name = group();
      const a = await collect(scene.log, { group: name, topics: [topic] });
      const b = await collect(scene.log, { group: name, topics: [topic] });
      const c = await collect(await open(), { group: name, topics: [topic] });
      await eventually(() => {
        const shares = owners(a, b, c);
        expect(shares.map((share) => share.length)).toEqual([2, 2, 2]);
        expect(new Set(shares.flat()).size).toBe(6);
      });
      await scene.log.append([0, 1, 2, 3, 4, 5].flatMap((partition) => numbered(topic, 10, { partition })));
      await eventually(() => expect(a.seen.length + b.seen.length + c.seen.length).toBe(60));
      expect([a.seen.length, b.seen.length, c.seen.length]).toEqual([20, 20, 20]);
    });

    it('stops the handler of a partition that is wanted elsewhere, waits for it, and loses nothing', async () => {
      const topic = await topicWith(2);
      const name = group();
      await scene.log.append([...numbered(topic, 1), ...numbered(topic, 1, { partition: 1 })]);
      const aborted: number[] = [];
      let started = 0;
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      const first = await collect(scene.log, {
        group: name,
        topics: [topic],
        onBatch: async (batch) => {
          batch.signal.addEventListener('abort', () => aborted.push(batch.partition));
          started++;
          await released;
        },
      });
      await eventually(() => expect(started).toBe(2));
      const second = await collect(await open(), { group: name, topics: [topic] });
      await eventually(() => expect(aborted).toHaveLength(1));
      await pause(quietMs);
      expect(second.seen).toEqual([]); // its owner is still at it
      release();
      await eventually(() => expect(second.subscription.assignment()).toEqual([`${topic}/${aborted[0]}`]));
      await eventually(() => expect(first.seen.length + second.seen.length).toBe(2));
    });

    it('gives a closed member’s partitions to the others', async () => {
      const topic = await topicWith(4);
      const name = group();
      const a = await collect(scene.log, { group: name, topics: [topic] });
      const b = await collect(await open(), { group: name, topics: [topic] });
      await eventually(() => expect(owners(a, b).map((share) => share.length)).toEqual([2, 2]));
      await a.subscription.close();
      await eventually(() => expect(owners(a, b).map((share) => share.length)).toEqual([0, 4]));
      await scene.log.append([0, 1, 2, 3].flatMap((partition) => numbered(topic, 5, { partition })));
      await eventually(() => expect(b.seen).toHaveLength(20));
    });

    it('gives a group that wants it whole to one member, and all of it to the next when that one leaves', async () => {
      const topic = await topicWith(4);
      const name = group();
      const a = await collect(scene.log, { group: name, topics: [topic], sharing: 'whole' });
      const b = await collect(await open(), { group: name, topics: [topic], sharing: 'whole' });
      await eventually(() => expect(owners(a, b).map((share) => share.length)).toEqual([4, 0]));
      await scene.log.append([0, 1, 2, 3].flatMap((partition) => numbered(topic, 5, { partition })));
      await eventually(() => expect(a.seen).toHaveLength(20));
      await pause(quietMs);
      expect(owners(a, b).map((share) => share.length)).toEqual([4, 0]);
      await a.subscription.close();
      await eventually(() => expect(owners(a, b).map((share) => share.length)).toEqual([0, 4]));
      await scene.log.append([0, 1, 2, 3].flatMap((partition) => numbered(topic, 5, { partition })));
      await eventually(() => expect(b.seen).toHaveLength(20));
    });

    it('shares whole groups out among the instances by turns, and moves one as a whole, after its batch', async () => {
      const topic = await topicWith(3);
      const names = [group(), group(), group()];
      await scene.log.append([0, 1, 2].flatMap((partition) => numbered(topic, 2, { partition })));
      const working = new Map<string, Set<number>>();
      const overlaps: string[] = [];
      const done: string[] = [];
      const join = (target: EventLog, instance: number) =>
        Promise.all(
          names.map((name, turn) =>
            collect(target, {
              group: name,
              topics: [topic],
              sharing: 'whole',
              turn,
              maxBatchRecords: 1,
              onBatch: async ({ records }) => {
                const others = working.get(name) ?? new Set();
                if ([...others].some((other) => other !== instance)) overlaps.push(name);
                working.set(name, others.add(instance));
                await pause(20);
                others.delete(instance);
                done.push(...records.map(({ partition, offset }) => `${name} ${partition}/${offset}`));
              },
            }),
          ),
        );
      /** Per instance the number of groups that it has whole; none that has one in part. */
      const wholes = (instances: { subscription: Subscription }[][]): number[] => {
        const shares = instances.map((each) => owners(...each).map((share) => share.length));
        expect(shares.flat().filter((partitions) => partitions % 3 !== 0)).toEqual([]);
        return shares.map((each) => each.filter((partitions) => partitions === 3).length);
      };
      const a = await join(scene.log, 0);
      await eventually(() => expect(wholes([a])).toEqual([3]));
      const [b, c] = [await join(await open(), 1), await join(await open(), 2)];
      await eventually(() => expect(wholes([a, b, c])).toEqual([1, 1, 1]));
      await Promise.all(b.map(({ subscription }) => subscription.close()));
      await eventually(() => expect(wholes([a, c]).toSorted()).toEqual([1, 2]));
      await scene.log.append([0, 1, 2].flatMap((partition) => numbered(topic, 3, { partition })));
      await eventually(() => expect(new Set(done).size).toBe(3 * 3 * 5));
      expect(overlaps).toEqual([]);
      expect(done).toHaveLength(3 * 3 * 5);
    });

    it('processes each record once while members come and go', async () => {
      const topic = await topicWith(4);
      const sink = await topicWith(1);
      const name = group();
      await scene.log.append(
        Array.from({ length: 1200 }, (_, index) => record(topic, `${index}`, { partition: index % 4 })),
      );
      const join = async (target: EventLog) =>
        consume(target, {
          group: name,
          topics: [topic],
          from: 'earliest',
          maxBatchRecords: 20,
          onBatch: async (batch) => {
            await commit(
              target,
              batch,
              batch.records.map((one) => record(sink, text(one.value))),
            );
          },
        });
      const [other, third] = [await open(), await open()];
      const a = await join(scene.log);
      const b = await join(other);
      await pause(10);
      await a.close();
      const c = await join(third);
      await pause(10);
      const d = await join(scene.log);
      await b.close();
      await eventually(async () => expect(await readAll(sink)).toHaveLength(1200));
      await Promise.all([c.close(), d.close()]);
      const derived = valuesOf(await readAll(sink)).map(Number);
      expect(derived.toSorted((x, y) => x - y)).toEqual(Array.from({ length: 1200 }, (_, index) => index));
    });
  });
}
