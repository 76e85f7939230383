/** Libraries of experiences in log and object store: shown, compared, followed back, taken out and taken in. */
import { type EventOf, encodeEvent, GENERATOR_SLOT, LIBRARY_METHOD, originMeta } from '@seamstream/events';
import {
  type Change,
  decodeLibrary,
  type ExperienceLibrary,
  type ExportedLibrary,
  encodeLibrary,
  exportLibrary,
  importLibrary,
  isLibraryKey,
  type LibraryDiff,
  libraryDiff,
  libraryKey,
  successorOf,
} from '@seamstream/experience-library';
import { derivedId, SeamError, shortId } from '@seamstream/kernel';
import type { ObjectStore } from '@seamstream/object-store';
import type { AdapterLineage, AdapterVersion } from '@seamstream/read-models';
import type { AdapterWorld } from '../adapters/adapter-world.js';
import { BASE, findAdapter } from '../adapters/find-adapter.js';
import { type ReadingOptions, readLineage } from '../read-models/index.js';

type LibraryWorld = Pick<AdapterWorld, 'openKeptLog' | 'openObjects'>;

/** A library with what the log says of it. */
export interface PublishedLibrary {
  readonly library: ExperienceLibrary;
  readonly version: AdapterVersion;
}

/** Where libraries are found: the lineage names them, the object store has them. */
export interface LibraryShelf {
  readonly lineage: AdapterLineage;
  openObjects(): Promise<ObjectStore>;
}

async function shelfOf(world: LibraryWorld, options: ReadingOptions): Promise<LibraryShelf> {
  const { answer: lineage } = await readLineage(await world.openKeptLog(), options);
  return { lineage, openObjects: () => world.openObjects() };
}

/** @param word `served`, or the first digits of a digest. @throws NOT_FOUND; INVALID_INPUT for weights; ADAPTER_INVALID */
export async function readLibrary(
  world: LibraryWorld,
  word: string,
  options: ReadingOptions,
): Promise<PublishedLibrary> {
  return libraryOn(await shelfOf(world, options), word);
}

/** As {@link readLibrary}, of a lineage that was read before. */
export function libraryOn(shelf: LibraryShelf, word: string): Promise<PublishedLibrary> {
  return load(shelf, findAdapter(shelf.lineage, word));
}

