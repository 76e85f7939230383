export { COST_PHASES, type CostPhase } from './cost-estimate.decide.js';
export { type CostRequest, costOf, type EstimatedCost } from './estimate-cost.js';
export { COST_GROUPS, type CostGroup, type SpentCost, type SpentRow, spentCost } from './spent-cost.js';
