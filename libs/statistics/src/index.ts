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
export { type ArmCount, type LiftDesign, liftInterval, logLiftEvidence } from './lift-interval.js';
export { onlineLevel } from './online-levels.js';
export { fewestProblems, logPairedEvidence, type PairedCounts } from './paired-evidence.js';
export { type Stratum, stratifiedExactTest } from './stratified-exact-test.js';