async function load(
  { openObjects }: Pick<LibraryShelf, 'openObjects'>,
  version: AdapterVersion,
): Promise<PublishedLibrary> {
  const { adapterDigest: digest, key } = version;
  if (!isLibraryKey(key))
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot read ${shortId(digest)} as a library: expected texts, got weights. "seam adapters show" shows them.`,
    );
  const objects = await openObjects();
  return { library: decodeLibrary(await objects.get(key), { digest }), version };
}

export interface ComparedLibraries {
  /** Digests; null is the empty library. */
  readonly before: string | null;
  readonly after: string | null;
  readonly diff: LibraryDiff;
}

/** What differs between two libraries. @param words each as for {@link readLibrary}; `base` is the empty library */
export async function compareLibraries(
  world: LibraryWorld,
  words: { readonly before: string; readonly after: string },
  options: ReadingOptions,
): Promise<ComparedLibraries> {
  return comparedOn(await shelfOf(world, options), words);
}

/** As {@link compareLibraries}, of a lineage that was read before. */
export async function comparedOn(
  shelf: LibraryShelf,
  words: { readonly before: string; readonly after: string },
): Promise<ComparedLibraries> {
  const open = async (word: string): Promise<ExperienceLibrary | null> =>
    word === BASE ? null : (await libraryOn(shelf, word)).library;
  const [before, after] = [await open(words.before), await open(words.after)];
  const empty = successorOf(null, { baseModelDigest: '' });
  return {
    before: before?.digest ?? null,
    after: after?.digest ?? null,
    diff: libraryDiff(before ?? empty, after ?? empty),
  };
}

export interface HistoryStep {
  readonly digest: string;
  readonly parent: string | null;
  readonly runId: string;
  readonly publishedAtMs: number;
  readonly status: AdapterVersion['status'];
  readonly items: number;
  readonly changes: readonly Change[];
}

/** How a library came about, the oldest step first. */
export async function libraryHistory(
  world: LibraryWorld,
  word: string,
  options: ReadingOptions,
): Promise<readonly HistoryStep[]> {
  const shelf = await shelfOf(world, options);
  const { lineage } = shelf;
  const steps: HistoryStep[] = [];
  for (let at: AdapterVersion | undefined = findAdapter(lineage, word); at !== undefined; ) {
    const { library, version } = await load(shelf, at);
    const { adapterDigest: digest, runId, publishedAt, status } = version;
    const { parent, items, changes } = library;
    steps.unshift({ digest, parent, runId, publishedAtMs: publishedAt, status, items: items.length, changes });
    // A parent was published before: a chain that leads back to itself ends.
    at = parent === null || steps.some((step) => step.digest === parent) ? undefined : parentOf(lineage, parent);
  }
  return steps;
}

function parentOf({ versions }: AdapterLineage, digest: string): AdapterVersion | undefined {
  return versions.find(({ adapterDigest }) => adapterDigest === digest);
}

/** In the JSON that youtu-agent's practice writes, with what that cannot hold. */
export async function takeLibraryOut(
  world: LibraryWorld,
  word: string,
  options: ReadingOptions,
): Promise<ExportedLibrary & { readonly digest: string; readonly items: number }> {
  const { library } = await readLibrary(world, word, options);
  return { ...exportLibrary(library), digest: library.digest, items: library.items.length };
}

/**
 * Publishes the library of such a file, unless the log has it. What serves stays as it is.
 * @param request JSON, and the person who publishes it
 * @throws INVALID_INPUT for another form
 */
export async function takeLibraryIn(
  world: AdapterWorld,
  { text, by }: { readonly text: string; readonly by: string },
  options: ReadingOptions,
): Promise<{ readonly library: ExperienceLibrary; readonly isNew: boolean }> {
  const base = await world.openBaseModel();
  const library = importLibrary(text, base.checkpoint.digest);
  // Of a log that may not be there yet.
  const log = await world.openLog('create');
  const { versions } = (await readLineage(await world.openKeptLog(), options)).answer;
  const isNew = !versions.some(({ adapterDigest }) => adapterDigest === library.digest);
  if (isNew) {
    const body = encodeLibrary(library);
    const key = libraryKey(library.digest);
    const objects = await world.openObjects();
    await objects.put(key, body, { contentType: 'application/json' });
    const stored = { key, sizeBytes: body.length };
    const event = importedEvent(library, stored, await base.fingerprint(), world.clock.now());
    await log.append([encodeEvent({ ...event, publishedBy: by })]);
  }
  return { library, isNew };
}

function importedEvent(
  { digest, baseModelDigest, items }: ExperienceLibrary,
  stored: { readonly key: string; readonly sizeBytes: number },
  fingerprint: string,
  occurredAt: number,
): EventOf<'AdapterPublished'> {
  return {
    type: 'AdapterPublished',
    ...{ method: LIBRARY_METHOD, slot: GENERATOR_SLOT, engine: null, attestation: null },
    artefact: { kind: 'library', digest, address: stored.key },
    meta: originMeta({
      ...{ messageId: derivedId(digest, 'imported'), correlationId: digest },
      ...{ source: 'seam/cli', occurredAt, sourceClass: 'user' },
    }),
    adapterDigest: digest,
    ...stored,
    // Older readers know two kinds: what is no difference to something else is whole.
    kind: 'full',
    ...{ baseModelDigest, parent: null, algorithm: 'import', inputs: [], manifestDigest: null, fingerprint },
    // No run made it: the id follows from the content, and no run has it.
    runId: derivedId(digest, 'import'),
    metrics: { items: items.length },
  };
}
