import { SeamError } from '@seamstream/kernel';
import type { TrainingSequence } from '@seamstream/language-model';
import { z } from 'zod';
import type {
  ComputedLogProbs,
  LearningAlgorithm,
  LearningContext,
  LearningInput,
  Preparation,
  ReplayedRounds,
  Review,
  TrainingPlan,
} from './learning.types.js';

/** An algorithm with its own input and configuration, as its file states it. */
export interface AlgorithmDefinition<
  Reads extends LearningInput['reads'],
  Schema extends z.ZodType<Record<string, unknown>>,
> {
  readonly name: string;
  readonly reads: Reads;
  /** Strict; every field documented, with a vetted default. */
  readonly configSchema: Schema;
  replayedRounds(config: z.infer<Schema>): ReplayedRounds;
  hasEnoughSignal(
    input: Extract<LearningInput, { reads: Reads }>,
    config: z.infer<Schema>,
    context: Omit<LearningContext, 'entrySchemaOf'>,
  ): boolean;
  /** Absent: never. */
  hearsFeedback?(config: z.infer<Schema>): boolean;
  prepare(
    input: Extract<LearningInput, { reads: Reads }>,
    config: z.infer<Schema>,
    context: LearningContext,
    seed: string,
  ): Preparation;
  review(plan: TrainingPlan, config: z.infer<Schema>, computed: ComputedLogProbs): Review;
  complete(plan: TrainingPlan, config: z.infer<Schema>, step: number, computed: ComputedLogProbs): TrainingSequence[];
}

/** Closes the definition over its types: from outside, all algorithms look alike. */
export function defineAlgorithm<
  Reads extends LearningInput['reads'],
  Schema extends z.ZodType<Record<string, unknown>>,
>(definition: AlgorithmDefinition<Reads, Schema>): LearningAlgorithm {
  const { name, reads, configSchema } = definition;
  const configOf = (given: unknown): z.infer<Schema> => {
    const parsed = configSchema.safeParse(given ?? {});
    if (parsed.success) return parsed.data;
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot resolve the settings of ${name}: ${z.prettifyError(parsed.error).replaceAll('\n', '; ')}. Correct SEAM_TRAINER_ALGORITHMS; docs/explanation/algorithms/${name}.md has every setting.`,
      { cause: parsed.error },
    );
  };
  const belongs = (input: LearningInput): input is Extract<LearningInput, { reads: Reads }> => input.reads === reads;
  const own = (input: LearningInput): Extract<LearningInput, { reads: Reads }> => {
    if (belongs(input)) return input;
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot prepare ${name}: expected input read from the ${reads}, got ${input.reads}. Read what the algorithm's "reads" names.`,
    );
  };
  return {
    name,
    reads,
    resolveConfiguration: (given) => ({ ...configOf(given) }),
    replayedRounds: (configuration) => definition.replayedRounds(configOf(configuration)),
    hasEnoughSignal: (input, configuration, context) =>
      definition.hasEnoughSignal(own(input), configOf(configuration), context),
    hearsFeedback: (configuration) => definition.hearsFeedback?.(configOf(configuration)) ?? false,
    prepare: (input, configuration, context, seed) =>
      definition.prepare(own(input), configOf(configuration), context, seed),
    review: (plan, configuration, computed) => definition.review(plan, configOf(configuration), computed),
    complete: (plan, configuration, step, computed) =>
      definition.complete(plan, configOf(configuration), step, computed),
  };
}

/** Log-probabilities parallel to the plan's examples and targets. SHAPE_MISMATCH or NON_FINITE otherwise. */
export function checkedLogProbs(
  plan: TrainingPlan,
  which: keyof ComputedLogProbs,
  computed: ComputedLogProbs,
): readonly (readonly number[])[] {
  const values = computed[which];
  if (values?.length !== plan.examples.length) {
    throw new SeamError(
      'SHAPE_MISMATCH',
      `Cannot use ${which} log-probabilities: expected one list per example (${plan.examples.length}), got ${values?.length ?? 'none'}. Compute them for all examples of the plan.`,
    );
  }
  plan.examples.forEach(({ exampleId, targets }, index) => {
    const ofExample = values[index]!;
    if (ofExample.length !== targets.length) {
      throw new SeamError(
        'SHAPE_MISMATCH',
        `Cannot use ${which} log-probabilities of ${exampleId}: expected ${targets.length}, one per trained token, got ${ofExample.length}.`,
      );
    }
    const at = ofExample.findIndex((value) => !Number.isFinite(value));
    if (at >= 0) {
      throw new SeamError(
        'NON_FINITE',
        `Cannot use ${which} log-probabilities of ${exampleId}: expected finite numbers, got ${String(ofExample[at])} at token ${targets[at]!}. The weights or the example are damaged.`,
      );
    }
  });
  return values;
}
