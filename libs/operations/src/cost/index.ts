export { COST_PHASES, type CostPhase } from './cost-estimate.decide.js';
export { type CostRequest, costOf, type EstimatedCost } from './estimate-cost.js';
export type { ExtraSolved, PartCost } from './extra-solved.decide.js';
export { EXTRA_GROUPS, type ExtraCost, type ExtraGroup, extraSolvedCost } from './extra-solved.js';
export { COST_GROUPS, type CostGroup, type SpentCost, type SpentRow, spentCost } from './spent-cost.js';
