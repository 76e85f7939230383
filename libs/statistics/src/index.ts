export {
  type AllocationCounts,
  logMissingEvidence,
  logSampleRatioEvidence,
  type MissingCounts,
} from './allocation-evidence.js';
export { type HarmRisk, harmfulStrata, type StratumStages, stratumWeight } from './harmful-strata.js';
export { binOf, histogramOf, SHARE_BINS } from './histogram.js';
export {
  bootstrapMean,
  boundedMean,
  cyclicDerangement,
  type Estimate,
  majorityVote,
  mean,
  pairedDifference,
  passAtK,
  wilsonInterval,
} from './intervals.js';
export { type ArmCount, type LiftStage, liftInterval, logLiftEvidence, logStagedEvidence } from './lift-interval.js';
export { onlineLevel } from './online-levels.js';
export {
  fewestProblems,
  logPairedDifferenceEvidence,
  logPairedEvidence,
  type PairedCounts,
  type PairedProblems,
  pairedInterval,
} from './paired-evidence.js';
export { costOf, isKept } from './retention.js';
export {
  fewestForShares,
  logShareEvidence,
  type ShareDifferences,
  shareStep,
  sharesMayDecide,
} from './share-evidence.js';
export { type Stratum, stratifiedExactTest } from './stratified-exact-test.js';
export { studentInterval, studentQuantile } from './student-interval.js';
