export type { RowCounts } from './choose-rows.decide.js';
export {
  checkFile,
  type DatasetFile,
  type FileCheck,
  openDataset,
  problemIdOf,
  renderFaults,
} from './dataset-file.js';
export { countDuplicates, DUPLICATE_POLICIES, renderDuplicates } from './duplicates.js';
export { EXPIRED_POLICIES } from './expired.js';
export { type Published, type PublishRequest, publishFile } from './publish-file.js';
