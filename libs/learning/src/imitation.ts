/** What algorithms that imitate entries share: the loss is the entries' negative log-likelihood, and nothing is computed before it. */
import { sequenceOf } from './example.js';
import type { LearningAlgorithm, TrainingPlan } from './learning.types.js';
import type { OptimizerConfig, TrainableConfig } from './optimizer.config.js';
import { plannedSteps } from './planned-steps.js';
import type { Draw, LearningRateSettings } from './schedule.js';
import type { LossAverage } from './token-weights.js';

interface ImitationSettings {
  readonly learningRate: LearningRateSettings;
  readonly lossAverage: LossAverage;
  readonly optimizer: OptimizerConfig;
  readonly trainable: TrainableConfig;
}

/** The plan that takes one step per batch of draws. */
export function imitationPlan(
  { examples, diagnostics }: Pick<TrainingPlan, 'examples' | 'diagnostics'>,
  draws: readonly (readonly Draw[])[],
  config: ImitationSettings,
): TrainingPlan {
  return {
    examples,
    steps: plannedSteps(draws, examples, config),
    objective: { kind: 'negative-log-likelihood' },
    needs: { proximalLogProbs: false, referenceLogProbs: null },
    optimizer: { ...config.optimizer, learningRate: config.learningRate.peak },
    trainable: config.trainable,
    diagnostics,
  };
}

/** The parts of an algorithm that carry out such a plan. */
export const imitation: Pick<LearningAlgorithm, 'review' | 'complete'> = {
  review: () => ({ status: 'ready', diagnostics: {} }),

  complete(plan, _config, step) {
    const { examples, tokenWeights: shares } = plan.steps[step]!;
    return examples.map((index, position) => sequenceOf(plan.examples[index]!, shares[position]!));
  },
};
