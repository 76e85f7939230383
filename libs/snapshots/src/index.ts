export { codeDigest } from './code-digest.js';
export { KeptModel, type SnapshotUse } from './kept-model.js';
export {
  jointUse,
  KeptReading,
  type KeptReadingOptions,
  type ReadAlongside,
  type SnapshotComparison,
  type SnapshotPlace,
} from './kept-reading.js';
