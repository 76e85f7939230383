import { newId } from '@seamstream/kernel';
import { type LogScene, refusalOf } from './log-scene.contract.js';

export function describeTopics(scene: LogScene): void {
  const { topicWith, group, record, readAll, collect } = scene;

  describe('topics', () => {
    it('lists what was created, and creating it again changes nothing', async () => {
      const topic = await topicWith(3);
      await scene.log.createTopics([{ name: topic, partitions: 3 }]);
      expect(await scene.log.topics()).toContainEqual({ name: topic, partitions: 3 });
      expect((await scene.log.watermarks(topic)).map(({ partition, low, high }) => [partition, low, high])).toEqual([
        [0, 0, 0],
        [1, 0, 0],
        [2, 0, 0],
      ]);
    });

    it('refuses another number of partitions for a topic that exists, and then creates none of the list', async () => {
      const topic = await topicWith(2);
      const other = `topic-${newId()}`;
      const refusal = await refusalOf(
        scene.log.createTopics([
          { name: other, partitions: 1 },
          { name: topic, partitions: 3 },
        ]),
      );
      expect(refusal).toMatchObject({ code: 'CONFLICT', details: { topic, existing: 2, wanted: 3 } });
      expect((await scene.log.topics()).map((spec) => spec.name)).not.toContain(other);
    });

    it.each(['', '.', '..', 'a b', 'ä', 'a/b', 'x'.repeat(250)])('refuses %j as a name', async (bad) => {
      expect(await refusalOf(scene.log.createTopics([{ name: bad, partitions: 1 }]))).toMatchObject({
        code: 'INVALID_INPUT',
      });
    });

    it.each([0, -1, 1.5, Number.NaN])('refuses %d partitions', async (partitions) => {
      expect(await refusalOf(scene.log.createTopics([{ name: 'fine', partitions }]))).toMatchObject({
        code: 'INVALID_INPUT',
      });
    });

    it('names the topic that does not exist, in every operation', async () => {
      const missing = { code: 'UNKNOWN_TOPIC', details: { topic: 'nowhere' } };
      expect(await refusalOf(scene.log.append([record('nowhere', 'x')]))).toMatchObject(missing);
      expect(await refusalOf(scene.log.watermarks('nowhere'))).toMatchObject(missing);
      expect(await refusalOf(scene.log.offsetForTime('nowhere', 0, 0))).toMatchObject(missing);
      expect(await refusalOf(readAll('nowhere'))).toMatchObject(missing);
      expect(await refusalOf(collect(scene.log, { group: group(), topics: ['nowhere'] }))).toMatchObject(missing);
      const topic = await topicWith(1);
      expect(await refusalOf(scene.log.append([record(topic, 'x', { partition: 1 })]))).toMatchObject({
        code: 'UNKNOWN_TOPIC',
        details: { partition: 1 },
      });
      expect(await refusalOf(readAll(topic, 7))).toMatchObject({ code: 'UNKNOWN_TOPIC', details: { partition: 7 } });
    });
  });
}
