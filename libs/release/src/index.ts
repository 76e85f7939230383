export { type Comparison, comparisonOf, comparisonText, inTwoDigits } from './comparison.js';
export {
  type BetterBeyondChance,
  decidePromotion,
  needsMoreProblems,
  type PromotionDecision,
  type PromotionPolicy,
} from './promotion.decide.js';
export { evaluationsOf, isOfCompletedRun, levelIn } from './promotion-evidence.decide.js';
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
