/**
 * A data set of passages with an edit for each, written by a model. Passages stream, lines are on the disk as they come, and the same command
 * continues where it stopped. What was written before is taken from the cache.
 *
 *   passages ─► cache ─► writer (in batches, in time, a few tries) ─► filters ─► a line per edit, in the order of the passages
 */
import { join } from 'node:path';
import { canonicalJson, type ErrorCode, plural, SeamError, sha256 } from '@seamstream/kernel';
import {
  type EditKeyParts,
  type EditWriter,
  type FinalOutcome,
  ownSelfEditKind,
  selfEditKind,
  type TextSimilarity,
  writeEdits,
} from '@seamstream/self-edits';
import type { GrowingOutput } from '../evaluate/asking-world.js';
import type { ReadingOptions } from '../read-models/kept-log.js';
import type { AugmentedLine, EditCounts } from './augmented-line.js';
import { DEFAULT_CACHE_BYTES, EditCache } from './edit-cache.js';
import { EditWork, type Item, withoutEdit } from './edit-work.js';
import type { EditsWorld } from './edits-world.js';
import type { CacheChoice, GenerateRequest, SimilarityChoice } from './generate-request.js';
import { openPassages, type PassageFile } from './passages.js';
import { ESTIMATED, tokenCounter } from './token-counter.js';

/** What is known of the work so far. */
export interface GenerationState {
  /** Lines, of {@link Generating.lines}. */
  readonly done: number;
  readonly counts: EditCounts;
  /** Edits of this run that the cache had, and that it had not. */
  readonly cached: number;
  readonly written: number;
  /** Milliseconds to the end, as the last batches went; null before the first. */
  readonly leftMs: number | null;
}

/** Work that can begin: every row is checked, the writer is open, and the file that grows. */
export interface Generating {
  readonly file: PassageFile;
  /** Name and digest. */
  readonly kind: string;
  /** Null where nothing is asked. */
  readonly writer: EditWriter['identity'] | null;
  /** Lines of all the work. */
  readonly lines: number;
  /** Lines that an earlier run left. */
  readonly kept: number;
  /** Where lines are until all are there; null where they go elsewhere. */
  readonly partPath: string | null;
  readonly cacheFolder: string | null;
  readonly tokens: 'counted' | 'estimated';
  state(): GenerationState;
  /** Writes what is left; yields after each batch. @throws ABORTED when it is stopped, and what no edit would escape */
  batches(): AsyncGenerator<GenerationState, void>;
}

/** Items of a batch at most: where the cache has all of them, a writer's batch would never fill. */
const MOST_ITEMS = 256;
/** So many unaugmented passages in a row are a fault of the writer, not of the passages. */
const MOST_FAILURES = 32;
/** Faults of one passage, which say nothing about the next one. */
const OF_THE_PASSAGE: readonly string[] = ['PROMPT_TOO_LONG', 'ENDPOINT_REFUSED'];
/** The time that is left follows from so many batches. */
const TIMED_BATCHES = 20;

