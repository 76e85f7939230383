export { COST_PHASES, type CostPhase } from './cost-estimate.decide.js';
export { type CostReport, type CostSource, type CostWanted, costReport } from './cost-report.js';
export { type CostRequest, costOf, type EstimatedCost, type TrainedModel } from './estimate-cost.js';
export type { ExtraSolved, PartCost } from './extra-solved.decide.js';
export { EXTRA_GROUPS, type ExtraCost, type ExtraGroup } from './extra-solved.js';
export { type GivenPrice, type GivenPrices, type KnownPrices, knownPrices } from './known-prices.js';
export { type LibraryCost, type LibraryCostRequest, libraryCost } from './library-cost.js';
export {
  isCertain,
  LIBRARY_STAGES,
  type LibraryRunPlan,
  type LibraryStage,
  type StageBasis,
} from './library-estimate.decide.js';
export { NO_PROBLEM_COST, type ProblemCost } from './problem-cost.js';
export { COST_GROUPS, type CostGroup, type SpentCost, type SpentRow } from './spent-cost.js';
