export type { SandboxSettings } from './code-sandbox.js';
export { finalAnswer, isMarked } from './final-answer.js';
export { askOwnEndpoint, type VerifierEndpoint } from './http-endpoints.js';
export { isJudgedByModel } from './judge.verifier.js';
export { ANSWER_JUDGES } from './passage.verifier.js';
export { checkVerifiable, knownVerifiers } from './registry.js';
export { RememberingJudge } from './remembering-judge.js';
export { type SquadScore, squadScore } from './squad-score.js';
export type {
  AnswerJudge,
  JudgedMeaning,
  JudgedResponse,
  JudgingTask,
  Verdict,
} from './verifier.types.js';
export { builtInVerifiers, type CheckOptions, type VerifierSettings, Verifiers } from './verifiers.js';
