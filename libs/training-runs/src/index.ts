export {
  AdapterEvaluation,
  type AskedPerDomain,
  type ProblemResult,
  type Stretch,
} from './adapter-evaluation.port.js';
export { RolloutEvaluation } from './adapter-evaluation.rollout.adapter.js';
export type { Artefact, StoredArtefact } from './artefact.js';
export type { PlanDoubt } from './believed-plans.js';
export { type Lack, lackFor, type WorkerAbilities } from './carry-out.decide.js';
export { GradientMethod } from './gradient-method.js';
export { GradientRunner } from './gradient-runner.js';
export { holdRun } from './hold-run.js';
export {
  type JobResult,
  JobRunner,
  type MethodsWithRunners,
  type MethodWithRunner,
  type Recording,
  type Resumable,
} from './job-runner.js';
export type { Job, JobFacts, LearningMethod, PlannedJob, Recipe } from './learning-method.js';
export { leaveIfStopped } from './leave-if-stopped.js';
export { distillationSettingsSchema, LIBRARY_RECIPES, LibraryMethod } from './library-method.js';
export { LibraryRunner } from './library-runner.js';
export type { TrainingProgress } from './make-artefact.js';
export { evolveWindow, type OutcomeWindow, windowAt, windowRanges } from './outcome-window.js';
export { type EndedWindow, type PlanRunDependencies, PlanRunHandler } from './plan-run.handler.js';
export { assertWhole, findPreferences, preferenceSetDigest } from './preference-set.js';
export { ProblemSetEvaluation } from './problem-set-evaluation.js';
export { type ProgramBase, ProgramRunner, programBase } from './program-runner.js';
export { runsInQueue } from './queue.js';
export { RecordedReplies } from './recorded-replies.js';
export { runMeta } from './run-events.js';
export { RunLeases } from './run-lease.js';
export {
  type EvaluationTerms,
  isNamedByContent,
  plannedEvent,
  planOf,
  planRun,
  type RunConfiguration,
  type RunPlan,
  runConfigurationOf,
  startedEvent,
} from './run-plan.js';
export { RunTraining } from './run-training.js';
export { spelledInput } from './spelled-input.js';
export { sweepEndedRuns } from './sweep-ended-runs.js';
export { TrainOnDemandHandler } from './train-on-demand.handler.js';
export {
  readTrainingHistory,
  runOfLastWindow,
  servedAdaptersIn,
  type TrainingHistory,
  TrainingHistoryReader,
} from './training-history.js';
export { hasEnded, initialState, type TrainingRun } from './training-run.js';
export { WindowRestoration } from './window-restoration.js';
