/** The demonstrations, one of which `--method` chooses: each has its models, problems and settings. A method of learning is in libs/training-runs. */
import { fileURLToPath } from 'node:url';
import type { Preset } from '@seamstream/attribute-world';
import { CURRICULUM } from '@seamstream/learning';
import type { Environment } from '@seamstream/service-kit';
import { SEQUENTIAL_TUNING } from '@seamstream/team-tuning';
import { TEAM_ARMS } from './team/team-arms.js';

export const DEMONSTRATIONS = [
  'experiences',
  'self-edits',
  'library',
  'team',
  'attributes',
  'familiar-attributes',
  'attribute-pairs',
] as const;
export type Demonstration = (typeof DEMONSTRATIONS)[number];

/** What a start without `--method` runs. */
export const DEFAULT_DEMONSTRATION: Demonstration = 'attributes';
/** What learns from files of one's own. Folders of the first releases know no other. */
export const OWN_FILES_DEMONSTRATION: Demonstration = 'experiences';

/** The world of attributes that a demonstration learns; undefined for those that learn another world. */
export const ATTRIBUTE_PRESETS: Readonly<Partial<Record<Demonstration, Preset>>> = {
  attributes: 'strange',
  'familiar-attributes': 'familiar',
  'attribute-pairs': 'pairs',
};

/** Whether a method's world can keep attributes for a shift. */
export function canKeepAttributes(method: Demonstration): boolean {
  const preset = ATTRIBUTE_PRESETS[method];
  return preset !== undefined && preset !== 'pairs';
}

export interface DemonstrationDefaults {
  readonly algorithm: string;
  readonly roundSize: number;
  readonly maxRounds: number;
  readonly maxShiftedRounds: number;
  readonly heldOut: number;
}

/** The models of the embedded world. */
const WORLD = {
  generator: new URL('../../../models/generator-base', import.meta.url),
  executor: new URL('../../../models/executor', import.meta.url),
};

/** Those of the world of attributes. */
const ATTRIBUTES = {
  generator: new URL('../../../models/attributes/generator-base', import.meta.url),
  executor: new URL('../../../models/attributes/executor', import.meta.url),
};

/** Obeys entries as the shipped executor of the world of attributes does, and is smaller: no generator learned with it. */
export const OTHER_EXECUTOR = fileURLToPath(new URL('../../../models/attributes/other-executor', import.meta.url));

/** Where the shipped models lie. */
const SHIPPED: Readonly<Record<Demonstration, { readonly generator: URL; readonly executor: URL }>> = {
  experiences: WORLD,
  library: WORLD,
  'self-edits': {
    generator: new URL('../../../models/self-edits/generator-base', import.meta.url),
    executor: new URL('../../../models/self-edits/executor', import.meta.url),
  },
  team: WORLD,
  attributes: ATTRIBUTES,
  'familiar-attributes': ATTRIBUTES,
  'attribute-pairs': ATTRIBUTES,
};

const ATTRIBUTE_DEFAULTS: DemonstrationDefaults = {
  algorithm: CURRICULUM,
  roundSize: 64,
  maxRounds: 16,
  maxShiftedRounds: 0,
  heldOut: 300,
};

/** Rounds with new problems, where some come and nothing else is said. */
export const SHIFTED_ROUNDS = 10;

/** What a start has where nothing else is said. */
export const DEMONSTRATION_DEFAULTS: Readonly<Record<Demonstration, DemonstrationDefaults>> = {
  experiences: {
    algorithm: CURRICULUM,
    roundSize: 64,
    maxRounds: 16,
    maxShiftedRounds: SHIFTED_ROUNDS,
    heldOut: 512,
  },
  'self-edits': { algorithm: 'rest-em', roundSize: 48, maxRounds: 3, maxShiftedRounds: 0, heldOut: 288 },
  library: { algorithm: 'contrast', roundSize: 64, maxRounds: 12, maxShiftedRounds: 0, heldOut: 512 },
  // A round is a stage: its problems are shared out among the agents.
  team: { algorithm: SEQUENTIAL_TUNING, roundSize: 144, maxRounds: 16, maxShiftedRounds: 0, heldOut: 512 },
  attributes: ATTRIBUTE_DEFAULTS,
  'familiar-attributes': ATTRIBUTE_DEFAULTS,
  'attribute-pairs': ATTRIBUTE_DEFAULTS,
};

/**
 * A phase has converged once every domain reached this on the validation problems. A passage counts as solved when all its questions are
 * answered right.
 */
export const TARGETS: Readonly<Record<Demonstration, number>> = {
  experiences: 0.96,
  'self-edits': 0.75,
  library: 0.9,
  team: 0.9,
  attributes: 0.95,
  'familiar-attributes': 0.95,
  'attribute-pairs': 0.95,
};

