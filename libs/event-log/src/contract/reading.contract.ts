import type { LogRecord } from '../event-log.js';
import { type LogScene, refusalOf, valuesOf } from './log-scene.contract.js';

export function describeReading(scene: LogScene): void {
  const { topicWith, record, numbered, readAll } = scene;

  describe('reading', () => {
    it('yields thousands of records once each, in chunks of the asked size', async () => {
      const topic = await topicWith(1);
      for (let start = 0; start < 5000; start += 1000) {
        await scene.log.append(Array.from({ length: 1000 }, (_, index) => record(topic, `${start + index}`)));
      }
      const sizes: number[] = [];
      const values: number[] = [];
      for await (const chunk of scene.log.read({ topic, partition: 0, from: 0, chunkRecords: 700 })) {
        sizes.push(chunk.length);
        values.push(...valuesOf(chunk).map(Number));
      }
      expect(Math.max(...sizes)).toBeLessThanOrEqual(700);
      expect(values).toEqual(Array.from({ length: 5000 }, (_, index) => index));
    });

    it('begins and ends where it was asked to', async () => {
      const topic = await topicWith(1);
      const positions = await scene.log.append(numbered(topic, 50));
      const records: LogRecord[] = [];
      for await (const chunk of scene.log.read({
        topic,
        partition: 0,
        from: positions[17]!.offset,
        to: positions[23]!.offset,
      }))
        records.push(...chunk);
      expect(valuesOf(records)).toEqual(['17', '18', '19', '20', '21', '22']);
      const { high } = (await scene.log.watermarks(topic))[0]!;
      expect(await readAll(topic, 0, high)).toEqual([]);
    });

    it('says so when asked for what is not there', async () => {
      const topic = await topicWith(1);
      await scene.log.append(numbered(topic, 3));
      const { high } = (await scene.log.watermarks(topic))[0]!;
      expect(await refusalOf(readAll(topic, 0, high + 1))).toMatchObject({
        code: 'OFFSET_OUT_OF_RANGE',
        details: { topic, partition: 0, offset: high + 1 },
      });
      const records: LogRecord[] = [];
      const beyond = async () => {
        for await (const chunk of scene.log.read({ topic, partition: 0, from: 0, to: high + 5 }))
          records.push(...chunk);
      };
      expect(await refusalOf(beyond())).toMatchObject({ code: 'OFFSET_OUT_OF_RANGE' });
      expect(await refusalOf(readAll(topic, 0, -1))).toMatchObject({ code: 'INVALID_INPUT' });
      expect(await refusalOf(readAll(topic, 0, 0.5))).toMatchObject({ code: 'INVALID_INPUT' });
    });

    it('ends at the high watermark of the call although more arrives meanwhile', async () => {
      const topic = await topicWith(1);
      await scene.log.append(numbered(topic, 10));
      const values: (string | null)[] = [];
      for await (const chunk of scene.log.read({ topic, partition: 0, from: 0, chunkRecords: 4 })) {
        values.push(...valuesOf(chunk));
        await scene.log.append([record(topic, 'late')]);
      }
      expect(values).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    });
  });
}
