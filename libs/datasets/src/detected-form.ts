import type { DatasetForm } from './dataset.types.js';
import type { FileBytes } from './file-bytes.js';
import { recognisedForm } from './registry.js';
import { rowsOf } from './rows.js';

/**
 * The form that a file's first row looks like; undefined where it looks like none.
 * @param ofNothing what a file without rows has
 */
export async function detectedForm(file: FileBytes, ofNothing?: DatasetForm): Promise<DatasetForm | undefined> {
  for await (const row of rowsOf(file)) return 'value' in row ? recognisedForm(row.value) : undefined;
  return ofNothing;
}
