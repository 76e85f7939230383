/** What the dashboard asks. Its answers are what `libs/operations` returns: the page takes their types from there. */
import { z } from 'zod';

const words = z.string().trim().min(1).max(200);
const count = (most: number) => z.coerce.number().int().min(0).max(most);

/** A moment of the past: a time in ISO 8601 with Z or an offset, a date of UTC, or the place of a record (topic/partition/offset); absent: now. */
const moment = z.string().trim().min(1).max(300).optional();

export const momentQuerySchema = z.strictObject({ asOf: moment });

export const problemsQuerySchema = z.strictObject({
  asOf: moment,
  domain: words.optional(),
  arm: z.enum(['explore', 'deploy', 'control']).optional(),
  standing: z.enum(['solved', 'failed', 'ungraded', 'expired', 'deadLettered', 'inFlight']).optional(),
  text: words.optional(),
  offset: count(1_000_000).default(0),
  limit: count(1000).default(200),
});

/** Where a page of the log ended: partitions by name, and the offset before which each continues. */
const logPlaceSchema = z.record(z.string().max(300), z.int().nonnegative());

export const logQuerySchema = z.strictObject({
  /** Names between commas, with or without "seam."; absent: all. */
  topics: z.string().max(500).optional(),
  filter: z.string().max(2000).default(''),
  limit: count(500).default(100),
  /** JSON, as an answer says it in `next`. */
  before: z
    .string()
    .max(20_000)
    .transform((text, context) => {
      try {
        return logPlaceSchema.parse(JSON.parse(text));
      } catch {
        context.addIssue({
          code: 'custom',
          message: 'expected a place as an earlier answer gave it ("next"), got another text',
        });
        return z.NEVER;
      }
    })
    .optional(),
});

export const findQuerySchema = z.strictObject({ id: z.string().max(200) });

export const problemIdSchema = z.string().min(1).max(500);

export const doctorQuerySchema = z.strictObject({ groups: count(100_000).default(256) });

/** Where a page's stream ended before: the id of its last message. EventSource sends it as a header by itself, a page that was hidden as a word. */
export const streamQuerySchema = z.strictObject({ after: z.string().max(5000).optional() });

/** What names an adapter: `served`, `base`, or the first digits of a digest. */
export const adapterWordSchema = z.string().min(1).max(100);

export const libraryDiffQuerySchema = z.strictObject({ before: adapterWordSchema.default('base') });

/** What a team is served as. */
export const slotSchema = z.string().min(1).max(200);

/** What costs are summed by, from which day on (as UTC begins it), and of which tenant, where one sees several. */
export const costQuerySchema = z.strictObject({
  by: z.enum(['key', 'tenant', 'adapter', 'arm', 'model', 'domain']).default('arm'),
  since: z.iso.date().optional(),
  tenant: words.optional(),
  asOf: moment,
});

/**
 * Which acts are listed: `changes`, `all`, or one as `seam audit --act` names it; of the last so many hours, a year at most and a week for what
 * is no change; and in which tenant, where one sees several.
 */
export const auditQuerySchema = z.strictObject({
  act: words.default('changes'),
  by: words.optional(),
  tenant: words.optional(),
  hours: z.coerce.number().int().min(1).max(8_784).default(24),
});
