export {
  type AccessFacts,
  type ClientLimits,
  clientLimitsOf,
  currencyOf,
  type HeldLimit,
  type ListedTenant,
  type QuotaStatus,
  type QuotasStatus,
  quotasOf,
  quotasStatus,
  readAccessFacts,
  tenantsOf,
  usageStart,
} from './access-report.js';
export {
  declarePrice,
  declareQuota,
  type QuotaRequest,
  readDeclaredLimits,
} from './declare-limits.js';
export {
  cachedTokens,
  type DeclaredLimits,
  EACH_CLIENT,
  FoldedLimits,
  limitsFor,
  moneyAt,
  moneyOf,
  type Payer,
  type Price,
  payersOf,
  priceAt,
  QUOTA_MEASURES,
  type TokensUsed,
  WHOLE_TENANT,
} from './declared-limits.js';
export { type ListedPrice, listedPrices } from './listed-prices.js';
export { type AccessReader, accessSeenBy, type SeenAccess } from './seen-access.js';
export { type LimitFill, type LimitStanding, type LimitUse, UsageLedger, type UsageVerdict } from './usage-ledger.js';
export { QUOTA_WINDOWS, windowAt } from './windows.js';
