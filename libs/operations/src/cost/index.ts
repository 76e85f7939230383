export { COST_PHASES, type CostPhase } from './cost-estimate.decide.js';
export { type CostRequest, costOf, type EstimatedCost } from './estimate-cost.js';
