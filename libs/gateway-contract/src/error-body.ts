/** Errors as OpenAI's clients read them: https://platform.openai.com/docs/guides/error-codes. */
import { z } from 'zod';

export const errorBodySchema = z.object({
  error: z.object({
    message: z.string(),
    /** The class of the error, e.g. invalid_request_error. */
    type: z.string(),
    /** The field at fault. */
    param: z.string().nullable(),
    /** What a program looks at, e.g. model_not_found. */
    code: z.string().nullable(),
  }),
});

export type ErrorBody = z.infer<typeof errorBodySchema>;
