/** Settings of an agent's warm-up. */
import { SeamError } from '@seamstream/kernel';
import { z } from 'zod';
import { optimizerSchema, trainableSchema } from '../tuning.config.js';

const warmUpSchema = z.strictObject({
  /** Name of the agent that learns; null: none yet, and nothing can be asked for. */
  agent: z.string().min(1).nullable().default(null),
  /** Digest of the preference pairs that it learns from. */
  preferences: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'expected the 64 hexadecimal digits of a digest')
    .nullable()
    .default(null),
  /** Passes over the pairs. */
  epochs: z.int().positive().max(1000).default(1),
  /** Pairs per optimizer step. */
  batchSize: z.int().positive().default(16),
  learningRate: z.number().positive().default(1e-5),
  optimizer: optimizerSchema,
  /** Absent: as the agent's adapter was trained, and all weights of a base model. */
  trainable: trainableSchema.optional(),
});

export type WarmUpSettings = z.infer<typeof warmUpSchema>;

/** @throws INVALID_CONFIGURATION */
export function warmUpSettings(given: unknown): WarmUpSettings {
  const parsed = warmUpSchema.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot resolve the settings of a warm-up: ${z.prettifyError(parsed.error).replaceAll('\n', '; ')}. docs/how-to/teams.md has every setting.`,
    { cause: parsed.error },
  );
}
