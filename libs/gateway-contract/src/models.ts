import { z } from 'zod';

export const modelSchema = z.object({
  id: z.string(),
  object: z.literal('model'),
  /** Seconds since the Unix epoch. */
  created: z.int(),
  owned_by: z.string(),
});

export const modelListSchema = z.object({ object: z.literal('list'), data: z.array(modelSchema) });

export type Model = z.infer<typeof modelSchema>;
