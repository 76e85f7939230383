export {
  type DecidedStage,
  type DecisionRound,
  decideReleases,
  type HinderedStage,
  overrideRelease,
} from './decide-releases.js';
export { declareGuard, proposedGuardPlan, unmuteDomain } from './guard-acts.js';
export type {
  ControlArmWorth,
  GuardedDomain,
  GuardStatus,
  GuardsStatus,
  PlainGuards,
  Withheld,
} from './guard-status.js';
export { type PlanRequest, planRelease } from './plan-release.js';
export {
  type RecomputedDecision,
  type RecomputedMuting,
  recomputeMutings,
  recomputeReleases,
} from './recompute-releases.js';
export type { ReleaseWorld } from './release-evidence.js';
export { ReleaseFactsReader } from './release-facts.js';
export {
  findRelease,
  type PlainRelease,
  type PlainReleases,
  plainReleases,
  type ReleaseStatus,
  type ReleasesStatus,
  readReleases,
  releasesStatus,
  type StageStatus,
} from './release-status.js';
