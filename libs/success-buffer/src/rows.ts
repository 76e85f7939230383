/**
 * Rows as files. JSON Lines for people: one canonical JSON object per line, and the SHA-256 of that text is the buffer's
 * digest. Parquet for machines: one row group per 10,000 rows, zstd, lists in the three-level form of the specification
 * (https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#lists). Equal rows give equal bytes.
 *
 * Stored Parquet is partitioned by stratum in Hive's way, `domain=…/difficulty=…/part-….parquet`: readers make columns of
 * such names, and refuse a file that has one of them itself. So these files lack `domain`; `stratum` contains it.
 */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { canonicalJson, messageOf, SeamError, sha256 } from '@seamstream/kernel';
import { parquetReadObjects, type SchemaElement } from 'hyparquet';
import { ByteWriter, parquetWrite } from 'hyparquet-writer';
import { z } from 'zod';
import type { BufferRow } from './buffer.types.js';

export type RowFormat = 'parquet' | 'jsonl';

const PARQUET_MAGIC = 'PAR1';
const ROW_GROUP_SIZE = 10_000;

const rowSchema = z.strictObject({
  outcomeId: z.string(),
  experienceId: z.string(),
  problemId: z.string(),
  domain: z.string(),
  stratum: z.string(),
  prompt: z.string(),
  entry: z.string(),
  promptTokenIds: z.array(z.int()),
  tokenIds: z.array(z.int()),
  forced: z.array(z.boolean()),
  reward: z.number(),
  helpfulness: z.number(),
  adapterDigest: z.string().nullable(),
  baseModelDigest: z.string().nullable(),
}) satisfies z.ZodType<BufferRow>;

const text = (name: string, repetition_type: 'REQUIRED' | 'OPTIONAL' = 'REQUIRED'): SchemaElement[] => [
  { name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type },
];
const number = (name: string): SchemaElement[] => [{ name, type: 'DOUBLE', repetition_type: 'REQUIRED' }];
const list = (name: string, type: 'INT32' | 'BOOLEAN'): SchemaElement[] => [
  { name, repetition_type: 'REQUIRED', converted_type: 'LIST', num_children: 1 },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  { name: 'element', type, repetition_type: 'REQUIRED' },
];

const COLUMNS: Record<keyof BufferRow, SchemaElement[]> = {
  outcomeId: text('outcomeId'),
  experienceId: text('experienceId'),
  problemId: text('problemId'),
  domain: text('domain'),
  stratum: text('stratum'),
  prompt: text('prompt'),
  entry: text('entry'),
  promptTokenIds: list('promptTokenIds', 'INT32'),
  tokenIds: list('tokenIds', 'INT32'),
  forced: list('forced', 'BOOLEAN'),
  reward: number('reward'),
  helpfulness: number('helpfulness'),
  adapterDigest: text('adapterDigest', 'OPTIONAL'),
  baseModelDigest: text('baseModelDigest', 'OPTIONAL'),
};
const COLUMN_NAMES = Object.keys(COLUMNS) as (keyof BufferRow)[];
const PARTITION_COLUMN_NAMES = COLUMN_NAMES.filter((name) => name !== 'domain');

/** A row as a line of canonical JSON, line feed included. */
export function rowLine(row: BufferRow): string {
  return `${canonicalJson(row)}\n`;
}

function jsonLines(rows: readonly BufferRow[]): string {
  return rows.map(rowLine).join('');
}

/** SHA-256 of the rows' JSON Lines: the buffer's digest, whichever format is stored. */
export function rowsDigest(rows: readonly BufferRow[]): string {
  return sha256(jsonLines(rows));
}

/** The rows as the bytes of a file, in the given order. */
export function encodeRows(rows: readonly BufferRow[], format: RowFormat): Uint8Array {
  return format === 'jsonl' ? new TextEncoder().encode(jsonLines(rows)) : encodeParquet(rows, COLUMN_NAMES);
}

/** Rows of one stratum as the Parquet file of a partition. */
export function encodePartition(rows: readonly BufferRow[]): Uint8Array {
  return encodeParquet(rows, PARTITION_COLUMN_NAMES);
}

function encodeParquet(rows: readonly BufferRow[], names: readonly (keyof BufferRow)[]): Uint8Array {
  const writer = new ByteWriter();
  void parquetWrite({
    writer,
    schema: [{ name: 'row', num_children: names.length }, ...names.flatMap((name) => COLUMNS[name])],
    columnData: names.map((name) => ({ name, data: rows.map((row) => row[name]) })),
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
    rowGroupSize: ROW_GROUP_SIZE,
    createdBy: 'seamstream',
  });
  return new Uint8Array(writer.getBuffer());
}

/** The rows of a file in either format. OBJECT_CORRUPT when the bytes are neither, or a row lacks a field. */
export async function decodeRows(bytes: Uint8Array): Promise<BufferRow[]> {
  try {
    const rows =
      new TextDecoder().decode(bytes.subarray(0, 4)) === PARQUET_MAGIC
        ? await readParquet(bytes)
        : readJsonLines(bytes);
    return z.array(rowSchema).parse(rows);
  } catch (cause) {
    throw new SeamError(
      'OBJECT_CORRUPT',
      `Cannot read buffer rows: expected a Parquet or JSON Lines file of buffer rows, got ${bytes.length} bytes that are not (${messageOf(cause)}). Compare the SHA-256 with the manifest, and restore the object.`,
      { cause },
    );
  }
}

async function readParquet(bytes: Uint8Array): Promise<unknown[]> {
  const file = bytes.slice().buffer;
  const rows = await parquetReadObjects({ file, compressors: { ZSTD: (page) => zstdDecompressSync(page) } });
  return rows.map((row) =>
    'domain' in row || typeof row.stratum !== 'string' ? row : { ...row, domain: splitStratum(row.stratum).domain },
  );
}

/** A stratum, `domain/difficulty`, in its parts; a domain may have slashes. */
export function splitStratum(stratum: string): { readonly domain: string; readonly difficulty: string } {
  const at = stratum.lastIndexOf('/');
  return { domain: stratum.slice(0, at), difficulty: stratum.slice(at + 1) };
}

function readJsonLines(bytes: Uint8Array): unknown[] {
  const lines = new TextDecoder('utf-8', { fatal: true }).decode(bytes).split('\n');
  return lines.filter((line) => line !== '').map((line): unknown => JSON.parse(line));
}
