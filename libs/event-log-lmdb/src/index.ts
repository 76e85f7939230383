export { LmdbEventLog, type LmdbEventLogOptions } from './lmdb-event-log.js';
export { DEFAULT_MAP_SIZE_BYTES } from './log-files.js';
