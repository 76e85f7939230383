export { type EditKeyParts, editKey, editKeyText, editSeed } from './edit-key.js';
export type {
  EditOutcome,
  EditRequest,
  EditSampling,
  EditWriter,
  EditWriterIdentity,
  FailedEdit,
  WritingOptions,
} from './edit-writer.port.js';
export { editWriter, entryKind, writerTemplate } from './entry-kind.js';
export {
  EDIT_LIMITS,
  type EditFault,
  EditFilter,
  editFault,
  type FilteredEdits,
  type FilterSettings,
  filterEdits,
  type RefusedEdit,
  type WrittenEdit,
} from './filter-edits.js';
export { ownSelfEditKind } from './own-kind.js';
export { type Passage, SELF_EDIT_KINDS, type SelfEditKind, selfEditKind } from './self-edit-kinds.js';
export type { TextSimilarity } from './text-similarity.port.js';
export { trainingDocuments } from './training-documents.js';
export {
  type FinalOutcome,
  type GivenUp,
  inTries,
  seedOfTry,
  type Try,
  WRITING_LIMITS,
  type WriteSettings,
  writeEdits,
} from './write-edits.js';
export { type WriterMessage, writerMessages, writerPrompt } from './writer-prompt.js';
