/** Model folders in the object store, named by their content: pushed once, fetched and checked wherever they are served. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson, isSeamError, SeamError, sha256 } from '@seamstream/kernel';
import type { ObjectStore } from '@seamstream/object-store';
import { z } from 'zod';

interface ObjectsWorld {
  openObjects(): Promise<ObjectStore>;
  /** Aborted: the work stops at the next part. */
  readonly signal: AbortSignal;
}

export interface PushedModel {
  /** SHA-256 of the list of files: the name of the model's content, its tokenizer and settings included. */
  readonly digest: string;
  readonly files: readonly string[];
  readonly sizeBytes: number;
}

export interface FetchedModel {
  readonly digest: string;
  readonly folder: string;
  readonly sizeBytes: number;
  /** False where the folder held the model already. */
  readonly isNew: boolean;
}

/** An object is put whole, so that no more than one part is in memory. */
const PART_BYTES = 64 * 1024 * 1024;
/** A name that is one segment of a key and of a path. */
const FILE_NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$/;
const DIGEST = /^[0-9a-f]{64}$/;

const listSchema = z.strictObject({
  version: z.literal(1),
  files: z
    .array(
      z.strictObject({
        name: z.string().regex(FILE_NAME),
        parts: z.array(z.strictObject({ sha256: z.string().regex(DIGEST), sizeBytes: z.int().positive() })),
      }),
    )
    .min(1),
});
type FileList = z.infer<typeof listSchema>;
type ListedFile = FileList['files'][number];

const listKey = (digest: string): string => `models/${digest}.json`;
const partKey = (digest: string): string => `models/parts/${digest}`;
const sizeOf = ({ files }: FileList): number =>
  files.flatMap(({ parts }) => parts).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

/**
 * Writes a model folder's files into the object store: not its folders, and not what begins with a dot. Parts that are there are not
 * written again. The list comes last, so that an interrupted call leaves no half model.
 * @throws INVALID_INPUT for a folder without config.json, and for a file whose name is not valid in a key
 */
export async function pushModel(
  world: ObjectsWorld,
  folder: string,
  { partBytes = PART_BYTES }: { readonly partBytes?: number } = {},
): Promise<PushedModel> {
  const objects = await world.openObjects();
  const files: ListedFile[] = [];
  for (const name of await modelFiles(folder)) {
    const parts: { sha256: string; sizeBytes: number }[] = [];
    for await (const bytes of partsOf(join(folder, name), () => partBytes)) {
      world.signal.throwIfAborted();
      const digest = sha256(bytes);
      if ((await objects.head(partKey(digest))) === undefined) await putOnce(objects, partKey(digest), bytes);
      parts.push({ sha256: digest, sizeBytes: bytes.length });
    }
    files.push({ name, parts });
  }
  const list: FileList = { version: 1, files };
  const bytes = Buffer.from(canonicalJson(list));
  const digest = sha256(bytes);
  await putOnce(objects, listKey(digest), bytes);
  return { digest, files: files.map(({ name }) => name), sizeBytes: sizeOf(list) };
}

/**
 * Has a pushed model as a folder that is named by its digest. Every byte is compared with the digest, also of a folder that is there: one
 * that is damaged is fetched again. Several processes may fetch one model into one place.
 * @param into where the folder is made
 * @throws NOT_FOUND for a digest that was not pushed; OBJECT_CORRUPT where the store holds something else
 */
