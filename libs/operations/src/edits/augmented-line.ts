/** A data set with edits, as JSON Lines: a line for each edit of each passage says what was written and what became of it. */
import { type FileBytes, rowsOf } from '@seamstream/datasets';
import { SeamError } from '@seamstream/kernel';
import { z } from 'zod';
import { parsedLine } from '../evaluate/parsed-line.js';

const LINE = z.object({
  /** Of the passage in the data set, 1-based. */
  row: z.int().positive(),
  /** Which of the passage's edits, from 0. */
  number: z.int().nonnegative(),
  title: z.string().nullable(),
  passage: z.string(),
  /** Name and digest of the kind. */
  kind: z.string(),
  /** Who wrote: digest of the weights, or the model's name at the endpoint; null where nothing is asked. */
  model: z.string().nullable(),
  adapter: z.string().nullable(),
  seed: z.string(),
  /** As it was written; null where nothing was. */
  edit: z.string().nullable(),
  /** To train on. The passage is the last document of its first line; a refused edit gives none. */
  documents: z.array(z.string()),
  /** Which filter refused the edit, and its figures; null where none did. */
  refused: z
    .object({ reason: z.string(), figures: z.record(z.string(), z.number()), of: z.string().optional() })
    .nullable(),
  /** Why the passage has no edit here; null where it has one, and where nothing is asked. */
  unaugmented: z.object({ code: z.string(), reason: z.string(), tries: z.int().positive() }).nullable(),
});

export type AugmentedLine = z.infer<typeof LINE>;

/** What lines amount to. */
export interface EditCounts {
  readonly passages: number;
  readonly edits: number;
  readonly kept: number;
  /** By reason. */
  readonly refused: Readonly<Record<string, number>>;
  /** By code. */
  readonly unaugmented: Readonly<Record<string, number>>;
  readonly documents: number;
}

export const NO_EDITS: EditCounts = { passages: 0, edits: 0, kept: 0, refused: {}, unaugmented: {}, documents: 0 };

export function counted(counts: EditCounts, line: AugmentedLine): EditCounts {
  const { number, edit, refused, unaugmented, documents } = line;
  return {
    passages: counts.passages + (number === 0 ? 1 : 0),
    edits: counts.edits + (edit === null ? 0 : 1),
    kept: counts.kept + (edit === null || refused !== null ? 0 : 1),
    refused: refused === null ? counts.refused : increased(counts.refused, refused.reason),
    unaugmented: unaugmented === null ? counts.unaugmented : increased(counts.unaugmented, unaugmented.code),
    documents: counts.documents + documents.length,
  };
}

function increased(counts: Readonly<Record<string, number>>, name: string): Readonly<Record<string, number>> {
  return { ...counts, [name]: (counts[name] ?? 0) + 1 };
}

/** Undefined for a text that is not such a line, as of a disk that lost power. */
export function augmentedLine(text: string): AugmentedLine | undefined {
  return parsedLine(LINE, text);
}

/** The lines of a file, one after the other. @throws INVALID_INPUT for a line of another form */
export async function* augmentedLines(file: FileBytes, path: string): AsyncGenerator<AugmentedLine> {
  for await (const row of rowsOf(file)) {
    const line = 'value' in row ? LINE.safeParse(row.value).data : undefined;
    if (line !== undefined) {
      yield line;
      continue;
    }
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot read line ${row.row} of ${path}: expected a line as "seam edits generate" writes it, got another one. Name its output.`,
      { details: { file: path, row: row.row } },
    );
  }
}
