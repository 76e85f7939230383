/**
 * Lays prompt and entry into one sequence and finds the tokens that were a choice:
 *
 *   tokenIds   p p p p p │ { " a " : [ " x " ] }
 *   forced               │ 1 1 1 1 1 1 1 0 1 1 1
 *   targets              │               ▲            index into tokenIds
 *                        └ continuationStart
 *
 * A forced token has probability one under the grammar's mask for any weights: no gradient comes from it.
 */
import { type ExperienceGenerated, promptOf } from '@seamstream/events';
import type { TrainingSequence } from '@seamstream/language-model';
import type { JsonSchema } from '@seamstream/token-grammar';
import type { LearningContext, TrainingExample, TrainingPlan } from './learning.types.js';

interface Sampled {
  readonly promptTokenIds: readonly number[];
  readonly tokenIds: readonly number[];
  readonly forced: readonly boolean[];
}

/** Positions within the entry of the tokens that were a choice. */
function freePositions(forced: readonly boolean[]): number[] {
  return forced.flatMap((isForced, position) => (isForced ? [] : [position]));
}

/**
 * Without a prompt the first token has nothing to be predicted from: it is no target.
 * @param maxTokens the budget that the entry was sampled with, where its logged probabilities matter: near its end fewer
 *   tokens are legal
 */
export function layExample(
  exampleId: string,
  sampled: Sampled,
  schema: JsonSchema | undefined,
  maxTokens?: number,
): TrainingExample {
  const continuationStart = sampled.promptTokenIds.length;
  return {
    exampleId,
    tokenIds: [...sampled.promptTokenIds, ...sampled.tokenIds],
    targets: freePositions(sampled.forced)
      .map((position) => continuationStart + position)
      .filter((target) => target > 0),
    continuationStart,
    ...(schema === undefined ? {} : { schema }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  };
}

/** A recorded experience under the schema that it was sampled under. @param maxTokens as of {@link layExample} */
export function recordedExample(
  experience: ExperienceGenerated,
  { entrySchemaOf }: Pick<LearningContext, 'entrySchemaOf'>,
  maxTokens?: number,
): TrainingExample {
  const { experienceId, problem, entry, entrySchema } = experience;
  const schema = entrySchemaOf(problem.domain, { prompt: promptOf(problem), entry, entrySchema });
  return layExample(experienceId, experience, schema, maxTokens);
}

/** The example as a sequence whose tokens each have the given share in the loss. */
export function sequenceOf(example: TrainingExample, tokenWeight: number): TrainingSequence {
  const { tokenIds, targets, schema, continuationStart, maxTokens } = example;
  return {
    tokenIds,
    targets,
    weights: targets.map(() => tokenWeight),
    ...(schema === undefined ? {} : { schema, continuationStart }),
    ...(schema === undefined || maxTokens === undefined ? {} : { maxTokens }),
  };
}

/** The plan's examples as sequences without a share in a loss: what log-probabilities are computed of. */
export function bareSequences(plan: TrainingPlan): TrainingSequence[] {
  return plan.examples.map((example) => sequenceOf(example, 0));
}