export async function fetchModel(
  world: ObjectsWorld,
  { digest, into }: { readonly digest: string; readonly into: string },
): Promise<FetchedModel> {
  if (!DIGEST.test(digest))
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot fetch a model: expected a digest of 64 hexadecimal digits, got "${digest}". Give the one that seam models push printed.`,
    );
  const objects = await world.openObjects();
  const list = await listOf(objects, digest);
  const folder = join(into, digest);
  const fetched = { digest, folder, sizeBytes: sizeOf(list) };
  if (await holds(folder, list)) return { ...fetched, isNew: false };
  const draft = `${folder}.${randomUUID()}`;
  await mkdir(draft, { recursive: true });
  try {
    for (const file of list.files) await fetchFile(world, objects, join(draft, file.name), file);
    await takePlace(draft, folder, list);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return { ...fetched, isNew: true };
}

async function modelFiles(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  for (const name of (await readdir(folder).catch(() => [])).sort()) {
    // What Hugging Face caches are links to files.
    if (name.startsWith('.') || !(await stat(join(folder, name))).isFile()) continue;
    if (!FILE_NAME.test(name))
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot push ${folder}: expected names of letters, digits, ".", "_" and "-", got "${name}". Rename or remove it.`,
      );
    names.push(name);
  }
  if (names.includes('config.json')) return names;
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot push ${folder}: expected a model folder as Hugging Face publishes it, got one without config.json. Name another folder.`,
  );
}

/** A file's bytes in parts, the n-th of at most so many bytes. */
async function* partsOf(path: string, sizeOfPart: (index: number) => number): AsyncGenerator<Buffer> {
  const file = await open(path);
  try {
    for (let index = 0; ; index++) {
      const part = await readPart(file, sizeOfPart(index));
      if (part.length === 0) return;
      yield part;
    }
  } finally {
    await file.close();
  }
}

async function readPart(file: FileHandle, size: number): Promise<Buffer> {
  const part = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await file.read(part, filled, size - filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return part.subarray(0, filled);
}

/** The name follows from the content, so an object that is there already is the same. */
async function putOnce(objects: ObjectStore, key: string, bytes: Uint8Array): Promise<void> {
  try {
    await objects.put(key, bytes, { ifMatch: 'absent' });
  } catch (error) {
    if (!isSeamError(error, 'PRECONDITION_FAILED')) throw error;
  }
}

async function listOf(objects: ObjectStore, digest: string): Promise<FileList> {
  const bytes = await objects.get(listKey(digest)).catch((cause: unknown) => {
    if (!isSeamError(cause, 'OBJECT_NOT_FOUND')) throw cause;
    throw new SeamError(
      'NOT_FOUND',
      `Cannot fetch model ${digest}: expected it in the object store, got nothing. Push it first: seam models push FOLDER.`,
      { cause },
    );
  });
  if (sha256(bytes) !== digest) throw corrupt(listKey(digest));
  return listSchema.parse(JSON.parse(Buffer.from(bytes).toString()));
}

function corrupt(key: string): SeamError {
  return new SeamError(
    'OBJECT_CORRUPT',
    `Cannot use ${key}: expected the content that its name says, got another. Delete it, and push the model again.`,
    { details: { key } },
  );
}

async function fetchFile(
  world: ObjectsWorld,
  objects: ObjectStore,
  path: string,
  { parts }: ListedFile,
): Promise<void> {
  const file = await open(path, 'wx', 0o644);
  try {
    for (const { sha256: digest } of parts) {
      world.signal.throwIfAborted();
      const bytes = await objects.get(partKey(digest));
      if (sha256(bytes) !== digest) throw corrupt(partKey(digest));
      await file.writeFile(bytes);
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Whether a folder has every file of the list, to the last byte. */
async function holds(folder: string, { files }: FileList): Promise<boolean> {
  for (const { name, parts } of files) {
    try {
      const found: string[] = [];
      // One byte beyond the last part is a part too many.
      for await (const bytes of partsOf(join(folder, name), (index) => parts[index]?.sizeBytes ?? 1))
        found.push(sha256(bytes));
      if (found.join() !== parts.map((part) => part.sha256).join()) return false;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  }
  return true;
}

/** Renames the draft into place. Another process may have been there first: its folder is as good, if it is whole. */
async function takePlace(draft: string, folder: string, list: FileList): Promise<void> {
  try {
    await rename(draft, folder);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    if (await holds(folder, list)) return;
    await rm(folder, { recursive: true });
    await rename(draft, folder);
  }
}
