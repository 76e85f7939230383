/** The model that is asked by the recipe `llm`, as configuration: SEAM_TRAINER_DISTILLATION_…. */
import { type BudgetSettings, DEFAULT_LIMITS } from '@seamstream/openai-endpoint';
import { z } from 'zod';
import { budgetSchema, connectionShape } from './executor.config.js';

const positive = z.int().positive();

/** A server by its address, or a checkpoint by its folder. */
export const distillationSchema = z
  .object({
    ...connectionShape,
    /** How the server calls the most tokens of an answer. */
    maxTokensField: z.enum(['max_tokens', 'max_completion_tokens']).default('max_tokens'),
    /** Whether operations are asked for under a JSON Schema (response_format), where the server knows it. */
    jsonSchema: z.boolean().default(false),
    /** Folder of a checkpoint that replies on this machine, in place of a server. It writes operations under their JSON Schema. */
    modelFolder: z.string().min(1).optional(),
    /** Of the checkpoint: `auto` asks in its chat template where it has one, `none` gives it text to continue. */
    chatTemplate: z.enum(['auto', 'none']).default('auto'),
    /** Of the checkpoint: most milliseconds in which the replies are written that are written side by side. */
    replyTimeoutMs: positive.default(3_600_000),
    /** Most requests at a time; of the checkpoint, replies that are written side by side. They do not depend on it. */
    concurrency: positive.default(DEFAULT_LIMITS.concurrency),
    /** Most requests in a minute; no limit when absent. */
    requestsPerMinute: positive.optional(),
    /** Of prompts and answers. */
    tokensPerMinute: positive.optional(),
    /** Longest wait for an answer to one request. */
    requestTimeoutMs: positive.default(DEFAULT_LIMITS.requestTimeoutMs),
    /** Of all runs of the log. */
    budget: budgetSchema,
  })
  .superRefine((choice, context) => {
    if (choice.modelFolder === undefined) return;
    for (const field of ['url', 'model', 'keyVariable'] as const)
      if (choice[field] !== undefined)
        context.addIssue({
          code: 'custom',
          path: [field],
          message:
            'expected none with modelFolder: the checkpoint would reply, and the server would not. Leave one out',
        });
  })
  .prefault({});

export type DistillationSettings = z.infer<typeof distillationSchema>;

export function spendingOf(budget: z.infer<typeof budgetSchema>): BudgetSettings {
  const { tokens = null, money = null, promptPrice = 0, responsePrice = 0 } = budget;
  return { tokens, money, promptPrice, responsePrice };
}
