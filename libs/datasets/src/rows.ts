import { asOneTestEach } from './arc.form.js';
import type { Row } from './dataset.types.js';
import type { FileBytes } from './file-bytes.js';
import { jsonDocumentRows } from './json-document.js';
import { jsonLineRows } from './json-lines.js';
import { isParquet, parquetRows } from './parquet-rows.js';

/**
 * The rows of a file in their order: Parquet or one JSON document where it begins so, else JSON Lines.
 * @param columns top-level columns that are needed; the others of a Parquet file are not read
 */
export async function* rowsOf(file: FileBytes, columns?: readonly string[]): AsyncGenerator<Row> {
  if (await isParquet(file)) yield* parquetRows(file, columns);
  else yield* asOneTestEach((await jsonDocumentRows(file)) ?? jsonLineRows(file));
}
