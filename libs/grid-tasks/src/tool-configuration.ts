/**
 * The self-edit of few-shot learning: which augmentations, and how to train on them (arXiv 2506.10943, section 3.2). The names on the
 * wire are the paper's, so that a model that learned them is understood. What a model writes that cannot be carried out is a failure of
 * the edit, a value with its reason: it earns no reward. An error is what this program or its caller did wrong.
 */
import { excerpt } from '@seamstream/kernel';
import { z } from 'zod';
import { AUGMENTATION_FAMILIES, type AugmentationFamily } from './augmentations.js';

export const STRATEGIES = ['train_using_all_tokens', 'train_using_output_tokens'] as const;

/** More optimizer steps are a failure of the edit (the released guard). */
export const MAX_STEPS = 375;
/** Examples per optimizer step, as released. */
export const BATCH_SIZE = 2;
/** Around the paper's best fixed rate, 1e-4, a factor of 100 in either direction. */
const LEARNING_RATES = { min: 1e-6, max: 1e-2 };
/** The guard is reached by this number of epochs over a single batch, so more is never carried out. */
const MAX_EPOCHS = MAX_STEPS;

/** Characters of a detail. A model names unknown fields as it likes. */
const MAX_DETAIL = 300;

export const toolConfigurationSchema = z.strictObject({
  data_generation: z.strictObject({
    use_basic_augmentations: z.boolean(),
    use_size_augmentations: z.boolean(),
    use_chain_augmentations: z.boolean(),
    use_repeat_augmentations: z.boolean(),
  }),
  training: z.strictObject({
    strategy: z.enum(STRATEGIES),
    learning_rate: z.number().min(LEARNING_RATES.min).max(LEARNING_RATES.max),
    num_train_epochs: z.int().min(1).max(MAX_EPOCHS),
  }),
});

export type ToolConfiguration = z.infer<typeof toolConfigurationSchema>;

/** The schema as JSON Schema 2020-12: what constrains a model that writes a configuration. */
export function toolConfigurationJsonSchema(): object {
  return z.toJSONSchema(toolConfigurationSchema);
}

export interface EditFailure {
  readonly reason: 'not-json' | 'unknown-strategy' | 'invalid-configuration' | 'no-example' | 'too-many-steps';
  /** For a person. */
  readonly detail: string;
}

export type Reading<T> =
  | { readonly value: T; readonly failure?: undefined }
  | { readonly value?: undefined; readonly failure: EditFailure };

const failed = (reason: EditFailure['reason'], detail: string): { readonly failure: EditFailure } => ({
  failure: { reason, detail },
});

/** The configuration that a model wrote, or why there is no such configuration. */
export function readToolConfiguration(text: string): Reading<ToolConfiguration> {
  const json = jsonOf(text);
  if (json === undefined) return failed('not-json', `expected one JSON object, got "${excerpt(text)}"`);
  const parsed = toolConfigurationSchema.safeParse(json.value);
  if (parsed.success) return { value: parsed.data };
  const { issues } = parsed.error;
  const detail = issues.map(({ path, message }) => `${z.core.toDotPath(path)}: ${message}`).join('; ');
  const isStrategy = issues.every(({ path }) => path.join('.') === 'training.strategy');
  return failed(isStrategy ? 'unknown-strategy' : 'invalid-configuration', excerpt(detail, MAX_DETAIL));
}

/** The families that are switched on, in the order of the switches. */
export function familiesOf({ data_generation: switches }: ToolConfiguration): readonly AugmentationFamily[] {
  return AUGMENTATION_FAMILIES.filter((family) => switches[`use_${family}_augmentations`]);
}

/**
 * Optimizer steps of the training, epochs · ⌈examples / batch size⌉, or why it may not begin: nothing to train on, or more than
 * {@link MAX_STEPS}.
 */
export function plannedSteps(numExamples: number, { training }: ToolConfiguration): Reading<number> {
  if (numExamples === 0) return failed('no-example', 'expected at least one training example, got 0');
  const steps = training.num_train_epochs * Math.ceil(numExamples / BATCH_SIZE);
  return steps > MAX_STEPS
    ? failed(
        'too-many-steps',
        `expected at most ${MAX_STEPS} steps, got ${steps}: ${training.num_train_epochs} epochs of ${numExamples} examples, ${BATCH_SIZE} per step`,
      )
    : { value: steps };
}

function jsonOf(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    // The one fault that it tolerates: a model's text that is no JSON.
    return undefined;
  }
}