/** @throws INVALID_INPUT for what cannot be read or written, before a model is loaded; otherwise as the writer and the cache */
export async function openGenerating(
  world: EditsWorld,
  path: string,
  request: GenerateRequest,
  reading: ReadingOptions,
): Promise<Generating> {
  const { out, force: replace, sampling, seed, editsPerPassage } = request;
  const kind = request.template === undefined ? selfEditKind(request.kind) : ownSelfEditKind(request.template);
  if (out !== undefined) await world.checkOutput(out, { replace });
  const file = await openPassages(world, path, request);
  const writer = kind.template === null ? null : await world.openEditWriter(request.writer, reading);
  const { countTokens, countedBy } = await tokenCounter(world, request.tokenizer, writer?.countTokens?.bind(writer));
  const cache = await openCache(world, writer === null ? null : request.cache);
  const similarity = await openJudge(world, writer === null ? null : request.similarity);
  const work = new EditWork(kind, writer, request, countTokens);
  const name = canonicalJson({
    ...{ file: file.digest, form: file.form, kind: kind.identity, writer: writer?.identity ?? null, sampling, seed },
    ...{ editsPerPassage, countedBy },
    ...(similarity === null ? {} : { similarity: similarity.judge.identity, least: similarity.least }),
  });
  const items = (): AsyncGenerator<Item, void> => itemsOf(file, kind.template === null ? 1 : editsPerPassage);
  const output =
    out === undefined
      ? undefined
      : await world.growOutput(out, {
          ...{ replace, work: sha256(name).slice(0, 8) },
          keep: (lines) => work.resume(lines, items()),
        });
  const run = new Run(world, work, { writer, cache, output, similarity });
  const lines = file.passages * (kind.template === null ? 1 : editsPerPassage);
  return {
    ...{ file, kind: kind.identity, writer: writer?.identity ?? null, lines },
    tokens: countedBy === ESTIMATED ? 'estimated' : 'counted',
    ...{ kept: work.done, partPath: output?.partPath ?? null, cacheFolder: cache?.folder ?? null },
    state: () => run.state(lines),
    batches: () => run.batches(items(), lines),
  };
}

async function openCache(world: EditsWorld, choice: CacheChoice | null): Promise<EditCache | null> {
  if (choice === null) return null;
  const { folder = join(await world.dataFolder(), 'edit-cache'), maxBytes = DEFAULT_CACHE_BYTES } = choice;
  return new EditCache(folder, world.clock, maxBytes);
}

interface Similarity {
  readonly judge: TextSimilarity;
  readonly least: number;
}

async function openJudge(world: EditsWorld, choice: SimilarityChoice | null): Promise<Similarity | null> {
  return choice === null ? null : { judge: await world.openSimilarity(choice), least: choice.least };
}

async function* itemsOf(file: PassageFile, editsPerPassage: number): AsyncGenerator<Item, void> {
  for await (const { row, passage } of file.read())
    for (let number = 0; number < editsPerPassage; number++) yield { row, number, passage };
}

interface Doors {
  readonly writer: EditWriter | null;
  readonly cache: EditCache | null;
  readonly output: GrowingOutput | undefined;
  readonly similarity: Similarity | null;
}

/** One run over what is left. */
class Run {
  private cached = 0;
  private written = 0;
  /** The last lines of passages that stayed unaugmented: they are appended when a later edit shows that the writer is well. */
  private doubtful: AugmentedLine[] = [];
  private readonly ends: { readonly atMs: number; readonly done: number }[] = [];

  constructor(
    private readonly world: EditsWorld,
    private readonly work: EditWork,
    private readonly doors: Doors,
  ) {}

  state(lines: number): GenerationState {
    const { work, cached, written, ends } = this;
    const [first, last] = [ends[0], ends.at(-1)];
    const isTimed = first !== undefined && last !== undefined && last.done > first.done;
    const leftMs = isTimed ? ((last.atMs - first.atMs) / (last.done - first.done)) * (lines - last.done) : null;
    return { done: work.done, counts: work.counts, cached, written, leftMs };
  }

  async *batches(items: AsyncGenerator<Item, void>, lines: number): AsyncGenerator<GenerationState, void> {
    const { cache, output } = this.doors;
    try {
      for (let skipped = 0; skipped < this.work.done; skipped++) await items.next();
      this.time();
      for (let batch = await this.next(items); batch.length > 0; batch = await this.next(items)) {
        await this.settle(batch);
        this.time();
        yield this.state(lines);
      }
      await this.append(this.doubtful);
      this.doubtful = [];
      await output?.finish();
    } finally {
      await items.return(undefined);
      await cache?.close();
    }
  }

  /** Items up to a batch of those that the cache has not. */
  private async next(items: AsyncGenerator<Item, void>): Promise<readonly Batched[]> {
    const { writer, cache } = this.doors;
    const batch: Batched[] = [];
    for (let missing = 0; batch.length < MOST_ITEMS && missing < (writer?.batch ?? MOST_ITEMS); ) {
      const { value: item, done } = await items.next();
      if (done === true) break;
      const parts = writer === null ? null : this.work.keyOf(item, writer);
      const text = parts === null ? undefined : await cache?.find(parts);
      batch.push({ item, parts, outcome: text === undefined ? null : { status: 'written', text } });
      if (parts !== null && text === undefined) missing++;
    }
    return batch;
  }

