export { finalAnswer } from './final-answer.js';
export { checkVerifiable, knownVerifiers, verify } from './registry.js';
export type { JudgedResponse, Verdict } from './verifier.types.js';