/** The settings that name the shipped models of a demonstration. */
export function modelFolders(method: Demonstration): Environment {
  const generator = fileURLToPath(SHIPPED[method].generator);
  const executor = fileURLToPath(SHIPPED[method].executor);
  return {
    SEAM_GENERATOR_MODEL_FOLDER: generator,
    SEAM_EXECUTOR_MODEL_FOLDER: executor,
    SEAM_TRAINER_MODEL_FOLDER: generator,
    SEAM_TRAINER_EXECUTOR_FOLDER: executor,
  };
}

/**
 * How the small writer imitates: a round keeps some 30 edits, so it reads them often, at a rate that suits its size. Passages differ in how
 * much they teach by themselves, so an edit is compared with the others of its passage.
 */
const REST_EM = {
  gainOver: 'group',
  minimumGain: 0.3,
  batchSize: 8,
  duration: { unit: 'epochs', epochs: 12 },
  learningRate: { peak: 3e-3 },
  trainable: { kind: 'lora', rank: 16, alpha: 32 },
};

const EXPLORING: Environment = { SEAM_GENERATOR_GROUP_SIZE: '16', SEAM_GENERATOR_SCOUTS: '4' };

const PLANNING: Environment = {
  ...EXPLORING,
  // A plan of six steps is longer than other entries.
  SEAM_GENERATOR_SAMPLING_MAX_TOKENS: '96',
  // Imitation starts what comparing cannot: with few successes no group has any. Imitated longer, it settles on wrong operators too.
  SEAM_TRAINER_CURRICULUM_IMITATE_BELOW: '0.06',
  // Twice the preset's: after 12 steps about half of the runs were rejected.
  SEAM_TRAINER_ALGORITHMS: JSON.stringify({ grpo: { duration: { unit: 'steps', steps: 24 } } }),
};

/** Settings of the services that one demonstration has besides those of all. */
const DEMONSTRATION_ENVIRONMENTS: Readonly<Record<Demonstration, Environment>> = {
  experiences: EXPLORING,
  attributes: PLANNING,
  'familiar-attributes': PLANNING,
  'attribute-pairs': PLANNING,
  library: { ...EXPLORING, SEAM_TRAINER_METHOD: 'library' },
  'self-edits': {
    SEAM_ENTRY_SCHEMAS: 'self-edit/facts',
    SEAM_GENERATOR_GROUP_SIZE: '5',
    SEAM_GENERATOR_SAMPLING_MAX_TOKENS: '128',
    SEAM_EXECUTOR_ENVIRONMENT: 'inner-lora-update',
    SEAM_EXECUTOR_TEMPLATE: 'direct',
    // What one training of the small executor needs: 10 passes over a handful of sentences, all of them in one step.
    SEAM_EXECUTOR_INNER_UPDATE_RANK: '8',
    SEAM_EXECUTOR_INNER_UPDATE_ALPHA: '16',
    SEAM_EXECUTOR_INNER_UPDATE_LEARNING_RATE: '0.01',
    SEAM_EXECUTOR_INNER_UPDATE_EPOCHS: '10',
    SEAM_EXECUTOR_INNER_UPDATE_BATCH_SIZE: '8',
    SEAM_EXECUTOR_INNER_UPDATE_PLATEAU_PATIENCE: '0',
    // A training of so small a model keeps one core busy.
    SEAM_EXECUTOR_ATTEMPTS_AT_ONCE: '4',
    SEAM_TRAINER_ALGORITHMS: JSON.stringify({ 'rest-em': REST_EM }),
    // A comparison costs a training for every problem and adapter.
    SEAM_TRAINER_PROMOTION_PORTION: '32',
    SEAM_TRAINER_PROMOTION_MOST: '96',
  },
  team: {
    SEAM_TRAINER_METHOD: TEAM_ARMS[0].name,
    SEAM_TRAINER_ENTRY_MAX_TOKENS: '32',
    // Every stage is promoted, in all arms: what holds an update back here is the trust region alone, so that it can be seen.
    SEAM_TRAINER_PROMOTION_RULE: 'tolerance',
    SEAM_TRAINER_PROMOTION_TOLERANCE: '1',
  },
};

export const demonstrationEnvironment = (method: Demonstration): Environment => DEMONSTRATION_ENVIRONMENTS[method];

/** Most tokens of an answer by the shipped executor. */
export const RESPONSE_TOKENS: Readonly<Record<Demonstration, number>> = {
  experiences: 40,
  'self-edits': 4,
  library: 40,
  team: 40,
  attributes: 40,
  'familiar-attributes': 40,
  'attribute-pairs': 40,
};
