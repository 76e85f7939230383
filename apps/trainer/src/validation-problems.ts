import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Problem } from '@seamstream/events';
import { messageOf, SeamError } from '@seamstream/kernel';
import { z } from 'zod';

/** Problems on which adapters are compared with their parents. */
export interface ValidationProblems {
  readonly name: string;
  readonly problems: readonly Problem[];
}

const problemSchema = z.strictObject({
  problemId: z.string().min(1),
  domain: z.string().min(1),
  prompt: z.string().min(1),
  reference: z.string(),
  verifier: z.strictObject({
    kind: z.string(),
    version: z.string(),
    options: z.record(z.string(), z.string()).default({}),
  }),
  metadata: z.record(z.string(), z.string()).default({}),
}) satisfies z.ZodType<Problem>;

/** @throws INVALID_CONFIGURATION listing the first lines at fault */
export async function loadValidationProblems(file: string | undefined): Promise<ValidationProblems> {
  if (file === undefined) {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      'Configuring the trainer: expected problems to compare adapters on, came none. Set SEAM_TRAINER_VALIDATION_PROBLEMS to a file of JSON Lines.',
    );
  }
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Reading validation problems: ${messageOf(cause)}. Correct SEAM_TRAINER_VALIDATION_PROBLEMS.`,
      { cause },
    );
  }
  const faults: string[] = [];
  const problems: Problem[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    try {
      const parsed = problemSchema.safeParse(JSON.parse(line));
      if (parsed.success) problems.push(parsed.data);
      else faults.push(`line ${index + 1}: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`);
    } catch (error) {
      faults.push(`line ${index + 1}: ${messageOf(error)}`);
    }
  }
  if (faults.length > 0) {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Reading validation problems from ${file}: ${faults.length} faulty lines. Correct them.\n  ${faults.slice(0, 10).join('\n  ')}`,
      {
        details: { file, faults: faults.length },
      },
    );
  }
  return { name: basename(file), problems };
}
