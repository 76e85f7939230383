/** Which examples a step trains on and how fast: functions of counts and seed. */
import { compareText, Random } from '@seamstream/kernel';
import { z } from 'zod';

/** Learning rate over the steps of a run. */
export const learningRateSchema = z.strictObject({
  /** Highest rate. */
  peak: z.number().positive(),
  /** Steps over which the rate rises linearly from peak / (warmupSteps + 1). */
  warmupSteps: z.int().nonnegative().default(0),
  /** What follows: `constant`, or down to `finalRatio` × peak at the last step. */
  decay: z.enum(['constant', 'linear', 'cosine']).default('constant'),
  finalRatio: z.number().min(0).max(1).default(0.1),
});

export type LearningRateSettings = z.infer<typeof learningRateSchema>;

/** Rate of step 0 … steps − 1. */
export function learningRateAt(settings: LearningRateSettings, step: number, steps: number): number {
  const { peak, warmupSteps, decay, finalRatio } = settings;
  if (step < warmupSteps) return (peak * (step + 1)) / (warmupSteps + 1);
  const span = steps - 1 - warmupSteps;
  const progress = span <= 0 ? 0 : (step - warmupSteps) / span;
  switch (decay) {
    case 'constant':
      return peak;
    case 'linear':
      return peak * (1 - progress * (1 - finalRatio));
    case 'cosine':
      return peak * (finalRatio + (1 - finalRatio) * 0.5 * (1 + Math.cos(Math.PI * progress)));
  }
}

/** Length of a run: a fixed number of steps, or as many as see every example this often. */
export const durationSchema = z.discriminatedUnion('unit', [
  z.strictObject({ unit: z.literal('steps'), steps: z.int().positive() }),
  z.strictObject({ unit: z.literal('epochs'), epochs: z.number().positive() }),
]);

export type Duration = z.infer<typeof durationSchema>;

/** Number of steps, at least one. */
export function stepsOf(duration: Duration, examples: number, batchSize: number): number {
  if (duration.unit === 'steps') return duration.steps;
  return Math.max(1, Math.ceil((duration.epochs * examples) / Math.min(batchSize, Math.max(1, examples))));
}

export interface Draw {
  readonly index: number;
  /** How often the batch holds it; ≥ 1. */
  readonly times: number;
}

export interface DrawOptions {
  readonly steps: number;
  readonly batchSize: number;
  readonly seed: string;
  /** Class of each example; each step takes from every class its share. */
  readonly classes: readonly string[];
}

/**
 * Draws `steps` batches of `min(batchSize, number of examples)` by systematic sampling (Madow 1949,
 * Annals of Mathematical Statistics 20): the weights are laid end to end, class by class and within a class in seeded
 * order, and n = steps × size evenly spaced points pick the examples. So over the run example i is drawn n·w_i/Σw times,
 * rounded down or up. Each stretch of `steps` neighbouring points serves one place of the batch, one point per step in
 * seeded order: every step therefore has its share of every class.
 * A step holds an example more than once only if its weight reaches over several places.
 *
 *   weights   |--a--|--b--|------c------|-d-|      steps = 2, size = 3
 *   points     .  .  |  .  .  |  .  .              place 0: a a, place 1: b c, place 2: c d
 *
 * @param weights ≥ 0, finite, not all 0; examples in canonical order
 * @returns per step, ascending by index
 */
export function drawBatches(weights: readonly number[], { steps, batchSize, seed, classes }: DrawOptions): Draw[][] {
  const random = Random.of('batches', seed);
  const size = Math.min(batchSize, weights.length);
  const count = steps * size;
  const members = [...Map.groupBy(weights.keys(), (index) => classes[index]!)].sort(([a], [b]) => compareText(a, b));
  const order = members.flatMap(([, indices]) => random.shuffled(indices));
  const total = order.reduce((sum, index) => sum + weights[index]!, 0);
  const offset = random.float();
  const picked: number[] = [];
  let passed = 0;
  order.forEach((index, position) => {
    passed += weights[index]!;
    // The last example takes what rounding of the sum would leave.
    const until = position === order.length - 1 ? count : Math.ceil((passed / total) * count - offset);
    while (picked.length < until) picked.push(index);
  });
  const batches = Array.from({ length: steps }, () => new Map<number, number>());
  const everyStep = [...batches.keys()];
  for (let place = 0; place < size; place++) {
    random.shuffled(everyStep).forEach((step, point) => {
      const index = picked[place * steps + point]!;
      batches[step]!.set(index, (batches[step]!.get(index) ?? 0) + 1);
    });
  }
  return batches.map((batch) => [...batch].sort(([a], [b]) => a - b).map(([index, times]) => ({ index, times })));
}

/** As {@link drawBatches}, of so many examples that weigh alike and are of one class. */
export function drawEvenly(examples: number, options: Omit<DrawOptions, 'classes'>): Draw[][] {
  const alike = Array.from({ length: examples });
  return drawBatches(
    alike.map(() => 1),
    { ...options, classes: alike.map(() => '') },
  );
}

/** Weights scaled so that every class has the same sum; a class whose weights are all 0 keeps them. */
export function balancedByClass(weights: readonly number[], classes: readonly string[]): number[] {
  const sums = new Map<string, number>();
  weights.forEach((weight, index) => sums.set(classes[index]!, (sums.get(classes[index]!) ?? 0) + weight));
  return weights.map((weight, index) => (weight === 0 ? 0 : weight / sums.get(classes[index]!)!));
}
