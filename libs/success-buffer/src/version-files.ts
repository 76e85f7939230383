/**
 * Writes the rows of a version as files, and reads them back. Parquet is partitioned by stratum, one file each
 * (`domain=timber/difficulty=hard/part-00000.parquet`); JSON Lines are one file.
 */
import { compareText, SeamError, sha256 } from '@seamstream/kernel';
import type { BufferRow } from './buffer.types.js';
import type { BufferManifest } from './manifest.js';
import { decodeRows, encodePartition, encodeRows, type RowFormat, rowsDigest, splitStratum } from './rows.js';

type ManifestFile = BufferManifest['files'][number];

/** A file of a version, with its place below the version's folder. */
export interface VersionFile {
  readonly path: string;
  readonly stratum: string | undefined;
  readonly rows: number;
  readonly body: Uint8Array;
}

/** Longest value of a partition in a path: a segment of a key has 200 characters, `difficulty=` included. */
const MAX_PATH_VALUE = 180;

/** All rows as files: of each format, in the order given. */
export function encodeVersion(rows: readonly BufferRow[], formats: readonly RowFormat[]): readonly VersionFile[] {
  return formats.flatMap((format): VersionFile[] => {
    if (format === 'jsonl')
      return [{ path: 'rows.jsonl', stratum: undefined, rows: rows.length, body: encodeRows(rows, format) }];
    return [...Map.groupBy(rows, ({ stratum }) => stratum)]
      .sort(([a], [b]) => compareText(a, b))
      .map(([stratum, own]) => ({
        path: `${partitionPath(stratum)}/part-00000.parquet`,
        stratum,
        rows: own.length,
        body: encodePartition(own),
      }));
  });
}

/**
 * The rows that a manifest names, ascending by outcomeId, all or none.
 * @param read the object under a key
 * @throws OBJECT_CORRUPT when a file is not the one that was committed, or the files together are not the version
 */
export async function readVersion(
  manifest: BufferManifest,
  read: (key: string) => Promise<Uint8Array>,
): Promise<BufferRow[]> {
  const rows: BufferRow[] = [];
  for (const file of wholeCopy(manifest)) {
    const body = await read(file.key);
    const came = sha256(body);
    if (came !== file.sha256) throw corrupt(file.key, file.sha256, came);
    const own = await decodeRows(body);
    rows.push(...own);
  }
  rows.sort((a, b) => compareText(a.outcomeId, b.outcomeId));
  const came = rowsDigest(rows);
  if (came !== manifest.bufferDigest)
    throw corrupt(`the files of version ${manifest.sequence}`, manifest.bufferDigest, came);
  return rows;
}

/** Files that hold every row once. */
function wholeCopy({ files }: BufferManifest): readonly ManifestFile[] {
  const partitions = files.filter(({ stratum }) => stratum !== undefined);
  return partitions.length > 0 ? partitions : files.slice(0, 1);
}

/** As Hive writes it: values are percent-encoded, and what reads it decodes them again. */
function partitionPath(stratum: string): string {
  const { domain, difficulty } = splitStratum(stratum);
  return `domain=${pathValue(domain)}/difficulty=${pathValue(difficulty)}`;
}

function pathValue(value: string): string {
  const encoded = encodeURIComponent(value.toWellFormed()).replaceAll('~', '%7E');
  if (encoded.length <= MAX_PATH_VALUE && encoded !== '') return encoded;
  // Too long for a key: a digest names it, and its text cannot be read from the name. The column `stratum` has the whole text.
  return `sha256-${sha256(value)}`;
}

function corrupt(what: string, expected: string, got: string): SeamError {
  return new SeamError(
    'OBJECT_CORRUPT',
    `Cannot read ${what}: expected content with digest ${expected}, got ${got}. Restore the object, or rebuild the buffer from the log.`,
    { details: { key: what, expected, came: got } },
  );
}
