export { algorithms } from './algorithms.js';
export {
  type CurriculumConfig,
  type CurriculumState,
  curriculumChangesSchema,
  curriculumConfigSchema,
  decideAlgorithm,
  evolveCurriculum,
  initialCurriculum,
  type PreviousRun,
} from './curriculum.decide.js';
export {
  FINDING_CODES,
  type Finding,
  type FindingCode,
  findingMetrics,
  findingsIn,
  remedyOf,
  summary,
} from './doctor/finding.js';
export { examineRollouts, type FinishedGroup, finishedGroups } from './doctor/rollouts.decide.js';
export {
  type AdmissionFacts,
  examineAdmission,
  examineForgeries,
  examineRun,
  examineServedObject,
  examineServing,
  type RunFacts,
  type ServingFacts,
} from './doctor/training.decide.js';
export { bareSequences } from './example.js';
export type {
  BufferInput,
  ComputedLogProbs,
  Diagnostics,
  LearningAlgorithm,
  LearningContext,
  LearningInput,
  LogInput,
  Preparation,
  Refusal,
  ReplayedRounds,
  ResultEvent,
  Review,
  TrainingExample,
  TrainingPlan,
  TrainingStep,
} from './learning.types.js';
export type { LearningPreset } from './preset.types.js';
export { presets } from './presets.js';
export { mergeSettings, presetNamed, type Settings } from './settings.js';
