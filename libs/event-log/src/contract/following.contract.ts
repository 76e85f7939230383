import { type LogScene, pause, valuesOf } from './log-scene.contract.js';

export function describeFollowing(scene: LogScene): void {
  const { open, topicWith, record, numbered, eventually, quietMs } = scene;

  describe('following', () => {
    it('yields the present records, then new ones, until it is stopped', async () => {
      const topic = await topicWith(2);
      await scene.log.append([record(topic, 'a'), record(topic, 'b', { partition: 1 })]);
      const stop = new AbortController();
      const values: (string | null)[] = [];
      const following = (async () => {
        for await (const chunk of scene.log.follow({ topics: [topic], from: 'earliest', signal: stop.signal }))
          values.push(...valuesOf(chunk));
      })();
      await eventually(() => expect(values.toSorted()).toEqual(['a', 'b']));
      await scene.log.append([record(topic, 'c')]);
      await eventually(() => expect(values).toContain('c'));
      await (await open()).append([record(topic, 'd', { partition: 1 })]);
      await eventually(() => expect(values).toContain('d'));
      stop.abort();
      await following;
      await scene.log.append([record(topic, 'e')]);
      await pause(quietMs);
      expect(values.toSorted()).toEqual(['a', 'b', 'c', 'd']);
    });

    it('begins with the next record, or at the given offsets', async () => {
      const topic = await topicWith(1);
      const positions = await scene.log.append(numbered(topic, 5));
      const stop = new AbortController();
      const [latest, given]: [string[], string[]] = [[], []];
      const run = async (
        from: 'latest' | { topic: string; partition: number; nextOffset: number }[],
        into: string[],
      ) => {
        for await (const chunk of scene.log.follow({ topics: [topic], from, signal: stop.signal }))
          into.push(...valuesOf(chunk).map(String));
      };
      const both = [run('latest', latest), run([{ topic, partition: 0, nextOffset: positions[3]!.offset }], given)];
      await eventually(() => expect(given).toEqual(['3', '4']));
      await pause(quietMs);
      await scene.log.append([record(topic, 'new')]);
      await eventually(() => expect([latest, given]).toEqual([['new'], ['3', '4', 'new']]));
      stop.abort();
      await Promise.all(both);
    });

    it('keeps up with a writer and misses nothing', async () => {
      const topic = await topicWith(1);
      const stop = new AbortController();
      const values: number[] = [];
      const following = (async () => {
        for await (const chunk of scene.log.follow({ topics: [topic], from: 'earliest', signal: stop.signal }))
          values.push(...valuesOf(chunk).map(Number));
      })();
      const writer = await open();
      for (let call = 0; call < 30; call++)
        await writer.append(Array.from({ length: 40 }, (_, index) => record(topic, `${call * 40 + index}`)));
      await eventually(() => expect(values).toHaveLength(1200));
      expect(values).toEqual(Array.from({ length: 1200 }, (_, index) => index));
      stop.abort();
      await following;
    });
  });
}
