/**
 * An expert as one file: a tar archive whose first entry is the manifest, a list of the other entries with their sizes and digests. The
 * manifest is canonical JSON with nothing else in it, so that no byte of it can change unseen. Its digest names the expert. Pure.
 */
import { canonicalJson, SeamError, sha256 } from '@seamstream/kernel';
import { type ParsedTarEntryWithData, packTar, unpackTar } from 'modern-tar';
import { z } from 'zod';

/** Files by their names in the archive. */
export type ExpertFiles = ReadonlyMap<string, Uint8Array>;

const MANIFEST = 'manifest.json';
const MOST_FILES = 128;
/** A tar archive is not compressed: nothing in it is larger than the archive. */
export const MOST_ARCHIVE_BYTES = 2 ** 30;
/** No segment begins with a dot or is empty, so no name leads out of a folder. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}(?:\/[A-Za-z0-9_][A-Za-z0-9._-]{0,63}){0,3}$/;
/** Fits into tar's own field. */
const MOST_NAME = 100;

const manifestSchema = z.strictObject({
  version: z.literal(1),
  files: z
    .array(
      z.strictObject({
        name: z.string().max(MOST_NAME).regex(NAME),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
        sizeBytes: z.int().nonnegative().max(MOST_ARCHIVE_BYTES),
      }),
    )
    .min(1)
    .max(MOST_FILES),
});

export interface ExpertArchive {
  /** SHA-256 of the manifest, and so the name of all that is in the archive. */
  readonly digest: string;
  readonly files: ExpertFiles;
}

/** The archive of these files. Equal files give equal bytes. @throws INVALID_INPUT for a name that no archive may hold, or too much */
export async function packExpert(files: ExpertFiles): Promise<{ readonly digest: string; readonly bytes: Uint8Array }> {
  const names = [...files.keys()].sort();
  const manifest = {
    version: 1,
    files: names.map((name) => ({
      name,
      sha256: sha256(files.get(name)!),
      sizeBytes: files.get(name)!.length,
    })),
  };
  const { error } = manifestSchema.safeParse(manifest);
  if (error !== undefined)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot write an expert: expected at most ${MOST_FILES} files with plain names, got ${faultOf(error)}. Carry less.`,
    );
  const text = Buffer.from(canonicalJson(manifest));
  const entries = [[MANIFEST, text] as const, ...names.map((name) => [name, files.get(name)!] as const)];
  const bytes = await packTar(
    entries.map(([name, body]) => ({
      // The time of an entry says nothing, and must not change the archive.
      header: { name, size: body.length, type: 'file', mode: 0o644, mtime: new Date(0), uid: 0, gid: 0 },
      body,
    })),
  );
  if (bytes.length > MOST_ARCHIVE_BYTES)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot write an expert: expected at most ${MOST_ARCHIVE_BYTES} bytes, got ${bytes.length}. Carry less.`,
    );
  return { digest: sha256(text), bytes };
}

/**
 * The files of an archive, each compared with its digest. The entries are exactly those of the manifest, in its order: nothing is there
 * twice, moved, added or missing, and all are plain files.
 * @throws ADAPTER_INVALID for everything else
 */
export async function unpackExpert(bytes: Uint8Array): Promise<ExpertArchive> {
  if (bytes.length > MOST_ARCHIVE_BYTES) throw broken(`at most ${MOST_ARCHIVE_BYTES} bytes`, `${bytes.length}`);
  const [first, ...rest] = await entriesOf(bytes);
  const manifest = manifestIn(first);
  if (rest.length !== manifest.files.length)
    throw broken(`the ${manifest.files.length} files of its manifest`, `${rest.length}`);
  const files = new Map<string, Uint8Array>();
  for (const [at, listed] of manifest.files.entries()) {
    const body = plainFile(rest[at]!, listed.name);
    if (body.length !== listed.sizeBytes || sha256(body) !== listed.sha256)
      throw broken(`${listed.name} with the digest ${listed.sha256.slice(0, 12)}…`, 'another content');
    files.set(listed.name, body);
  }
  if (files.size !== rest.length) throw broken('each name once in its manifest', 'one twice');
  return { digest: sha256(first!.data!), files };
}

async function entriesOf(bytes: Uint8Array): Promise<readonly ParsedTarEntryWithData[]> {
  try {
    return await unpackTar(bytes, { strict: true });
  } catch (cause) {
    throw broken('a tar archive', 'another file, or a damaged one', cause);
  }
}

function manifestIn(entry: ParsedTarEntryWithData | undefined): z.infer<typeof manifestSchema> {
  if (entry === undefined) throw broken(`${MANIFEST} first`, 'an empty archive');
  const text = Buffer.from(plainFile(entry, MANIFEST)).toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw broken(`${MANIFEST} to be JSON`, 'another text', cause);
  }
  const { data, error } = manifestSchema.safeParse(value);
  if (data === undefined) throw broken(`${MANIFEST} with version 1 and the list of files`, faultOf(error));
  if (canonicalJson(data) !== text) throw broken(`${MANIFEST} in its canonical form`, 'another spelling');
  return data;
}

/** The content of the entry that is to have this name. Links, folders and devices are refused. */
function plainFile({ header, data }: ParsedTarEntryWithData, name: string): Uint8Array {
  const { type = 'file', linkname = '' } = header;
  if (header.name !== name) throw broken(`the file ${name}`, `one of another name`);
  if (type !== 'file' || linkname !== '' || data === undefined) throw broken(`${name} to be a plain file`, type);
  return data;
}

/** Where it is wrong and how; never the value, which is a stranger's. */
function faultOf({ issues: [issue] }: z.ZodError): string {
  return issue === undefined
    ? 'something else'
    : `a fault at ${issue.path.map(String).join('.') || 'its top'}: ${issue.code}`;
}

function broken(expected: string, got: string, cause?: unknown): SeamError {
  return new SeamError(
    'ADAPTER_INVALID',
    `Cannot read the archive of an expert: expected ${expected}, got ${got}. Have it sent again.`,
    { cause },
  );
}
