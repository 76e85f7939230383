import { describeObjectStoreContract } from './object-store.contract.js';
import { InMemoryObjectStore, type InMemoryObjects } from './object-store.fake.js';

describeObjectStoreContract('the store in memory', async () => {
  const objects: InMemoryObjects = new Map();
  return { open: async () => new InMemoryObjectStore(objects), dispose: async () => undefined };
});