  private async settle(batch: readonly Batched[]): Promise<void> {
    const { signal } = this.world;
    if (signal.aborted)
      throw new SeamError(
        'ABORTED',
        'Cannot finish: expected to run to the end, got a request to stop. What was written is kept.',
      );
    const missing = batch.filter(({ parts, outcome }) => parts !== null && outcome === null);
    const written = await this.write(missing.map(({ parts }) => parts!));
    this.cached += batch.filter(({ outcome }) => outcome !== null).length;
    const outcomes = new Map(missing.map((each, index) => [each, written[index]!]));
    const ready: AugmentedLine[] = [];
    const lines = batch.map((each) => this.work.lineOf(each.item, outcomes.get(each) ?? each.outcome));
    for (const line of await this.compared(lines)) {
      if (line.unaugmented === null || OF_THE_PASSAGE.includes(line.unaugmented.code))
        ready.push(...this.doubtful.splice(0), line);
      else this.doubtful.push(line);
      if (this.doubtful.length === MOST_FAILURES) {
        await this.append(ready);
        throw failing(this.doubtful);
      }
    }
    await this.append(ready);
  }

  /** The lines, without those edits whose meaning is too far from that of their passage. */
  private async compared(lines: readonly AugmentedLine[]): Promise<readonly AugmentedLine[]> {
    const { similarity } = this.doors;
    if (similarity === null) return lines;
    const kept = lines.filter(({ edit, refused }) => edit !== null && refused === null);
    const pairs = kept.map(({ edit, passage }) => [edit!, passage] as const);
    const measured = await similarity.judge.similarities(pairs, this.world.signal);
    const of = new Map(kept.map((line, index) => [line, measured[index]!]));
    return lines.map((line) => {
      const figure = of.get(line);
      return figure === undefined || figure >= similarity.least
        ? line
        : withoutEdit(line, { reason: 'dissimilar', figures: { similarity: figure } });
    });
  }

  /** Each edit is in the cache as soon as it is written: a kill loses what is under way alone. */
  private async write(asked: readonly EditKeyParts[]): Promise<readonly FinalOutcome[]> {
    const { writer, cache } = this.doors;
    if (writer === null || asked.length === 0) return [];
    const keeping: Promise<void>[] = [];
    const requests = asked.map((parts) => this.work.requestOf(parts));
    try {
      return await writeEdits(writer, requests, {
        ...this.work.limits,
        signal: this.world.signal,
        onWritten: (index, text) => {
          this.written++;
          const kept = cache?.keep(asked[index]!, text);
          kept?.catch(() => undefined); // it is waited for below
          if (kept !== undefined) keeping.push(kept);
        },
      });
    } finally {
      await Promise.all(keeping);
    }
  }

  private async append(lines: readonly AugmentedLine[]): Promise<void> {
    if (lines.length === 0) return;
    await this.doors.output?.append(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    for (const line of lines) this.work.count(line);
  }

  private time(): void {
    this.ends.push({ atMs: this.world.clock.now(), done: this.work.done });
    if (this.ends.length > TIMED_BATCHES) this.ends.shift();
  }
}

/** @param lines of the last passages, all unaugmented */
function failing(lines: readonly AugmentedLine[]): SeamError {
  const { code, reason } = lines.at(-1)!.unaugmented!;
  return new SeamError(
    code as ErrorCode,
    `Cannot continue writing edits: expected one of ${plural(lines.length, 'edit')} in a row to be written, all failed, the last one by ${code}: ${reason}. Correct that, then run the command again; it resumes behind the last edit that was written.`,
    { details: { code, reason } },
  );
}

interface Batched {
  readonly item: Item;
  /** Null where nothing is asked. */
  readonly parts: EditKeyParts | null;
  /** Of the cache. */
  readonly outcome: FinalOutcome | null;
}
