export {
  type Consolidation,
  consolidate,
  DEFAULT_LIMITS,
  type LibraryLimits,
  type RefusedProposal,
} from './consolidate.decide.js';
export { type Contrast, type ContrastSettings, contrast, type JudgedAttempt } from './contrast.decide.js';
export { fillerOf, shuffledLibrary } from './controls.js';
export { type LibraryDiff, libraryDiff } from './diff.js';
export {
  askedWords,
  type DistillationModel,
  type DistillationSettings,
  type DistillationStage,
  type Distilled,
  distil,
  isReadable,
  type ModelCall,
  type ModelReply,
  type TracedAttempt,
} from './distil.js';
export {
  type DistillationTemplates,
  loadDistillationTemplates,
  operationsJsonSchema,
  quoted,
  repliedOperations,
  type WrittenForm,
  writtenOperations,
} from './distillation-prompts.js';
export { type ExportedLibrary, exportLibrary, importLibrary } from './exchange.js';
export { type GuidanceSettings, guidedSchema } from './guided-schema.js';
export {
  type Change,
  decodeLibrary,
  type ExperienceLibrary,
  encodeLibrary,
  isLibraryKey,
  type LibraryItem,
  libraryKey,
  libraryOf,
  type Provenance,
  successorOf,
} from './library.js';
export type { Proposal } from './proposals.js';
export { retrieved } from './retrieval.js';
export { type TextNeeds, unservable } from './says-nothing.js';
