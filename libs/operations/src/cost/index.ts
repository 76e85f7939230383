export { COST_PHASES, type CostPhase } from './cost-estimate.decide.js';
export { type CostReport, type CostWanted, costReport } from './cost-report.js';
export { type CostRequest, costOf, type EstimatedCost } from './estimate-cost.js';
export type { ExtraSolved, PartCost } from './extra-solved.decide.js';
export { EXTRA_GROUPS, type ExtraCost, type ExtraGroup } from './extra-solved.js';
export { NO_PROBLEM_COST, type ProblemCost } from './problem-cost.js';
export { COST_GROUPS, type CostGroup, type SpentCost, type SpentRow } from './spent-cost.js';
