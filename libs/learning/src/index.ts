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
export { bareSequences } from './example.js';
export { controlRewards, gainsOf } from './gains.js';
export { effectiveSampleRatio } from './importance.js';
export type {
  BufferInput,
  ComputedLogProbs,
  Diagnostics,
  LearningAlgorithm,
  LearningContext,
  LearningInput,
  LogInput,
  PreferencesInput,
  Preparation,
  ProblemsInput,
  Refusal,
  ReplayedRounds,
  ResultEvent,
  Review,
  TrainingExample,
  TrainingPlan,
  TrainingStep,
} from './learning.types.js';
export { CURRICULUM, type LearningChoice, type LearningSettings, learningSettings } from './learning-settings.js';
export type { LearningPreset } from './preset.types.js';
export { presets } from './presets.js';
export { mergeSettings, presetNamed, type Settings } from './settings.js';
