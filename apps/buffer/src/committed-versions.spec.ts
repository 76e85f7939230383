import { InMemoryEventLog } from '@seamstream/event-log';
import { TOPIC, TOPICS } from '@seamstream/events';
import { versionsIn } from './committed-versions.js';

describe('the versions of a buffer', () => {
  it('are not read past one that cannot be read: it would be made a second time', async () => {
    const log = new InMemoryEventLog();
    await log.createTopics(TOPICS);
    const value = Buffer.from('no event');
    await log.append([
      { topic: TOPIC.buffer, key: 'another', partition: 0, value },
      { topic: TOPIC.buffer, key: 'commits', partition: 0, value },
    ]);
    expect(await versionsIn(log, { partition: 0, from: 0, to: 1 }, 1)).toEqual([]);
    await expect(versionsIn(log, { partition: 0, from: 0, to: 2 }, 1)).rejects.toMatchObject({
      code: expect.stringMatching(/MALFORMED_RECORD|UNKNOWN_SCHEMA/),
    });
  });
});
