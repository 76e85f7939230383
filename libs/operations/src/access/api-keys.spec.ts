import { InMemoryEventLog } from '@seamstream/event-log';
import { TOPICS } from '@seamstream/events';
import { systemClock } from '@seamstream/kernel';
import { issueKey } from './api-keys.js';

it('names keys so that a command can be given the name: none of a thousand begins with a dash', async () => {
  const log = new InMemoryEventLog();
  await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
  const request = { name: 'a', role: 'viewer', by: 'ada', expiresAt: null } as const;
  const issued = await Promise.all(Array.from({ length: 1_000 }, () => issueKey(log, request, systemClock)));
  expect(issued.filter(({ keyId }) => !/^[A-Za-z0-9_][A-Za-z0-9_-]{11}$/.test(keyId))).toEqual([]);
});
