export { type ObjectInfo, ObjectStore, type PutOptions } from './object-store.js';
