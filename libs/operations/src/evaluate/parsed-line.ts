/** Lines of JSON that a run which was stopped may have left in the middle of one. */
import type { z } from 'zod';

/** Undefined for a line that is not whole, or not of the schema. */
export function parsedLine<T>(schema: z.ZodType<T>, line: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
