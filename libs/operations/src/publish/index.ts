export type { RowCounts } from './choose-rows.decide.js';
export {
  checkFile,
  type DatasetFile,
  type FileCheck,
  type InputDoor,
  openDataset,
  problemIdOf,
  renderFaults,
} from './dataset-file.js';
export { countDuplicates, DUPLICATE_POLICIES, renderDuplicates } from './duplicates.js';
export { EXPIRED_POLICIES } from './expired.js';
export {
  type DuplicateReport,
  type FileReport,
  type Inspection,
  type InspectRequest,
  inspectFiles,
} from './inspect-files.js';
export { type Published, type PublishRequest, publishFile } from './publish-file.js';
export { type PublishedProblem, publishProblems } from './publish-problems.js';
export { type DatasetOptions, readingSettings, settingsFor } from './reading-settings.js';
