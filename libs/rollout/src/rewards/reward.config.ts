/** Which reward an executor's service computes, as configuration. */
import { z } from 'zod';

export const REWARD_KINDS = ['verdict', 'accuracy-gain', 'accuracy', 'validation-loss', 'perplexity', 'http'] as const;

/** SEAM_EXECUTOR_REWARD_…, without the endpoint. docs/reference/rewards.md. */
export const rewardShape = {
  /** What an experience earns: `verdict`, the share of the questions that are right; the others compare models with and without it. */
  kind: z.enum(REWARD_KINDS).default('verdict'),
  /** `binary`: 1 where the value passes the threshold. `continuous`: what the value is worth, from 0 to 1, where it passes. */
  form: z.enum(['binary', 'continuous']).default('binary'),
  /** What the value is compared with, in its unit; `auto`: what the frozen model reaches. Without it the kind's own. */
  threshold: z.union([z.number(), z.literal('auto')]).optional(),
};

export type RewardChoice = z.infer<z.ZodObject<typeof rewardShape>>;
