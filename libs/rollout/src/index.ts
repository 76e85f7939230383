export type { TokenCount } from '@seamstream/openai-endpoint';
export { type AnsweredQuestion, answerQuestions, type Question } from './answer-questions.js';
export { EVALUATION_ARMS, type EvaluationArm, type EvaluationSettings } from './arm-entries.js';
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
  type DomainResult,
  type EvaluationResult,
  evaluate,
  problemSetDigest,
} from './evaluate.js';
export {
  evaluateSamples,
  type SampledArmResult,
  type SampledEvaluation,
  type SampledResult,
} from './evaluate-samples.js';
export { executorBatches, longestBatchMs } from './executor.batches.js';
export { checkExecutorChoice, type ExecutorChoice, executorChoiceShape } from './executor.config.js';
export { LanguageModelExecutor, type LanguageModelExecutorSettings } from './executor.language-model.adapter.js';
export {
  candidateSeed,
  type ExperienceCandidate,
  type Exploration,
  type ExplorationProgress,
  type ExplorationRequest,
  type ExplorationSettings,
  generateExperiences,
  type ProblemStatement,
} from './explore.js';
export type { FaithfulShare } from './faithful-share.js';
export { chooseFixedHints } from './fixed-hints.js';
export { checkVllmChoice, vllmGeneratorSchema } from './generator.config.js';
export { givesAnswerAway, hasFindableAnswer, holdsAnswer } from './leaks.js';
export type {
  AnsweringProgress,
  ExecutorAnswer,
  ExecutorFailure,
  ExecutorModel,
  ExecutorResponse,
  GeneratorModel,
} from './models.port.js';
export { type OpenedExecutor, openExecutor } from './open-executor.js';
export { openVllmGenerator } from './open-vllm-generator.js';
export type { Prediction, PredictionSink } from './predictions.js';
export { answerRepeatedly, asDrawing, judgeAll, type RolloutSettings } from './rollouts.js';
export { executorIdentity, type Judgement, judge, type SolvingRequest, solveProblems } from './solve.js';
export { assertGenerates } from './start-checks.js';
export { cyclicDerangement, type Estimate, wilsonInterval } from './statistics.js';
export type { TimeToCorrect } from './time-to-correct.js';
export { groupUnjudged, type UnjudgedGroup } from './unjudged.js';
