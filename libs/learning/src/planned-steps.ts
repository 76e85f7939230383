/** From drawn batches to the steps of a plan: which examples, at which rate, with which share of the loss per token. */
import type { TrainingExample, TrainingStep } from './learning.types.js';
import { type Draw, type LearningRateSettings, learningRateAt } from './schedule.js';
import { type LossAverage, tokenWeights } from './token-weights.js';

/** One step per batch; an example that was drawn several times weighs as much more. */
export function plannedSteps(
  draws: readonly (readonly Draw[])[],
  examples: readonly TrainingExample[],
  settings: { readonly learningRate: LearningRateSettings; readonly lossAverage: LossAverage },
): TrainingStep[] {
  return draws.map((batch, step) => ({
    learningRate: learningRateAt(settings.learningRate, step, draws.length),
    examples: batch.map(({ index }) => index),
    tokenWeights: tokenWeights(
      batch.map(({ index, times }) => ({ tokens: examples[index]!.targets.length, weight: times })),
      settings.lossAverage,
    ),
  }));
}
