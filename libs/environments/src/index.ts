export { answerOnce, statementOf } from './answer-once.js';
export { AttemptsOnce } from './attempts-once.js';
export {
  type Attempt,
  type AttemptOptions,
  type AttemptRequest,
  Environment,
  type EnvironmentChoice,
  type Examination,
  type ProblemStatement,
} from './environment.port.js';
export {
  ENVIRONMENTS,
  type EnvironmentKind,
  type Environments,
  environmentKind,
  openEnvironment,
} from './environments.js';
export type {
  Adaptation,
  AdaptationOptions,
  AdaptationRequest,
  AnsweringProgress,
  ExecutorAnswer,
  ExecutorFailure,
  ExecutorModel,
  ExecutorResponse,
  SampledAnswerRequest,
  SamplingParams,
  ScoredText,
  TextScore,
  TrainingCourse,
} from './executor-model.port.js';
export { type FewShotSettings, fewShotSchema } from './few-shot.config.js';
export { answerLine, type PassageAsking, passageAnswers, passageScores } from './passage-answers.js';
export { PromptInjection } from './prompt-injection.js';
export { type RolloutSettings, repeatedAnswers } from './repeated-answers.js';
export {
  type Forgotten,
  type LearnedModel,
  type Lesson,
  SessionAdapters,
  type SessionModel,
  type SessionSettings,
  type SessionStanding,
  type SessionVisit,
  sessionSchema,
} from './session-adapters.js';
export { sessionEnvironment } from './session-environment.js';
export { type TrainableExecutor, trainableExecutor } from './trainable-executor.js';
