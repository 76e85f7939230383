export { type Answers, isAnsweredElsewhere } from './answered.js';
export { CONTROL_ARM, conversationTemplate, isControl, isConversation } from './assignment.js';
export {
  copiedFields,
  decodeEvent,
  type EncodedEvent,
  type EncodedRecord,
  type EventSchema,
  encodeEvent,
  eventSchemas,
  eventWindow,
  learnSchema,
  schemaFault,
} from './codec.js';
export {
  contentDigest,
  copyOf,
  isWhole,
  nameOfContent,
  type ProblemContent,
  type ProblemPlace,
  promptOf,
  promptOrName,
  type Whole,
  withContent,
} from './content.js';
export type { CopiedFields, EncodedPart, EventWindow } from './encoded-fields.js';
export * from './generated/events.generated.js';
export { attemptIdOf, FEEDBACK_SUCCESS, type GradedProblem, isGraded, resultRole, tenantsAttempt } from './grading.js';
export { GROUP } from './groups.js';
export { areOfOneRevision, asOneRevision, isMix, judgesOf } from './judges.js';
export {
  type Derivation,
  deriveMeta,
  experienceIdOf,
  groupIdOf,
  leastTrusted,
  type Origin,
  originMeta,
} from './meta.js';
export { GENERATOR_SLOT, LIBRARY_METHOD, SEAM_METHOD } from './slots.js';
export { clientIn, clientNamed, DEFAULT_TENANT, isTenant, isUserId, tenantOf } from './tenants.js';
export { toldAttempt, toldToolCall } from './told-tool-calls.js';
export { isUnwritten } from './unwritten.js';
export { VERIFIER_TRAITS, verifierTraits } from './verifier-kinds.js';
