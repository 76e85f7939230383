export { copyLog, type TopicCopy } from './copy-log.js';
export { COPIES_TOPIC, ORIGIN_HEADER, type Selection } from './copy-progress.js';
export { type DoneWork, doneAtSource, markDone } from './mark-done.js';
