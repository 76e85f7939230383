/** Whether services that name one model in two settings mean the same one. */
import type { ChartValues, ServiceName } from './chart-values.js';
import { error, type Findings, type Said, warning } from './deploy-finding.js';
import { type Rule, settingOf } from './rule.js';

/** A setting of one service, its twin of another, and what both are where nothing is set. */
type Twins = readonly [one: string, other: string, unset: string];

const GENERATED: Twins = ['SEAM_GENERATOR_MODEL_FOLDER', 'SEAM_TRAINER_MODEL_FOLDER', 'models/generator-base'];
const DRIVER: Twins = ['SEAM_EXECUTOR_DRIVER', 'SEAM_TRAINER_EXECUTOR_DRIVER', 'checkpoint'];
const FOLDER: Twins = ['SEAM_EXECUTOR_MODEL_FOLDER', 'SEAM_TRAINER_EXECUTOR_FOLDER', 'models/executor'];
const NAME: Twins = ['SEAM_EXECUTOR_ENDPOINT_MODEL', 'SEAM_TRAINER_EXECUTOR_ENDPOINT_MODEL', ''];
/** What the planner compares runs by, and the worker adapters. */
const COMPARED: readonly Twins[] = ['PROBLEMS', 'DATASET', 'LIMIT'].map((each) => [
  `SEAM_TRAINER_VALIDATION_${each}`,
  `SEAM_TRAINER_VALIDATION_${each}`,
  '',
]);
/** By what an entry is written, and read in comparisons. */
const WRITTEN: readonly Twins[] = [
  ['SEAM_GENERATOR_CHAT_TEMPLATE', 'SEAM_TRAINER_CHAT_TEMPLATE', 'auto'],
  ['SEAM_GENERATOR_SAMPLING_MAX_TOKENS', 'SEAM_TRAINER_ENTRY_MAX_TOKENS', '64'],
];
const ASKED: readonly Twins[] = [
  ['SEAM_EXECUTOR_MAX_TOKENS', 'SEAM_TRAINER_RESPONSE_MAX_TOKENS', '64'],
  ['SEAM_EXECUTOR_TEMPLATE', 'SEAM_TRAINER_EXECUTOR_TEMPLATE', 'plain'],
  // Otherwise the worker compares adapters by the verdicts of another model, or by none.
  ['SEAM_EXECUTOR_JUDGE_MODEL', 'SEAM_TRAINER_EXECUTOR_JUDGE_MODEL', ''],
  ['SEAM_EXECUTOR_JUDGE_URL', 'SEAM_TRAINER_EXECUTOR_JUDGE_URL', ''],
  ['SEAM_EXECUTOR_ENVIRONMENT', 'SEAM_TRAINER_EXECUTOR_ENVIRONMENT', 'prompt-injection'],
];

export const MODELS: readonly Rule[] = [
  /** An adapter fits the model that it was trained on, and no other. */
  function trained(values: ChartValues): Findings {
    return (['planner', 'worker'] as const).flatMap((name) => {
      const said = difference(values, ['generator', name], GENERATED);
      return said === undefined ? [] : [error('models-differ', said)];
    });
  },

  /** An adapter that is compared on other problems, or by other entries, is not the one that is wanted. */
  function compared(values: ChartValues): Findings {
    const pairs = [
      ...COMPARED.map((each) => [['planner', 'worker'], each] as const),
      ...WRITTEN.map((each) => [['generator', 'worker'], each] as const),
    ];
    return pairs.flatMap(([services, each]) => {
      const said = difference(values, services, each);
      return said === undefined ? [] : [warning('comparisons-differ', said)];
    });
  },

  /** The worker decides by the answers of one executor what the executor's service then gets to read. */
  function executed(values: ChartValues): Findings {
    const isComputed = settingOf(values, 'executor', DRIVER[0]) ?? DRIVER[2];
    const twins = [DRIVER, isComputed === 'checkpoint' ? FOLDER : NAME, ...ASKED];
    return twins.flatMap((each) => {
      const said = difference(values, ['executor', 'worker'], each);
      return said === undefined ? [] : [warning('executors-differ', said)];
    });
  },
];

/** Undefined where both are the same, or one of the services is not deployed. */
function difference(
  values: ChartValues,
  [first, second]: readonly [ServiceName, ServiceName],
  [one, other, unset]: Twins,
): Said | undefined {
  if (!values.services[first].enabled || !values.services[second].enabled) return undefined;
  const [here, there] = [settingOf(values, first, one) ?? unset, settingOf(values, second, other) ?? unset];
  if (here === there) return undefined;
  const named = (value: string): string => (value === '' ? 'none' : value);
  return [
    `services.${second}.settings.${other}`,
    `The ${first} has ${named(here)} (${one}) and the ${second} has ${named(there)}.`,
    'Set both to the same.',
  ];
}
