export {
  FINDING_CODES,
  type Finding,
  type FindingCode,
  findingMetrics,
  findingsIn,
  remedyOf,
  summary,
} from './finding.js';
export { examineRollouts, type FinishedGroup, finishedGroups } from './rollouts.decide.js';
export {
  type AdmissionFacts,
  examineAdmission,
  examineForgeries,
  examineRun,
  examineServedObject,
  examineServing,
  type RunFacts,
  type ServingFacts,
} from './training.decide.js';
