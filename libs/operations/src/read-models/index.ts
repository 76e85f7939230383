export { type Activity, activityProjection } from './activity.projection.js';
export {
  type AdapterChanges,
  changesOf,
  type ListedUse,
  type ListedUses,
  listedUses,
  withoutDifferences,
  withoutItsDifferences,
} from './adapter-story.js';
export { type KeptLog, openReading, type ReadingOptions } from './kept-log.js';
export { factsLearned, type LearnedFact, type LearnedFactsAnswer } from './learned-facts.js';
export {
  type ArmRate,
  type Comparison,
  type EstimateMemory,
  type ExperimentCheck,
  type LiftAnswer,
  type LiftAnswers,
  type LiftPoint,
  liftAnswers,
  liftOfTenant,
  wentAsDrawn,
} from './lift-estimate.js';
export {
  type Answered,
  readAdapterUse,
  readCounts,
  readEditedPassages,
  readLearnedFacts,
  readLedger,
  readLift,
  readLineage,
  readRuns,
  readServing,
  readSuccess,
  readTraining,
  type Serving,
  withReading,
} from './read-models.js';
export { faithfulBy, findRun, type RecordedRun, recordedRuns } from './recorded-runs.js';
