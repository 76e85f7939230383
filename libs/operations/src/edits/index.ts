export { type AugmentedLine, type EditCounts } from './augmented-line.js';
export { type CacheStats, DEFAULT_CACHE_BYTES, EditCache, type Removed } from './edit-cache.js';
export type { EditsWorld, EditWriterChoice } from './edits-world.js';
export { type Generating, type GenerationState, openGenerating } from './generate-edits.js';
export type { CacheChoice, GenerateRequest, SimilarityChoice } from './generate-request.js';
export {
  type EditsInspection,
  type ExportedDocuments,
  exportDocuments,
  inspectEdits,
} from './inspect-edits.js';
export {
  type EditPreview,
  type PassagePreview,
  type PreviewRequest,
  previewEdits,
} from './preview-edits.js';
export { type TrainEditsRequest, type TrainEditsWorld, trainEdits } from './train-edits.js';
