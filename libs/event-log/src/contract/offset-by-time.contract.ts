import type { LogScene } from './log-scene.contract.js';

export function describeOffsetByTime(scene: LogScene): void {
  const { topicWith, record, readAll } = scene;

  describe('finding an offset by time', () => {
    it('answers the first record at or after the time, and the high watermark after the last', async () => {
      const topic = await topicWith(1);
      const positions = [];
      for (let block = 0; block < 6; block++) {
        positions.push(
          ...(await scene.log.append(
            Array.from({ length: 30 }, (_, index) =>
              record(topic, 'x', { timestampMs: 1000 + (block * 30 + index) * 10 }),
            ),
          )),
        );
      }
      for (const index of [0, 1, 29, 30, 100, 179]) {
        const { offset } = positions[index]!;
        expect(await scene.log.offsetForTime(topic, 0, 1000 + index * 10)).toBe(offset);
        expect(await scene.log.offsetForTime(topic, 0, 1000 + index * 10 - 9)).toBe(offset);
      }
      expect(await scene.log.offsetForTime(topic, 0, 0)).toBe(positions[0]!.offset);
      const { high } = (await scene.log.watermarks(topic))[0]!;
      expect(await scene.log.offsetForTime(topic, 0, 1000 + 180 * 10)).toBe(high);
    });

    it('copes with times that go backwards', async () => {
      const topic = await topicWith(1);
      const positions = await scene.log.append(
        [500, 300, 900, 100, 900].map((timestampMs) => record(topic, 'x', { timestampMs })),
      );
      await scene.log.append([200, 1500].map((timestampMs) => record(topic, 'x', { timestampMs })));
      expect(await scene.log.offsetForTime(topic, 0, 200)).toBe(positions[0]!.offset);
      expect(await scene.log.offsetForTime(topic, 0, 600)).toBe(positions[2]!.offset);
      const last = (await readAll(topic)).at(-1)!;
      expect(await scene.log.offsetForTime(topic, 0, 901)).toBe(last.offset);
    });

    it('answers the high watermark of an empty partition', async () => {
      expect(await scene.log.offsetForTime(await topicWith(1), 0, 0)).toBe(0);
    });
  });
}
