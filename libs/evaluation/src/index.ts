export { type Entry, EVALUATION_ARMS, type EvaluationArm, type EvaluationSettings } from './arm-entries.js';
export {
  CONTROL_ROWS,
  type ControlRow,
  type ControlRowResult,
  type ControlsStudy,
  type ControlsStudySettings,
  type LeakTest,
  studyControls,
} from './controls-study.js';
export {
  type ArmResult,
  armResult,
  type DomainResult,
  type EvaluationResult,
  evaluate,
  judgeOf,
  measureEntries,
  pairs,
  problemSetDigest,
} from './evaluate.js';
export {
  answerClasses,
  evaluateSamples,
  type SampledArmResult,
  type SampledEvaluation,
  type SampledResult,
  sampledResultOf,
} from './evaluate-samples.js';
export type { FaithfulShare } from './faithful-share.js';
export { chooseFixedHints } from './fixed-hints.js';
export {
  LIBRARY_CONTROLS,
  LIBRARY_ROW,
  type LibraryRow,
  type LibraryStudy,
  studyLibrary,
  type UsedTokens,
} from './library-study.js';
export {
  learnPassages,
  type PassageLearning,
  type PassageQuestion,
  type PassagesLearned,
  scoresByPassage,
} from './passage-learning.js';
export type { Prediction, PredictionSink } from './predictions.js';
export {
  differences,
  RETENTION_ARMS,
  type RetentionArm,
  type RetentionResult,
  type RetentionStep,
  retentionResults,
} from './retention.js';
export {
  type RetentionLine,
  type RetentionPassage,
  type RetentionSettings,
  studyRetention,
} from './retention-study.js';
export {
  EDIT_ARM_NAMES,
  EDIT_ARMS,
  type EditArm,
  type EditArmResult,
  type EditDifference,
  type EditTrial,
  type SelfEditsStudy,
  type SelfEditsStudySettings,
  studyOf,
  studySelfEdits,
  type WriterArm,
  type WrittenEdits,
} from './self-edits-study.js';
export { type SessionsStudy, type SessionsStudySettings, sentencesOf, studySessions } from './sessions-study.js';
export { type TimeToCorrect, type Trier, timeToCorrect } from './time-to-correct.js';
