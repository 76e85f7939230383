/**
 * The rows of a Parquet file, one row group in memory at a time. Pages may be plain, Snappy (hyparquet's own), zstd, gzip or
 * Brotli. Nested columns come as objects and lists, int64 as a number where it fits one, dates as ISO 8601.
 */
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { messageOf, SeamError } from '@seamstream/kernel';
import { type Compressors, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import type { Row } from './dataset.types.js';
import type { FileBytes } from './file-bytes.js';

const COMPRESSORS: Compressors = {
  ZSTD: (page) => zstdDecompressSync(page),
  GZIP: (page) => gunzipSync(page),
  BROTLI: (page) => brotliDecompressSync(page),
};

const MAGIC = 'PAR1';

/** Whether the file begins as Parquet does. */
export async function isParquet(file: FileBytes): Promise<boolean> {
  return new TextDecoder('latin1').decode(await file.slice(0, Math.min(MAGIC.length, file.byteLength))) === MAGIC;
}

/**
 * @param columns top-level columns to read, those that the file has of them; all where absent
 * @throws INVALID_INPUT naming the file when it is cut short, damaged or compressed in a way that is not known
 */
export async function* parquetRows(file: FileBytes, columns?: readonly string[]): AsyncGenerator<Row> {
  const metadata = await damaged(file, parquetMetadataAsync(file));
  const known = new Set(topLevelColumns(metadata));
  const wanted = columns?.filter((name) => known.has(name));
  let row = 0;
  for (const group of metadata.row_groups) {
    const rowStart = row;
    const rowEnd = rowStart + Number(group.num_rows);
    const values =
      wanted?.length === 0
        ? Array.from({ length: rowEnd - rowStart }, () => ({}))
        : await damaged(
            file,
            parquetReadObjects({
              file,
              metadata,
              compressors: COMPRESSORS,
              rowStart,
              rowEnd,
              ...(wanted === undefined ? {} : { columns: wanted }),
            }),
          );
    for (const value of values) yield { row: ++row, value: plain(value) };
  }
}

function topLevelColumns({ schema }: FileMetaData): string[] {
  const names: string[] = [];
  // The schema is a tree in prefix order: a node is followed by its children.
  let at = 1;
  const skip = (): void => {
    const children = schema[at++]?.num_children ?? 0;
    for (let child = 0; child < children; child++) skip();
  };
  while (at < schema.length) {
    names.push(schema[at]!.name);
    skip();
  }
  return names;
}

async function damaged<T>({ name = 'a file' }: FileBytes, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (cause) {
    throw new SeamError(
      'INVALID_INPUT',
      `Reading ${name} as Parquet: expected whole pages, plain or compressed with Snappy, zstd, gzip or Brotli, came: ${messageOf(cause)}. Fetch the file again, or write it with one of these.`,
      { details: { file: name }, cause },
    );
  }
}

/** The value as JSON could state it. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<unknown>, plain);
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}
