/** What the forms' shapes are made of. The `error` of each says what is expected, in the words of a report. */
import { z } from 'zod';

/** A text that UTF-8 can carry (JSON can smuggle in half a surrogate pair). */
export const anyText = (expected: string): z.ZodString =>
  z.string({ error: expected }).refine((value) => value.isWellFormed(), { error: `${expected}, well-formed Unicode` });

/** A text with something in it. */
export const text = (expected = 'a text that is not empty'): z.ZodString =>
  anyText(expected).refine((value) => value.trim() !== '', { error: expected });

/** What an answer column may hold: texts as they are, numbers as JavaScript writes them. */
export const answerText = (expected: string): z.ZodType<string> =>
  z
    .union([z.string(), z.number(), z.bigint(), z.boolean()], { error: expected })
    .transform(String)
    .refine((value) => value.trim() !== '' && value.isWellFormed(), { error: expected });

/** Facts as metadata: single values as text, everything else left out. */
export function asMetadata(facts: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, value]): [string, string][] => {
      const text = scalarText(value);
      return text === undefined || text === '' ? [] : [[name, text]];
    }),
  );
}

/** A single value as text; undefined for objects, lists and nothing. */
export function scalarText(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return value.toWellFormed();
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value);
    default:
      return undefined;
  }
}

/** A domain's name made of any text: other characters than letters, digits, ".", "_" and "-" become "-". */
export function domainName(name: string): string {
  return name.replaceAll(/[^\w.-]+/g, '-').slice(0, 64) || 'default';
}
