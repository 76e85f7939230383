export { type BufferOverview } from './buffer-overview.js';
export { readOverview, readRows, selectCommits } from './read-buffer.js';
export { recordsToReplay, type VerifiedVersion, verifyBuffer } from './verify-buffer.js';
