export { type AnsweredQuestion, answerQuestions, type Question } from './answer-questions.js';
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
export { type AnswerDrawing, encodePrompt, type SampledAnswerRequest } from './models.port.js';
export { answerRepeatedly, asDrawing, judgeAll, type RolloutSettings } from './rollouts.js';
export { drawAnswers, executorIdentity, type Judgement, judge, type SolvingRequest, solveProblems } from './solve.js';
export type { Unjudged } from './unjudged.js';
export { groupUnjudged, type UnjudgedGroup } from './unjudged.js';
