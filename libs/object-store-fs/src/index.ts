export { FsObjectStore, type FsObjectStoreOptions } from './fs-object-store.js';
