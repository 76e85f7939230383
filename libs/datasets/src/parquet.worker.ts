/**
 * Thread that reads Parquet: hyparquet takes a file at its word, so what it computes, allocates and answers has limits here. It never sees
 * more of a file than the ranges of bytes that were read for it.
 */
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { answerTasks, BufferLimit } from '@seamstream/bounded-work';
import { isSeamError, messageOf, SeamError } from '@seamstream/kernel';
import type { AsyncBuffer, ColumnMetaData, Compressors, FileMetaData, RowGroup } from 'hyparquet';
import type { GroupRange, ParquetPlan, PlanRequest, RowsRequest } from './parquet.tasks.js';

/** Buffers of one task: a row group with all that is decompressed of it. */
const BUFFER_BYTES = 1 << 30;
const buffers = new BufferLimit(BUFFER_BYTES);
// It keeps the constructors that it finds.
const { parquetMetadata, parquetReadObjects, snappyUncompress } = await import('hyparquet');

/** Bytes of a page when decompressed; writers make pages of one or a few MiB. */
const MAX_PAGE_BYTES = 1 << 28;
/** Rows that are answered together: as many, or of as much text. */
const PIECE = { rows: 4096, characters: 1 << 20 };

const sized = (bytes: number): number => {
  if (!(bytes >= 0 && bytes <= MAX_PAGE_BYTES))
    throw new RangeError(`a page of ${bytes} bytes where at most ${MAX_PAGE_BYTES} are read`);
  return bytes;
};
/** What native code makes is counted like any other buffer. */
const counted = (bytes: number): { readonly maxOutputLength: number } => ({
  maxOutputLength: Math.max(1, new Uint8Array(sized(bytes)).length),
});
const COMPRESSORS: Compressors = {
  ZSTD: (page, bytes) => zstdDecompressSync(page, counted(bytes)),
  GZIP: (page, bytes) => gunzipSync(page, counted(bytes)),
  BROTLI: (page, bytes) => brotliDecompressSync(page, counted(bytes)),
  SNAPPY: (page, bytes) => {
    const output = new Uint8Array(sized(bytes));
    snappyUncompress(page, output);
    return output;
  },
};

answerTasks(
  {
    plan: ({ footer, columns }: PlanRequest): ParquetPlan => {
      const metadata = parquetMetadata(footer);
      const wanted = columns?.filter((name) => topLevelColumns(metadata).has(name));
      return { wanted, groups: metadata.row_groups.map((group) => rangeOf(group, wanted)) };
    },
    rows: async function* ({ footer, byteLength, slices, wanted, rowStart, rows }: RowsRequest) {
      const file: AsyncBuffer = { byteLength, slice: (start, end = byteLength) => assembled(slices, start, end) };
      const values = await settled(
        parquetReadObjects({
          file,
          metadata: parquetMetadata(footer),
          compressors: COMPRESSORS,
          rowStart,
          rowEnd: rowStart + rows,
          ...(wanted === undefined ? {} : { columns: [...wanted] }),
        }),
      );
      let piece: unknown[] = [];
      let characters = 0;
      for (const value of values) {
        const row = plain(value);
        piece.push(row);
        characters += charactersIn(row, PIECE.characters);
        if (piece.length < PIECE.rows && characters < PIECE.characters) continue;
        yield piece;
        piece = [];
        characters = 0;
      }
      if (piece.length > 0) yield piece;
    },
  },
  buffers,
);

/** Columns are read side by side, without waiting for anything: one turn later all have stopped, whichever failed first. */
async function settled<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    await new Promise((resolve) => setImmediate(resolve));
    throw isSeamError(error) ? error : new SeamError('INVALID_INPUT', messageOf(error), { cause: error });
  }
}

function topLevelColumns({ schema }: FileMetaData): Set<string> {
  const names = new Set<string>();
  // The schema is a tree in prefix order: a node is followed by its children.
  let open = 0;
  for (const { name, num_children = 0 } of schema.slice(1)) {
    if (open === 0) names.add(name);
    else open--;
    open += num_children;
  }
  return names;
}

/** Rows of a group, and where the bytes of its wanted columns lie. */
function rangeOf({ num_rows, columns }: RowGroup, wanted: readonly string[] | undefined): GroupRange {
  const ranges = columns.flatMap(({ meta_data }) =>
    meta_data === undefined || wanted?.includes(meta_data.path_in_schema[0]!) === false ? [] : [bytesOf(meta_data)],
  );
  return { rows: Number(num_rows), ranges };
}

function bytesOf(column: ColumnMetaData): readonly [number, number] {
  // Zero is no place of a page: the file begins with its magic.
  const start = Number(column.dictionary_page_offset ?? 0) || Number(column.data_page_offset);
  return [start, start + Number(column.total_compressed_size)];
}

/** Bytes of the file as far as they were read; between the ranges, which are not read, zeros. */
function assembled(slices: RowsRequest['slices'], start: number, end: number): ArrayBuffer {
  const whole = slices.find((slice) => slice.start <= start && end <= slice.start + slice.bytes.byteLength);
  if (whole !== undefined) return whole.bytes.slice(start - whole.start, end - whole.start);
  const bytes = new Uint8Array(end - start);
  for (const slice of slices) {
    const from = Math.max(start, slice.start);
    const to = Math.min(end, slice.start + slice.bytes.byteLength);
    if (from < to) bytes.set(new Uint8Array(slice.bytes, from - slice.start, to - from), from - start);
  }
  return bytes.buffer;
}

/** The value as JSON could state it. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return Number.isFinite(value.getTime()) ? value.toISOString() : null;
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<unknown>, plain);
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}

/** Characters of the texts in a row, counted until there are enough. */
function charactersIn(value: unknown, enough: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  let characters = 1;
  for (const inner of Object.values(value)) {
    characters += charactersIn(inner, enough);
    if (characters > enough) break;
  }
  return characters;
}
