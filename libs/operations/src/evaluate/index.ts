export type {
  AskingObserver,
  AskingWorld,
  GrowingOutput,
  GrowOptions,
  Models,
  OutputOptions,
} from './asking-world.js';
export { type Evaluated, type EvaluationRequest, evaluateAdapter, isJudged } from './evaluate-adapter.js';
export { type EvaluatedTeam, evaluateTeam, type TeamRequest, type TeamWorld } from './evaluate-team.js';
export { DEFAULT_SET, WORLD_SETS, type WorldSet } from './evaluation-problems.js';
export { type Studied, type StudyRequest, studyAdapter } from './study-adapter.js';
export { type LibraryStudyRequest, type StudiedLibrary, studyLibraryOf } from './study-library.js';
export {
  type KeepableWeights,
  type LearnerModel,
  type RetentionReport,
  type RetentionRequest,
  type RetentionWorld,
  studyRetentionOf,
} from './study-retention.js';
export { type SelfEditsReport, type SelfEditsRequest, studySelfEditsOf } from './study-self-edits.js';
export { type SessionsReport, type SessionsRequest, studySessionsOf } from './study-sessions.js';
