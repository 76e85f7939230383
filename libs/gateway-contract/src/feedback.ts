import { z } from 'zod';

const id = z.string().min(1).max(200);

export const feedbackRequestSchema = z
  .strictObject({
    problemId: id.optional(),
    /** Of several answers to the problem: the attempt that gave it. Default: the one that a client was answered with. */
    attemptId: id.optional(),
    /** The id of a chat completion or of a response, which holds its problem's. */
    completionId: id.optional(),
    /** What the answer is worth: true is 1, false is 0. From 0.5 on it is a success. */
    value: z.union([z.boolean(), z.number().min(0).max(1)]),
    comment: z.string().max(2_000).default(''),
    /** Who says it, by their own account. Default: the key's public part. */
    by: z.string().min(1).max(128).optional(),
  })
  .refine(({ problemId, completionId }) => (problemId === undefined) !== (completionId === undefined), {
    path: ['problemId'],
    error: 'expected problemId or completionId, and not both',
  })
  .refine(({ attemptId, problemId }) => attemptId === undefined || problemId !== undefined, {
    path: ['attemptId'],
    error: 'expected it with problemId',
  });

export const feedbackReplySchema = z.object({ feedbackId: z.string(), problemId: z.string(), attemptId: z.string() });

export type FeedbackRequest = z.infer<typeof feedbackRequestSchema>;
