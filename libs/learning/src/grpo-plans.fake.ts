/** Plans that GRPO makes of recorded groups. */
import { algorithms, type LearningContext, type LogInput, type Preparation, type TrainingPlan } from './index.js';

export const grpo = algorithms.get('grpo')!;

export const context: LearningContext = {
  baseModelDigest: 'base',
  servedAdapters: [null, 'a1', 'a2'],
  entrySchemaOf: (domain) => ({ enum: [domain] }),
};

export const few = { minLiveGroups: 1 };
export const prepare = (log: LogInput, config: object = few, seed = 'run'): Preparation =>
  grpo.prepare(log, config, context, seed);

export function planOf(log: LogInput, config: object = few, seed = 'run'): TrainingPlan {
  const prepared = prepare(log, config, seed);
  if (prepared.status === 'refused') throw new Error(prepared.reason);
  return prepared.plan;
}

export const advantagesOf = ({ examples }: TrainingPlan): Record<string, number | undefined> =>
  Object.fromEntries(examples.map(({ exampleId, policy }) => [exampleId, policy?.advantage]));

/** The distribution that the examples were sampled from: without it a step's probabilities are others than those logged. */
export const sampledUnder = { schema: { enum: ['timber'] }, continuationStart: 3, maxTokens: 9 };

/** ln ½ and ln ¼ for every example: the policy that sampled them. */
export const onPolicy = (plan: TrainingPlan): number[][] => plan.examples.map(() => [Math.log(1 / 2), Math.log(1 / 4)]);
