import { InMemoryEventLog } from '@seamstream/event-log';
import { ledgerProjection } from '@seamstream/read-models';
import { NO_PROGRESS } from '../terminal/progress.js';
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
    const { answer } = await foldProjection(log, ledgerProjection, { signal, progress: () => NO_PROGRESS });
    expect(answer).toMatchObject({ published: 0, balanced: true });
    expect(await log.topics()).toEqual([{ name: 't', partitions: 2 }]);
  });

  it('is an error where the log cannot be asked', async () => {
    const log = new InMemoryEventLog();
    await log.close();
    await expect(storedRanges(log, 't')).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE' });
  });
});
