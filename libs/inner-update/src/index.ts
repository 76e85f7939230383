export { documentsOf, type TrainingText } from './documents.js';
export { type InnerUpdateSettings, innerUpdateSchema } from './inner-update.config.js';
export { type Document, type InnerUpdate, type InnerUpdateRequest, innerUpdate, trainableOf } from './inner-update.js';
export {
  decodeLearned,
  encodeLearned,
  LEARNED_FILE,
  type LearnedFiles,
  type LearnedRecord,
} from './learned-weights.js';
