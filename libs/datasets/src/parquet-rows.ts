/**
 * The rows of a Parquet file, one row group in memory at a time. Pages may be plain, Snappy, zstd, gzip or Brotli. Nested columns come as
 * objects and lists, int64 as a number where it fits one, dates as ISO 8601.
 *
 * The file is a stranger's: it is parsed in a thread with limits (docs/adr/0029). Here only its bytes are read, in ranges that are checked.
 */
import { BoundedThreads } from '@seamstream/bounded-work';
import { messageOf, onOneLine, SeamError } from '@seamstream/kernel';
import type { Row } from './dataset.types.js';
import type { FileBytes } from './file-bytes.js';
import type { ParquetPlan, PlanRequest, RowsRequest } from './parquet.tasks.js';

const MAGIC = 'PAR1';
/** Length of the metadata and the magic at the file's end. */
const TAIL_BYTES = 8;
const MAX_METADATA_BYTES = 1 << 26;
/** Compressed bytes of the wanted columns of a row group; writers make groups of some 128 MiB. */
const MAX_GROUP_BYTES = 1 << 29;

/** Compiled by scripts/build.mjs; a thread cannot run TypeScript. */
const THREADS = new BoundedThreads({
  module: new URL('../dist/parquet.worker.js', import.meta.url),
  threads: 2,
  heapMb: 2048,
});
/** An honest file is read at some 20 MiB of compressed pages a second. */
const cpuMs = (bytes: number): number => 2000 + (bytes / (1 << 20)) * 500;
const OUTPUT_BYTES = 1 << 26;

/**
 * Whether the file begins as Parquet does.
 * @throws INVALID_INPUT where its name says so, and it does not
 */
export async function isParquet(file: FileBytes): Promise<boolean> {
  const begin = new TextDecoder('latin1').decode(await file.slice(0, Math.min(MAGIC.length, file.byteLength)));
  if (begin !== MAGIC && file.name?.toLowerCase().endsWith('.parquet') === true)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot read ${onOneLine(file.name)} as Parquet: expected a file that begins with ${MAGIC}, got one that does not. Fetch it again, or give it the name of what it is.`,
      { details: { file: file.name } },
    );
  return begin === MAGIC;
}

/**
 * @param columns top-level columns to read, those that the file has of them; all where absent
 * @throws INVALID_INPUT naming the file when it is cut short, damaged, compressed in a way that is not known, or costs more than its size
 * explains
 */
export async function* parquetRows(file: FileBytes, columns?: readonly string[]): AsyncGenerator<Row> {
  const footer = await footerOf(file);
  const request: PlanRequest = { footer, columns };
  const limits = { cpuMs: cpuMs(footer.byteLength), outputBytes: OUTPUT_BYTES };
  const { wanted, groups } = await THREADS.run<ParquetPlan>('plan', request, limits).catch((error: unknown) => {
    throw damaged(file, messageOf(error), error);
  });
  let row = 0;
  for (const { rows, ranges } of groups) {
    if (!Number.isSafeInteger(row + rows) || rows < 0) throw damaged(file, `a row group of ${rows} rows`);
    if (wanted?.length === 0) {
      yield* emptyRows(row, rows);
      row += rows;
      continue;
    }
    const slices = await slicesOf(file, ranges);
    const size = slices.reduce((bytes, slice) => bytes + slice.bytes.byteLength, 0);
    const request: RowsRequest = { footer, byteLength: file.byteLength, wanted, rowStart: row, rows, slices };
    const limits = { cpuMs: cpuMs(size), outputBytes: OUTPUT_BYTES };
    const pieces = THREADS.pieces<readonly unknown[]>(
      'rows',
      request,
      limits,
      slices.map(({ bytes }) => bytes),
    );
    const end = row + rows;
    for await (const values of throughDamage(file, pieces)) for (const value of values) yield { row: ++row, value };
    if (row !== end) throw damaged(file, `${rows - (end - row)} of ${rows} rows in a row group`);
  }
}

/** Rows of which nothing is wanted: as many as the file says, so others get their turn in between. */
async function* emptyRows(before: number, count: number): AsyncGenerator<Row> {
  for (let row = 1; row <= count; row++) {
    yield { row: before + row, value: {} };
    if (row % 4096 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The metadata with the tail behind it. */
async function footerOf(file: FileBytes): Promise<ArrayBuffer> {
  const tailAt = file.byteLength - TAIL_BYTES;
  if (tailAt < MAGIC.length) throw damaged(file, `a file of ${file.byteLength} bytes`);
  const tail = new DataView(await file.slice(tailAt, file.byteLength));
  const length = tail.getUint32(0, true);
  const magic = new TextDecoder('latin1').decode(new Uint8Array(tail.buffer, 4, 4));
  if (magic !== MAGIC || length > tailAt - MAGIC.length || length > MAX_METADATA_BYTES)
    throw damaged(file, `an end that is no Parquet file's, or metadata of more than ${MAX_METADATA_BYTES} bytes`);
  return file.slice(tailAt - length, file.byteLength);
}

/** Reads ranges that the file names, after they are seen to lie in it. */
async function slicesOf(
  file: FileBytes,
  ranges: readonly (readonly [number, number])[],
): Promise<RowsRequest['slices']> {
  let bytes = 0;
  for (const [start, end] of ranges) {
    if (
      !(
        Number.isSafeInteger(start) &&
        Number.isSafeInteger(end) &&
        start >= 0 &&
        start <= end &&
        end <= file.byteLength
      )
    )
      throw damaged(file, `a column from byte ${start} to ${end} of ${file.byteLength}`);
    bytes += end - start;
  }
  if (bytes > MAX_GROUP_BYTES)
    throw damaged(file, `a row group of ${bytes} bytes where at most ${MAX_GROUP_BYTES} are read`);
  const slices: { start: number; bytes: ArrayBuffer }[] = [];
  for (const [start, end] of ranges) slices.push({ start, bytes: await file.slice(start, end) });
  return slices;
}

async function* throughDamage<T>(file: FileBytes, pieces: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield* pieces;
  } catch (error) {
    throw damaged(file, messageOf(error), error);
  }
}

function damaged({ name = 'a file' }: FileBytes, came: string, cause?: unknown): SeamError {
  return new SeamError(
    'INVALID_INPUT',
    `Cannot read ${name} as Parquet: expected whole pages, plain or compressed with Snappy, zstd, gzip or Brotli, got: ${came}. Fetch the file again, or write it with one of these.`,
    { details: { file: name }, cause },
  );
}
