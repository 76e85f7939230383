import { z } from 'zod';
import type { DatasetForm } from './dataset.types.js';
import { anyText, text } from './fields.js';

const texts = z.record(anyText('a text'), anyText('a text'), { error: 'an object of texts' });

const VERIFIER = 'a verifier: its name as a text, or {"kind", "version", "options"}';

/** What a domain may be called. */
export const DOMAIN_NAME = /^[\w.-]{1,64}$/;

/** Who judges, as rows say it. */
export const VERIFIER_FIELD = z
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
  .default({ kind: 'exact' });

/** What rows of problems have in common, with a verifier or without. */
export const COMMON_FIELDS = {
  problemId: text().optional(),
  domain: z
    .string({ error: 'a text' })
    .regex(DOMAIN_NAME, { error: '1 to 64 letters, digits, ".", "_" or "-"' })
    .default('default'),
  metadata: texts.optional(),
  mode: z.enum(['explore', 'deploy'], { error: '"explore" or "deploy"' }).optional(),
  subject: text().optional(),
  expiresAt: z.iso.datetime({ offset: true, error: 'a time as ISO 8601, e.g. 2030-01-31T12:00:00Z' }).optional(),
};

/** What rows without reference and verifier have in common: their answers wait for feedback. */
export const UNGRADED_FIELDS = {
  ...COMMON_FIELDS,
  feedbackWithinMs: z
    .int({ error: 'milliseconds, a whole number from 1 on' })
    .positive({ error: 'milliseconds, a whole number from 1 on' })
    .optional(),
};

/** Such a row of a prompt alone. */
export const UNGRADED_ROW = z.strictObject({ ...UNGRADED_FIELDS, prompt: text() }, { error: 'one JSON object' });

/** Seamstream's own: what ProblemPublished needs and nothing else; unknown fields are refused. */
export const SEAM_FORM: DatasetForm = {
  name: 'seam',
  summary:
    'prompt, reference (required); domain ("default"), verifier ("exact"), problemId, metadata, mode, subject, expiresAt (ISO 8601).',
  example: '{"domain":"sums","prompt":"What is 2 + 3?","reference":"5","verifier":"numeric"}',
  recognises: ({ prompt, reference }) => typeof prompt === 'string' && typeof reference === 'string',
  shape: z.strictObject(
    {
      reference: anyText('a text (the answer, or the tests, as the verifier expects it)'),
      verifier: VERIFIER_FIELD,
      ...COMMON_FIELDS,
      prompt: text(),
    },
    { error: 'one JSON object' },
  ),
};
