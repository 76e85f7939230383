import { describeEventLogContract } from './event-log.contract.js';
import { InMemoryEventLog } from './event-log.fake.js';
import { InMemoryLogStorage } from './in-memory-log-storage.fake.js';

describeEventLogContract('the log in memory', async (clock) => {
  const storage = new InMemoryLogStorage();
  return { open: async () => new InMemoryEventLog({ storage, clock }), dispose: async () => undefined };
});
