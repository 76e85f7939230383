export { type Copied, type CopyRequest, copyBetween, SOURCE_TOPICS } from './copy-between.js';
export { copyLog } from './copy-log.js';
export { COPIES_TOPIC, ORIGIN_HEADER } from './copy-progress.js';
export { type LogAddress, parseLogAddress, showLogAddress } from './log-address.js';
