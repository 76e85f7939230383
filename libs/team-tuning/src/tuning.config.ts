/** Settings of sequential tuning, with the authors' values where they fit models of any size. */
import { SeamError } from '@seamstream/kernel';
import { z } from 'zod';
import { CERTIFICATE_CONSTANTS } from './formulas/certificate.js';

export const trainableSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('full') }),
  z.strictObject({
    kind: z.literal('lora'),
    rank: z.int().positive().default(32),
    alpha: z.number().positive().default(64),
    targetModules: z
      .array(z.string())
      .min(1)
      .default(['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']),
    modulesToSave: z.array(z.enum(['embed_tokens', 'lm_head'])).default([]),
    seed: z.string().default('lora'),
  }),
]);

export const samplingSchema = z
  .strictObject({
    /** Ratios are of the plain distribution: other temperatures are for evaluations. */
    temperature: z.literal(1).default(1),
    maxTokens: z.int().positive().default(64),
  })
  .prefault({});

export const optimizerSchema = z
  .strictObject({
    beta1: z.number().min(0).max(1).default(0.9),
    beta2: z.number().min(0).max(1).default(0.95),
    epsilon: z.number().positive().default(1e-8),
    weightDecay: z.number().nonnegative().default(0.01),
    clipNorm: z.number().nonnegative().default(1),
  })
  .prefault({});

const tuningSchema = z.strictObject({
  /** sequential: one agent after the other. simultaneous: all on one batch, each as if the others stayed: the control. */
  updates: z.enum(['sequential', 'simultaneous']).default('sequential'),
  /** static: as the team lists them. random. information: first the agent whose turns say most about the reward. */
  order: z.enum(['static', 'random', 'information']).default('static'),
  /** Whether the team as it is by then is sampled before each agent; false: one batch for all, with truncated weights (the release). */
  resample: z.boolean().default(true),
  /**
   * How the problems of a stage are divided among the batches of its agents. New runs divide them evenly. Runs of the first release name no
   * way: they rounded up, and are made again as they were.
   */
  division: z.enum(['even', 'rounded-up']).default('rounded-up'),
  /** Rollouts of a problem. */
  groupSize: z.int().min(2).max(256).default(4),
  sampling: samplingSchema,
  advantage: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('group'), clip: z.number().positive().default(5) }),
      z.strictObject({
        kind: z.literal('gae'),
        gamma: z.number().min(0).max(1).default(0.99),
        lambda: z.number().min(0).max(1).default(0.95),
        clip: z.number().positive().default(5),
        /** Furthest that a value moves from what it was before the update. */
        valueRange: z.number().positive().default(0.2),
        valueRate: z.number().positive().default(0.1),
        /**
         * The values that rewards are compared with. `before-fit`: as they were before they are fitted to the batch, so that no rollout's
         * reward is in what it is compared with. New runs take these. Runs of the first release name none: theirs were fitted to the batch
         * first, and are made again as they were.
         */
        baseline: z.enum(['before-fit', 'after-fit']).default('after-fit'),
      }),
    ])
    .prefault({ kind: 'group' }),
  clip: z
    .strictObject({ low: z.number().min(0).max(1).default(0.2), high: z.number().nonnegative().default(0.2) })
    .prefault({}),
  kl: z.strictObject({ beta: z.number().nonnegative().default(0.001) }).prefault({}),
  /** Null: every step is kept, the control. */
  gate: z
    .strictObject({
      /** δ in nats, and 1 − α. */
      target: z.number().positive().default(0.05),
      quantile: z.number().gt(0).max(1).default(0.99),
      maxBacktracks: z.int().nonnegative().default(5),
      /** Most nats that the successful turns of a state may lose. Null: the authors' gate, which looks at distances alone. */
      mostLost: z.number().positive().nullable().default(null),
      /** Least advantage, once a step was taken back, of the successful turns whose states lost more than half of `mostLost`. */
      keptAdvantage: z.number().nonnegative().default(0.5),
    })
    .nullable()
    .prefault({}),
  entropyCoefficient: z.number().nonnegative().default(0),
  /** Passes of an agent's update over its turns; the gate looks after each. */
  passes: z.int().positive().default(1),
  /** Turns per optimizer step. */
  batchSize: z.int().positive().default(64),
  learningRate: z.number().positive().default(1e-5),
  optimizer: optimizerSchema,
  trainable: trainableSchema.default({ kind: 'full' }),
  certificate: z
    .strictObject({
      kappa: z.number().default(CERTIFICATE_CONSTANTS.kappa),
      a: z.number().default(CERTIFICATE_CONSTANTS.a),
      zeta: z.number().nonnegative().default(CERTIFICATE_CONSTANTS.zeta),
      gamma: z.number().min(0).lt(1).default(CERTIFICATE_CONSTANTS.gamma),
      advantageMax: z.number().positive().default(CERTIFICATE_CONSTANTS.advantageMax),
      confidence: z.number().gt(0).lt(1).default(CERTIFICATE_CONSTANTS.confidence),
    })
    .prefault({}),
});

export type TuningSettings = z.infer<typeof tuningSchema>;

/** What is planned from now on, unless a person says otherwise. */
export function ofNewStage(given: unknown): unknown {
  const settings = given ?? {};
  if (!isObject(settings)) return settings;
  const { advantage } = settings;
  const hasValues = isObject(advantage) && advantage.kind === 'gae';
  return {
    division: 'even',
    ...settings,
    ...(hasValues ? { advantage: { baseline: 'before-fit', ...advantage } } : {}),
  };
}

function isObject(given: unknown): given is Readonly<Record<string, unknown>> {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}

/** @throws INVALID_CONFIGURATION */
export function tuningSettings(given: unknown): TuningSettings {
  const parsed = tuningSchema.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot resolve the settings of sequential tuning: ${z.prettifyError(parsed.error).replaceAll('\n', '; ')}. docs/explanation/algorithms/sequential-tuning.md has every setting.`,
    { cause: parsed.error },
  );
}
