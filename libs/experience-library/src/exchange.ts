/**
 * Libraries as youtu-agent's practice writes them (TencentCloudADP/youtu-agent): one JSON object of ids and texts, `{"G0": "…", "G1": "…"}`.
 * The form has room for nothing else, so that a round trip keeps ids, texts and their order, and says what it lost.
 */
import { isSeamError, messageOf, SeamError } from '@seamstream/kernel';
import { z } from 'zod';
import { type ExperienceLibrary, type LibraryItem, libraryOf } from './library.js';
import { showsNothing } from './says-nothing.js';

/** As many items as a run may plan for, with room for what their text takes as JSON. */
const MOST_ITEMS = 1000;
const MOST_CHARACTERS = 13_000_000;

const idSchema = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,64}$/, { error: 'expected an id of 1 to 64 letters, digits, dots, dashes or underscores' });
const textSchema = z
  .string({ error: 'expected a text' })
  .min(1, { error: 'expected a text, got an empty one' })
  .max(2000, { error: 'expected a text of at most 2000 characters' })
  .refine((text) => !showsNothing(text), { error: 'expected a text, got one that shows nothing' });

export interface ExportedLibrary {
  /** JSON with a line break at its end. */
  readonly text: string;
  /** In words: what the form cannot hold, with counts. Empty where it holds all. */
  readonly lost: readonly string[];
}

export function exportLibrary({ items, changes, parent }: ExperienceLibrary): ExportedLibrary {
  const counted = (name: string, is: (item: LibraryItem) => boolean): readonly string[] => {
    const number = items.filter(is).length;
    return number === 0 ? [] : [`${name} of ${number} of ${items.length} items`];
  };
  // One line an item: an object would put ids that are numbers first.
  const lines = items.map(({ id, text }) => `  ${JSON.stringify(id)}: ${JSON.stringify(text)}`);
  return {
    text: items.length === 0 ? '{}\n' : `{\n${lines.join(',\n')}\n}\n`,
    lost: [
      ...counted('the groups', ({ provenance }) => provenance.groups.length > 0),
      ...counted('the calls', ({ provenance }) => provenance.calls.length > 0),
      ...counted('the operation', ({ provenance }) => provenance.operation !== 'import'),
      ...counted('the domain', ({ domain }) => domain !== null),
      ...counted('the field', ({ field }) => field !== null),
      ...(parent === null ? [] : ['the library that it was made from']),
      ...(changes.length === 0 ? [] : [`${changes.length} changes with their reasons`]),
    ],
  };
}

/**
 * @param baseModelDigest the frozen model that the library will be for
 * @throws INVALID_INPUT for another form, an id that is there twice, more than 1000 items, and a text that is too long; it names the item
 */
export function importLibrary(text: string, baseModelDigest: string): ExperienceLibrary {
  const refuse = (got: string): never => {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot import a library: expected a JSON object of ids and texts such as {"G0": "When …"}, got ${got}. Correct the file.`,
    );
  };
  const entries = entriesIn(text, refuse);
  if (entries.length === 0) return refuse('no item');
  if (entries.length > MOST_ITEMS) return refuse(`${entries.length} items, more than ${MOST_ITEMS}`);
  for (const [id, each] of entries) {
    const parsed = z.tuple([idSchema, textSchema]).safeParse([id, each]);
    if (!parsed.success) return refuse(`the item ${named(id)}: ${parsed.error.issues[0]!.message}`);
  }
  const items = entries.map(
    ([id, each]): LibraryItem => ({
      ...{ id, text: each, domain: null, field: null },
      provenance: { groups: [], operation: 'import', calls: [] },
    }),
  );
  const changes = items.map(({ id, text: after }) => ({
    ...{ operation: 'import' as const, id, before: null, after },
    reason: 'imported from a file',
  }));
  return libraryOf({ baseModelDigest, parent: null, nextNumber: 1, mostRetrieved: null, items, changes });
}

/** An id of any length and any characters, in a message. */
const named = (id: string): string => JSON.stringify(id.length > 80 ? `${id.slice(0, 80)}…` : id);

/** In the order of the file, which JSON.parse changes for keys that are numbers. */
function entriesIn(source: string, refuse: (got: string) => never): readonly [id: string, text: string][] {
  if (source.length > MOST_CHARACTERS) return refuse(`${source.length} characters, more than ${MOST_CHARACTERS}`);
  const values = valuesIn(source, refuse);
  const own = new Set<string>();
  // JSON.parse keeps the last of two equal keys: the source says what was there.
  for (const key of keysIn(source)) {
    if (!values.has(key)) continue;
    if (own.has(key)) return refuse(`${named(key)} twice`);
    own.add(key);
  }
  return [...own].map((key) => [key, values.get(key) as string]);
}

/** A Map: an object would lose an id such as `__proto__`. */
function valuesIn(source: string, refuse: (got: string) => never): ReadonlyMap<string, unknown> {
  try {
    const value: unknown = JSON.parse(source);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse('another value');
    return new Map(Object.entries(value));
  } catch (error) {
    if (isSeamError(error)) throw error;
    return refuse(`no JSON (${messageOf(error)})`);
  }
}

/** Every string is read once, whether it is a key or not: what a text quotes is no key. */
function keysIn(source: string): readonly string[] {
  return Array.from(source.matchAll(/"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?/g), ([, text, colon]) =>
    colon === undefined ? [] : [JSON.parse(`"${text}"`) as string],
  ).flat();
}
