/** Reads preference pairs: two answers to a prompt, of which one is preferred. Nothing is judged by them. */
import { z } from 'zod';
import type { RowFault } from './dataset.types.js';
import { anyText, text } from './fields.js';
import type { FileBytes } from './file-bytes.js';
import { faultsOf } from './row-fault.js';
import { rowsOf } from './rows.js';
import { COMMON_FIELDS } from './seam.form.js';

export interface PreferencePair {
  readonly domain: string;
  readonly prompt: string;
  readonly chosen: string;
  readonly rejected: string;
}

export type PreferenceReading =
  | { readonly status: 'pair'; readonly row: number; readonly pair: PreferencePair }
  | { readonly status: 'faulty'; readonly row: number; readonly faults: readonly RowFault[] };

export const PREFERENCE_EXAMPLE = '{"prompt":"What is 2 + 3?","chosen":"2 + 3 = 5. Answer: 5","rejected":"Answer: 6"}';

/** A pair is one record of the log, which takes 1 MB. */
const MOST_CHARACTERS = 1 << 18;

const pairSchema = z
  .object(
    {
      domain: COMMON_FIELDS.domain,
      prompt: text(),
      chosen: text(),
      rejected: anyText('a text'),
    },
    { error: 'one JSON object' },
  )
  .refine(({ chosen, rejected }) => chosen !== rejected, { path: ['rejected'], error: 'another text than chosen' })
  .refine(({ prompt, chosen, rejected }) => prompt.length + chosen.length + rejected.length <= MOST_CHARACTERS, {
    error: `texts of at most ${MOST_CHARACTERS} characters together`,
  });

/** In the order of the file: JSON Lines, one JSON document or Parquet. Columns of other names are passed over. */
export async function* readPreferences(file: FileBytes): AsyncGenerator<PreferenceReading> {
  for await (const row of rowsOf(file, ['domain', 'prompt', 'chosen', 'rejected'])) {
    if ('fault' in row) {
      yield { status: 'faulty', row: row.row, faults: [row.fault] };
      continue;
    }
    const parsed = pairSchema.safeParse(row.value);
    yield parsed.success
      ? { status: 'pair', row: row.row, pair: parsed.data }
      : { status: 'faulty', row: row.row, faults: faultsOf(row.row, row.value, parsed.error) };
  }
}
