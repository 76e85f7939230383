/**
 * A library of experiences: short texts that help a frozen model, as an artefact. Its bytes are canonical JSON and its digest is their
 * SHA-256, so equal libraries are one object. It says what it was made from (its parent) and by which changes, so that a chain of
 * libraries is their history. Ids are never given to another item, and never change.
 */
import { canonicalJson, messageOf, SeamError, sha256 } from '@seamstream/kernel';
import { z } from 'zod';

const LIBRARY_FORMAT = 'seamstream.experience-library/1';

const idSchema = z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/);
/** Longer than any word limit allows, and short enough for any prompt. */
const textSchema = z.string().min(1).max(2000);

const provenanceSchema = z.strictObject({
  /** Ids of the groups whose attempts speak for the text, sorted. */
  groups: z.array(z.string()),
  /** What brought the text: an operation, or `import`. */
  operation: z.enum(['add', 'modify', 'merge', 'import']),
  /** Ids of the recorded replies of a model that proposed it, sorted; none where no model was asked. */
  calls: z.array(z.string()),
  /** Items that it was merged from, sorted. */
  mergedFrom: z.array(idSchema).optional(),
});

const itemSchema = z.strictObject({
  id: idSchema,
  text: textSchema,
  /** Problems that it is for; null: all. */
  domain: z.string().nullable(),
  /** The field of an entry that it is written into; null: wherever texts stand. */
  field: z.string().nullable(),
  provenance: provenanceSchema,
});

const changeSchema = z.strictObject({
  operation: z.enum(['add', 'modify', 'merge', 'delete', 'keep', 'import']),
  /** What it acts on, sorted: the new item of add, merge and import, otherwise the item itself. */
  id: idSchema,
  before: z.string().nullable(),
  after: z.string().nullable(),
  reason: z.string(),
});

const contentSchema = z.strictObject({
  format: z.literal(LIBRARY_FORMAT),
  /** The frozen model that it is for. */
  baseModelDigest: z.string(),
  /** Digest of the library that it was made from; null: the empty one. */
  parent: z.string().nullable(),
  /** The next new id is e<nextNumber>. */
  nextNumber: z.int().min(1),
  /** Most items that one problem gets, the best by BM25; null: all. */
  mostRetrieved: z.int().positive().nullable(),
  items: z.array(itemSchema),
  /** From the parent to this, in the order in which they are applied. */
  changes: z.array(changeSchema),
});

export type Provenance = Readonly<z.infer<typeof provenanceSchema>>;
export type LibraryItem = Readonly<z.infer<typeof itemSchema>>;
export type Change = Readonly<z.infer<typeof changeSchema>>;

export interface ExperienceLibrary {
  readonly kind: 'library';
  /** SHA-256 of {@link encodeLibrary}. */
  readonly digest: string;
  readonly baseModelDigest: string;
  readonly parent: string | null;
  readonly nextNumber: number;
  readonly mostRetrieved: number | null;
  /** In the order in which they came. */
  readonly items: readonly LibraryItem[];
  readonly changes: readonly Change[];
}

export type LibraryContent = Omit<ExperienceLibrary, 'kind' | 'digest'>;

/** The library of a content, with its digest. @throws INTERNAL where two items have one id */
export function libraryOf(content: LibraryContent): ExperienceLibrary {
  if (new Set(content.items.map(({ id }) => id)).size < content.items.length)
    throw new SeamError('INTERNAL', 'Cannot make a library: expected different ids, got one twice.');
  return { kind: 'library', ...content, digest: sha256(encodeLibrary(content)) };
}

/** What changes to a library begin with: its items, and itself as the parent. @param parent null: the empty library */
export function successorOf(
  parent: ExperienceLibrary | null,
  {
    baseModelDigest,
    mostRetrieved = null,
  }: { readonly baseModelDigest: string; readonly mostRetrieved?: number | null },
): ExperienceLibrary {
  const { digest = null, nextNumber = 1, items = [] } = parent ?? {};
  return libraryOf({ baseModelDigest, parent: digest, nextNumber, mostRetrieved, items, changes: [] });
}

/** Canonical JSON and a line break: equal libraries have equal bytes. */
export function encodeLibrary(library: LibraryContent): Uint8Array {
  const { baseModelDigest, parent, nextNumber, mostRetrieved, items, changes } = library;
  const content = { format: LIBRARY_FORMAT, baseModelDigest, parent, nextNumber, mostRetrieved, items, changes };
  return Buffer.from(`${canonicalJson(content)}\n`);
}

/**
 * @param expected what the library has to be
 * @throws ADAPTER_INVALID when the bytes are no library, or another one
 */
export function decodeLibrary(
  bytes: Uint8Array,
  expected: { readonly digest?: string; readonly baseModelDigest?: string } = {},
): ExperienceLibrary {
  const refuse = (what: string): never => {
    throw new SeamError('ADAPTER_INVALID', `Cannot read a library: ${what}. Publish it again.`);
  };
  let parsed: z.infer<typeof contentSchema>;
  try {
    parsed = contentSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch (error) {
    return refuse(`expected canonical JSON of the format ${LIBRARY_FORMAT}, got other bytes (${faultIn(error)})`);
  }
  const { baseModelDigest, parent, nextNumber, mostRetrieved, items, changes } = parsed;
  const content = { baseModelDigest, parent, nextNumber, mostRetrieved, items, changes };
  if (new Set(content.items.map(({ id }) => id)).size < content.items.length)
    refuse('expected different ids, got one twice');
  const library = libraryOf(content);
  if (!Buffer.from(bytes).equals(encodeLibrary(library)))
    refuse('expected canonical JSON, got the same in other bytes');
  if (expected.digest !== undefined && expected.digest !== library.digest)
    refuse(`expected digest ${expected.digest}, got ${library.digest}`);
  if (expected.baseModelDigest !== undefined && expected.baseModelDigest !== library.baseModelDigest)
    refuse(`expected one for base model ${expected.baseModelDigest}, got one for ${library.baseModelDigest}`);
  return library;
}

function faultIn(error: unknown): string {
  if (!(error instanceof z.ZodError)) return messageOf(error);
  const [issue] = error.issues;
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`;
}

/** Where a library lies in the object store. */
export function libraryKey(digest: string): string {
  return `libraries/${digest}.json`;
}

export function isLibraryKey(key: string): boolean {
  return /^libraries\/[0-9a-f]{64}\.json$/.test(key);
}

/** Of a text of so many words, at most: scripts without blanks would pass any limit of words. */
export function mostCharactersOf(words: number): number {
  return words * 12;
}
