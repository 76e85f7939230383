export {
  FINDING_CODES,
  type Finding,
  type FindingCode,
  findingMetrics,
  findingsIn,
  LIMITS,
  remedyOf,
  summary,
} from './finding.js';
export { examineRollouts, type FinishedGroup, finishedGroups } from './rollouts.decide.js';
export { examineSelfEdits } from './self-edits.decide.js';
export {
  type AdmissionFacts,
  examineAdmission,
  examineForgeries,
  examineRun,
  examineServedObject,
  examineServing,
  examineSnapshots,
  type RunFacts,
  type ServingFacts,
} from './training.decide.js';
