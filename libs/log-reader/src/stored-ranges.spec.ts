import { InMemoryEventLog } from '@seamstream/event-log';
import { TOPIC } from '@seamstream/events';
import { foldProjection } from './fold-projection.js';
import { storedRanges } from './stored-ranges.js';

const record = { topic: 't', key: 'k', partition: 1, value: null };

describe('what is stored of a topic', () => {
  it('is a range per partition', async () => {
    const log = new InMemoryEventLog();
    await log.createTopics([{ name: 't', partitions: 2 }]);
    await log.append([record, record]);
    expect(await storedRanges(log, 't')).toEqual([
      { topic: 't', partition: 0, from: 0, to: 0 },
      { topic: 't', partition: 1, from: 0, to: 2 },
    ]);
  });

  it('is nothing where the log has no such topic, and the topic is not made', async () => {
    const log = new InMemoryEventLog();
    await log.createTopics([{ name: 't', partitions: 2 }]);
    const { signal } = new AbortController();
    const counting = {
      topics: [TOPIC.problems],
      initialState: () => 0,
      evolve: (count: number) => count + 1,
      read: (count: number) => ({ count }),
    };
    const progress = { advance: () => undefined, stop: () => undefined };
    expect(await foldProjection(log, counting, { signal, progress: () => progress })).toEqual({
      answer: { count: 0 },
      records: 0,
      unreadable: 0,
    });
    expect(await log.topics()).toEqual([{ name: 't', partitions: 2 }]);
  });

  it('is an error where the log cannot be asked', async () => {
    const log = new InMemoryEventLog();
    await log.close();
    await expect(storedRanges(log, 't')).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE' });
  });
});
