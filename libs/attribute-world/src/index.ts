export { ATTRIBUTES, type Attributes } from './attributes.js';
export { type Attempt, BASELINES, type Baseline, learnBaseline, similarCases } from './baselines.js';
export {
  followCustom,
  followPlan,
  type PlanEntry,
  planEntry,
  planSchemaFor,
  randomPlan,
  rightEntry,
  stepsOf,
} from './entries.js';
export {
  CUSTOM,
  DOMAIN_RULES,
  drawWorld,
  NAMES,
  PRESETS,
  type Preset,
  type World,
} from './lore.js';
export { DIAL, KINDS, operatorsOf } from './operators.js';
export {
  attributeProblems,
  DOMAINS,
  drawStatement,
  LATE_DOMAINS,
  readStatement,
  SPLITS,
  type Split,
  type Step,
  told,
} from './problems.js';
export { SHIPPED_MODELS, unknownWords } from './vocabulary.js';
