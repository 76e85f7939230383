export {
  DEFAULT_PROMOTION_POLICY,
  DEFAULT_ROLLBACK_POLICY,
  decidePromotion,
  decideRollback,
  type PromotionDecision,
  type PromotionPolicy,
  type RollbackDecision,
  type RollbackPolicy,
  type ServiceRecord,
} from './promotion.decide.js';
export { isOfCompletedRun } from './promotion-evidence.decide.js';
export {
  type Decision,
  decisionOn,
  evolveServedAdapter,
  initialServedAdapter,
  overtakenReason,
  type ServedAdapter,
  type ServedAdapterState,
} from './served-adapter.projection.js';
