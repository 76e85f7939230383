export {
  type AdapterAct,
  type AdapterLineage,
  type AdapterLineageState,
  type AdapterStatus,
  type AdapterVersion,
  adapterLineageProjection,
  type RefusedDecision,
} from './adapter-lineage.projection.js';
export {
  type AdapterUse,
  type AdapterUseState,
  type AdapterUses,
  adapterUseProjection,
  type UnknownUse,
} from './adapter-use.projection.js';
export {
  type BufferContents,
  type BufferContentsState,
  type BufferVersion,
  bufferContentsProjection,
} from './buffer-contents.projection.js';
export { type Cells, MemoryCells } from './cells.js';
export { changesBy } from './counted-verdicts.js';
export type { DecisionCounts, GuardCounts, ReleaseCounts, StageCounts } from './decision-tallies.js';
export {
  type EditedPassage,
  type EditedPassagesState,
  editedPassagesProjection,
  type TriedEdit,
} from './edited-passages.projection.js';
export {
  type FaithfulEntries,
  type FaithfulEntriesByAdapter,
  type FaithfulEntriesState,
  faithfulEntriesProjection,
} from './faithful-entries.projection.js';
export {
  type FactRecord,
  type FactTally,
  type LearnedFacts,
  type LearnedFactsState,
  learnedFactsProjection,
} from './learned-facts.projection.js';
export {
  type Ledger,
  type LedgerState,
  ledgerProjection,
  type ProblemStanding,
  problemStandingIn,
} from './ledger.projection.js';
export { type Lift, type LiftState, liftProjection } from './lift.projection.js';
export type { ExperimentCounts, LiftCounts, ResultCount } from './lift-tallies.js';
export { problemStoryProjection } from './problem-story.projection.js';
export type {
  Attempt,
  AttemptResult,
  BufferVerdict,
  ProblemStory,
  ProblemStoryState,
  Publication,
  StoryRun,
} from './problem-story.types.js';
export type { EventPosition, KeptProjection, Projection } from './projection.js';
export {
  MOST_RECENT_PROBLEMS,
  type RecentProblem,
  type RecentProblemsState,
  recentProblemsProjection,
} from './recent-problems.projection.js';
export {
  type ReleaseProgress,
  type ReleaseProgressState,
  releaseProgressProjection,
} from './release-progress.projection.js';
export {
  type SuccessByArm,
  type SuccessByArmState,
  type SuccessTally,
  successByArmProjection,
} from './success-by-arm.projection.js';
export { type TeamEvaluation, teamEvaluationsProjection } from './team-evaluations.projection.js';
export {
  type AgentUpdate,
  type SampledBatch,
  type StageProgress,
  type SwappedAgent,
  type TeamStagesState,
  type TriedPass,
  teamStagesProjection,
  type WarmedUpAgent,
} from './team-stages.projection.js';
export {
  type TrainingProgress,
  type TrainingProgressState,
  type TrainingRun,
  trainingProgressProjection,
} from './training-progress.projection.js';
export {
  type WaitingAnswers,
  type WaitingAnswersState,
  waitingAnswersProjection,
} from './waiting-answers.projection.js';
