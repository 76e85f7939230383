/**
 * Libraries as youtu-agent's practice writes them (TencentCloudADP/youtu-agent): one JSON object of ids and texts, `{"G0": "…", "G1": "…"}`.
 * The form has room for nothing else, so that a round trip keeps ids, texts and their order, and says what it lost.
 */
import { messageOf, SeamError } from '@seamstream/kernel';
import { z } from 'zod';
import { type ExperienceLibrary, type LibraryItem, libraryOf } from './library.js';
import { showsNothing } from './says-nothing.js';

const formSchema = z.record(
  z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/),
  z
    .string()
    .min(1)
    .max(2000)
    .refine((text) => !showsNothing(text), { error: 'expected a text, got one that shows nothing' }),
);

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
 * @throws INVALID_INPUT for another form, and for an id that is there twice
 */
export function importLibrary(text: string, baseModelDigest: string): ExperienceLibrary {
  const refuse = (got: string): never => {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot import a library: expected a JSON object of ids and texts such as {"G0": "When …"}, got ${got}. Correct the file.`,
    );
  };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refuse(`no JSON (${messageOf(error)})`);
  }
  const parsed = formSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refuse(
      `${['', undefined].includes(issue?.path.join('.')) ? 'the whole' : issue?.path.join('.')}: ${issue?.message}`,
    );
  }
  const entries = orderedEntries(text, parsed.data);
  if (entries.length === 0) return refuse('no item');
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

  function orderedEntries(source: string, values: Readonly<Record<string, string>>): [string, string][] {
    // JSON.parse keeps the last of two equal keys, and puts keys that are numbers first: the source says what was there.
    const keys = [...source.matchAll(/"((?:[^"\\]|\\.)*)"\s*:/g)].map(([, key]) => JSON.parse(`"${key}"`) as string);
    const own = keys.filter((key) => Object.hasOwn(values, key));
    const repeated = own.find((key, at) => own.indexOf(key) !== at);
    if (repeated !== undefined) refuse(`${repeated} twice`);
    return own.map((key) => [key, values[key]!]);
  }
}
