import { z } from 'zod';
import type { ProblemFormat } from './problem-lines.js';

/** A text that UTF-8 can carry (JSON can smuggle in half a surrogate pair). */
const anyText = (name: string): z.ZodString =>
  z.string({ error: name }).refine((value) => value.isWellFormed(), { error: `${name}, well-formed Unicode` });
const text = (name: string): z.ZodString => anyText(name).refine((value) => value.trim() !== '', { error: name });
const texts = z.record(anyText('a text'), anyText('a text'), { error: 'an object of texts' });

const VERIFIER = 'a verifier: its name as a text, or {"kind", "version", "options"}';

/** Seamstream's own: what ProblemPublished needs and nothing else; unknown fields are refused. */
export const SEAM_FORMAT: ProblemFormat = {
  name: 'seam',
  summary:
    'Fields: prompt, reference (required); domain ("default"), verifier ("exact"), problemId, metadata, mode, subject, expiresAt (ISO 8601).',
  example: '{"domain":"sums","prompt":"What is 2 + 3?","reference":"5","verifier":"numeric"}',
  shape: z.strictObject(
    {
      problemId: text('a text that is not empty').optional(),
      domain: z
        .string({ error: 'a text' })
        .regex(/^[\w.-]{1,64}$/, { error: '1 to 64 letters, digits, ".", "_" or "-"' })
        .default('default'),
      prompt: text('a text that is not empty'),
      reference: anyText('a text (the answer, or the tests, as the verifier expects it)'),
      verifier: z
        .union(
          [
            text(VERIFIER).transform((kind) => ({ kind })),
            z.strictObject({
              kind: text('a text'),
              version: text('a text').optional(),
              options: texts.optional(),
            }),
          ],
          { error: VERIFIER },
        )
        .default({ kind: 'exact' }),
      metadata: texts.optional(),
      mode: z.enum(['explore', 'deploy'], { error: '"explore" or "deploy"' }).optional(),
      subject: text('a text that is not empty').optional(),
      expiresAt: z.iso.datetime({ offset: true, error: 'a time as ISO 8601, e.g. 2030-01-31T12:00:00Z' }).optional(),
    },
    { error: 'one JSON object' },
  ),
};
