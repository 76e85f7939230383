export { type AnsweredQuestion, answerQuestions, type Question } from './answer-questions.js';
export { answerRepeatedly, judgeAll, type RolloutSettings, toSamplingParams } from './answer-sampling.js';
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
export { fittingPrompt } from './fitting-prompt.js';
export type {
  AnsweringProgress,
  ExecutorAnswer,
  ExecutorFailure,
  ExecutorModel,
  ExecutorResponse,
  GeneratorModel,
} from './models.port.js';
export { encodePrompt, type SampledAnswerRequest, type SamplingParams } from './models.port.js';
export { executorIdentity, type Judgement, judge, type SolvingRequest, sampleAnswers, solveProblems } from './solve.js';
export type { Unjudged } from './unjudged.js';
export { groupUnjudged, type UnjudgedGroup } from './unjudged.js';
