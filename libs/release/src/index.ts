export { apartText, type Comparison, comparisonOf, comparisonText, inTwoDigits } from './comparison.js';
export {
  type DomainCounts,
  decideMuting,
  type GuardStage,
  liftsOf,
  type MutingDecision,
  mutingText,
  problemsIn,
} from './guard.decide.js';
export { checkedGuardPlan, DEFAULT_GUARD_PLAN, type GuardPlan, guardPlanText, MOST_WEIGHTS } from './guard-plan.js';
export {
  controlShareIn,
  evolveGuards,
  type Guard,
  type GuardInForce,
  type GuardsState,
  guardDoubt,
  guardInForce,
  initialGuards,
  type Muting,
  mutingDoubt,
  mutingOf,
  type RefusedGuardRecord,
  unmutingDoubt,
} from './guards.projection.js';
export {
  type BetterBeyondChance,
  decidePromotion,
  needsMoreProblems,
  type PromotionDecision,
  type PromotionPolicy,
} from './promotion.decide.js';
export { evaluationsOf, isOfCompletedRun, levelIn } from './promotion-evidence.decide.js';
export {
  type ArmCounts,
  type CanaryCounts,
  decideStage,
  evidenceNeeded,
  evidenceText,
  type PairedStageCounts,
  type ReleaseEvidence,
  STAGE_ENDS,
  type StageDecision,
  type StageEnd,
} from './release.decide.js';
export { checkedPlan, DEFAULT_RELEASE_PLAN, planText, type ReleasePlan, type ReleaseStage } from './release-plan.js';
export {
  decisionDoubt,
  evolveReleases,
  initialReleases,
  planDoubt,
  type RefusedRelease,
  type Release,
  type ReleasesState,
  runningIn,
} from './releases.projection.js';
export { NEWEST_RULE, RULE_VERSIONS, type RuleVersion } from './rule-version.js';
export {
  countedPromotions,
  type Decision,
  decisionOn,
  evolveServedAdapter,
  groundsOf,
  initialServedAdapter,
  lastGoodAdapter,
  promotionHindrance,
  type ServedAdapter,
  type ServedAdapterState,
} from './served-adapter.projection.js';
export { evolveServedSlots, initialServedSlots, type ServedSlots, servedIn } from './served-slots.projection.js';
export { type StageEstimate, stageEstimate } from './stage-estimate.js';
