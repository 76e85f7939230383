import { z } from 'zod';

/** Most problems of one request. */
const MOST_PROBLEMS = 1_000;

/** One problem, as a line of `seam publish`: a prompt, and a reference with its verifier, or neither. Each is checked as a row of a file is. */
const problem = z.record(z.string(), z.unknown());

export const problemsRequestSchema = z.union([
  z.strictObject({ problems: z.array(problem).min(1).max(MOST_PROBLEMS) }),
  z.looseObject({ prompt: z.string().min(1) }),
]);

export const problemsReplySchema = z.object({ problems: z.array(z.object({ problemId: z.string() })) });

export type ProblemsReply = z.infer<typeof problemsReplySchema>;
