export { checkKey, checkPrefix, checkRange, objectNotFound, preconditionFailed } from './object-key.js';
export { InMemoryObjectStore, type InMemoryObjects } from './object-store.fake.js';
export { type ObjectInfo, ObjectStore, type PutOptions } from './object-store.js';
