/**
 * DAPO's soft overlong punishment (https://arxiv.org/abs/2503.14476, equation 13): what is too long loses reward, little by
 * little, so that a good text is not called bad for its last token. With l tokens, a limit L and a buffer B before it:
 *
 *   0                  for l ≤ L − B
 *   (L − B − l) / B    for L − B < l ≤ L
 *   −1                 for l > L
 */
import { z } from 'zod';

export const overlongSchema = z
  .strictObject({
    /** Whose length: the entry's, which is the policy's own text (as in DAPO and in SEAM's released code), or the executor's response. */
    of: z.enum(['entry', 'response']).default('entry'),
    /** L, in tokens. DAPO: 20,480. */
    maxTokens: z.int().positive(),
    /** B, in tokens. DAPO: 4,096. */
    bufferTokens: z.int().positive(),
    /** What the full punishment takes from the reward. DAPO: 1, of rewards −1 and 1. */
    penalty: z.number().positive().default(1),
  })
  .refine(({ maxTokens, bufferTokens }) => bufferTokens <= maxTokens, {
    path: ['bufferTokens'],
    error: 'expected at most maxTokens',
  });

export type OverlongSettings = z.infer<typeof overlongSchema>;

/** What is added to the reward: −penalty … 0. */
export function overlongPunishment(tokens: number, { maxTokens, bufferTokens, penalty }: OverlongSettings): number {
  const excess = tokens - (maxTokens - bufferTokens);
  return excess <= 0 ? 0 : -penalty * Math.min(1, excess / bufferTokens);
}
