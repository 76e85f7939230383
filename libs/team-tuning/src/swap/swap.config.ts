/** Settings of an agent's swap. */
import { SeamError } from '@seamstream/kernel';
import { z } from 'zod';
import { optimizerSchema, samplingSchema, trainableSchema } from '../tuning.config.js';

const swapSchema = z.strictObject({
  /** Name of the agent whose place is taken; null: none yet, and nothing can be asked for. */
  agent: z.string().min(1).nullable().default(null),
  /** What takes it: the digest of an adapter of the agent's base model in the team file; null: that base model itself. */
  adapter: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'expected the 64 hexadecimal digits of a digest')
    .nullable()
    .default(null),
  /** δ0 in nats: at most so far may it be from the agent that it replaces (configs/sat_default.yaml of the release). */
  target: z.number().positive().default(0.01),
  /** After so many without coming within the target it does not join. */
  maxPasses: z.int().positive().default(30),
  /** Turns that the replaced agent takes on a problem. */
  groupSize: z.int().min(1).max(256).default(1),
  sampling: samplingSchema,
  /** Turns per optimizer step. */
  batchSize: z.int().positive().default(64),
  learningRate: z.number().positive().default(1e-5),
  optimizer: optimizerSchema,
  /** Absent: as the adapter that joins was trained, and all weights for a base model. */
  trainable: trainableSchema.optional(),
});

export type SwapSettings = z.infer<typeof swapSchema>;

/** @throws INVALID_CONFIGURATION */
export function swapSettings(given: unknown): SwapSettings {
  const parsed = swapSchema.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot resolve the settings of a swap: ${z.prettifyError(parsed.error).replaceAll('\n', '; ')}. docs/how-to/teams.md has every setting.`,
    { cause: parsed.error },
  );
}
