export { type BufferOverview } from './buffer-overview.js';
export { type ExportedRows, exportRows } from './export-rows.js';
export { readOverview } from './read-buffer.js';
export { recordsToReplay, type VerifiedVersion, verifyBuffer } from './verify-buffer.js';
