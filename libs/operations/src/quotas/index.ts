export {
  declarePrice,
  declareQuota,
  type QuotaRequest,
  type QuotasStatus,
  quotasStatus,
  readDeclaredLimits,
  usageStart,
} from './declare-limits.js';
export {
  cachedTokens,
  type DeclaredLimits,
  declaredLimitsAfter,
  EACH_CLIENT,
  limitsFor,
  moneyAt,
  moneyOf,
  NO_LIMITS,
  type Payer,
  type Price,
  payersOf,
  priceAt,
  QUOTA_MEASURES,
  type TokensUsed,
  WHOLE_TENANT,
} from './declared-limits.js';
export { type LimitFill, type LimitUse, UsageLedger, type UsageVerdict } from './usage-ledger.js';
export { QUOTA_WINDOWS, windowAt } from './windows.js';
