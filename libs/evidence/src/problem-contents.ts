/**
 * The content of problems for events that name it by digest (libs/events/src/content.ts). It is mostly where the reference says: one read
 * for a batch. In a copied log it is elsewhere, under the problem's key, and is looked for as evidence is. Content is right when
 * it has the digest and the problem its id, wherever it was found, so no attacker can put another in its place.
 */
import { randomInt } from 'node:crypto';
import type { EventLog, LogRecord } from '@seamstream/event-log';
import {
  type ContentReference,
  contentDigest,
  type EventOf,
  isWhole,
  type Problem,
  type ProblemContent,
  type ProblemCopy,
  type SeamEvent,
  TOPIC,
  withContent,
} from '@seamstream/events';
import { SeamError, Semaphore } from '@seamstream/kernel';
import { decodedOf, type Kept, Windows } from './kept-records.js';
import { Memory } from './memory.js';
import { type Found, wantedOf } from './reading.js';
import { Readings } from './readings.js';

/** UTF-16 characters of the contents that are remembered: 32 MiB at most. A problem's group comes together. */
const REMEMBERED_CHARACTERS = 16 * 2 ** 20;
/** What is remembered while contents are looked for under their keys. */
const SEARCH_BYTES = 16 * 2 ** 20;
/** Records between two that are wanted, up to which one read goes over all of them. */
const READ_OVER = 32;
/**
 * What stands behind a place that was right is mostly asked for next, and the broker's answer holds it already: so many records, and
 * characters of these, are remembered as well.
 */
const AHEAD_RECORDS = 256;
const AHEAD_CHARACTERS = 2 ** 20;

interface Wanted extends ContentReference {
  readonly problemId: string;
}

export class ProblemContents {
  /** By {@link nameOf}, the longest unused first. */
  private readonly known = new Map<string, ProblemContent>();
  private characters = 0;
  private search: Readings<KeptContent> | undefined;
  /** Looking for contents reads along the log: one batch after the other. */
  private readonly turn = new Semaphore(1);

  constructor(private readonly log: EventLog) {}

  /** The whole problems of copies, in their order; undefined where the content is not in the log, or not any more. */
  async find(copies: readonly ProblemCopy[]): Promise<readonly (Problem | undefined)[]> {
    const wanted = new Map<string, Wanted>();
    const contents = new Map<string, ProblemContent>();
    for (const { problemId, prompt } of copies) {
      if (typeof prompt === 'string') continue;
      const name = nameOf(problemId, prompt.digest);
      const content = this.recall(name);
      if (content === undefined) wanted.set(name, { ...prompt, problemId });
      else contents.set(name, content);
    }
    if (wanted.size > 0) {
      const found = (name: string, content: ProblemContent): void => {
        wanted.delete(name);
        contents.set(name, content);
        this.remember(name, content);
      };
      await this.lookAtPlaces(wanted, found);
      if (wanted.size > 0) await this.turn.run(() => this.lookUp(wanted, found));
    }
    return copies.map((copy) => {
      const { problemId, prompt } = copy;
      if (typeof prompt === 'string') return { ...copy, prompt };
      const content = contents.get(nameOf(problemId, prompt.digest));
      return content && withContent(copy, content);
    });
  }

  /**
   * The same events; those whose content is in the log are whole, the others as they were.
   * @param isNeeded of which events content is looked for: what does not count anyway must not cost a look at the log
   */
  async fill<E extends SeamEvent>(
    events: readonly E[],
    isNeeded: (event: E, index: number) => boolean = () => true,
  ): Promise<readonly E[]> {
    const copies = new Map<number, ProblemCopy>();
    for (const [index, event] of events.entries())
      if ('problem' in event && !isWhole(event.problem) && isNeeded(event, index)) copies.set(index, event.problem);
    if (copies.size === 0) return events;
    const problems = await this.find([...copies.values()]);
    const filled = [...events];
    [...copies.keys()].forEach((index, at) => {
      const problem = problems[at];
      if (problem !== undefined) filled[index] = { ...events[index]!, problem };
    });
    return filled;
  }

  private async lookAtPlaces(wanted: ReadonlyMap<string, Wanted>, found: Finding): Promise<void> {
    const topic = TOPIC.problems;
    const marks = await this.log.watermarks(topic);
    const byPartition = Map.groupBy(wanted.values(), ({ partition }) => partition);
    for (const { partition, low, high } of marks) {
      const here = (byPartition.get(partition) ?? []).filter(({ offset }) => offset >= low && offset < high);
      const asked = Map.groupBy(here, ({ offset }) => offset);
      let last = -1;
      for (const [from, to] of stretchesOf([...asked.keys()].sort((a, b) => a - b)))
        for await (const records of this.log.read({ topic, partition, from, to, withoutHeaders: true }))
          for (const record of records) {
            const askers = asked.get(record.offset) ?? [];
            const problem = askers.length === 0 ? undefined : publishedIn(record)?.problem;
            // Large content is hashed only for a problem that was asked for.
            if (!problem || !askers.some(({ problemId }) => problemId === problem.problemId)) continue;
            const name = nameOf(problem.problemId, contentDigest(problem));
            if (!wanted.has(name)) continue;
            found(name, problem);
            last = record.offset;
          }
      if (last >= 0) await this.readAhead(partition, last + 1, Math.min(high, last + 1 + AHEAD_RECORDS));
    }
  }

  private async readAhead(partition: number, from: number, to: number): Promise<void> {
    let characters = 0;
    if (from >= to) return;
    for await (const records of this.log.read({ topic: TOPIC.problems, partition, from, to, withoutHeaders: true }))
      for (const record of records) {
        const problem = publishedIn(record)?.problem;
        if (problem === undefined) continue;
        this.remember(nameOf(problem.problemId, contentDigest(problem)), problem);
        characters += charactersOf(problem);
        if (characters > AHEAD_CHARACTERS) return;
      }
  }

  /** Under the problems' keys, anywhere in the log. */
  private async lookUp(wanted: ReadonlyMap<string, Wanted>, found: Finding): Promise<void> {
    const windows = new Windows();
    this.search ??= new Readings(this.log, TOPIC.problems, {
      keep: (record) => new KeptContent(record, windows),
      forgets: false,
      from: new Map(),
      memory: new Memory(SEARCH_BYTES),
      salt: randomInt(2 ** 32),
    });
    await this.search.meet();
    const kept: Found<KeptContent> = new Map();
    const pairs = [...wanted.values()].map(({ problemId, digest }) => [problemId, digest] as const);
    await this.search.findAnywhere(wantedOf(pairs), kept, 'find');
    for (const [problemId, byDigest] of kept)
      for (const [digest, each] of byDigest) {
        this.search.in(each.record.partition).used(each);
        found(nameOf(problemId, digest), each.problem!);
      }
  }

  private recall(name: string): ProblemContent | undefined {
    const content = this.known.get(name);
    if (content === undefined) return undefined;
    this.known.delete(name);
    this.known.set(name, content);
    return content;
  }

  private remember(name: string, { prompt, reference }: ProblemContent): void {
    const content = { prompt, reference };
    // Two that asked at once found it both.
    if (this.known.has(name)) return;
    this.known.set(name, content);
    this.characters += charactersOf(content);
    for (const [oldest, forgotten] of this.known) {
      if (this.characters <= REMEMBERED_CHARACTERS) break;
      this.known.delete(oldest);
      this.characters -= charactersOf(forgotten);
    }
  }
}

/** Why an event cannot be used whose content is gone. */
export function contentMissing({ problemId, prompt }: ProblemCopy): SeamError {
  const digest = typeof prompt === 'string' ? '' : prompt.digest;
  return new SeamError(
    'NOT_FOUND',
    `Cannot read the content of problem ${problemId}: expected content with the digest ${digest} in ${TOPIC.problems}, got none. It is no longer in the log, or was not copied with it; keep ${TOPIC.problems} as long as what follows from it.`,
    { details: { problemId, digest } },
  );
}

type Finding = (name: string, content: ProblemContent) => void;

/** Of content in this file: by problem as well, so that what one batch mate claims of another's content decides nothing for that one. */
function nameOf(problemId: string, digest: string): string {
  return `${digest} ${problemId}`;
}

/** A published problem by its content's digest. */
class KeptContent implements Kept {
  /** Objects and places in maps, as of other problems (kept-records.ts). */
  readonly entryBytes = 1_000;
  isFirst = false;
  readonly key: string | null;
  /** Null until it is asked for. */
  private knownId: string | undefined | null = null;

  constructor(
    readonly record: LogRecord,
    { problem, problemId }: Windows,
  ) {
    const { value } = record;
    const shown = value !== null && problem.open(value) ? problem.textOf(problemId) : this.problem?.problemId;
    // Another client may key its problems by anything.
    this.key = shown ?? record.key;
  }

  get offset(): number {
    return this.record.offset;
  }

  get value(): Uint8Array | null {
    return this.record.value;
  }

  get id(): string | undefined {
    if (this.knownId === null) {
      const { problem } = this;
      this.knownId = problem && contentDigest(problem);
    }
    return this.knownId;
  }

  /** Decoded each time: it takes several times its bytes, and few are asked for. */
  get problem(): Problem | undefined {
    return publishedIn(this.record)?.problem;
  }
}

function publishedIn(record: LogRecord): EventOf<'ProblemPublished'> | undefined {
  const event = decodedOf(record);
  return event?.type === 'ProblemPublished' ? event : undefined;
}

/** Ranges that cover the offsets, which are in order. */
function stretchesOf(offsets: readonly number[]): readonly (readonly [from: number, to: number])[] {
  const stretches: [number, number][] = [];
  for (const offset of offsets) {
    const last = stretches.at(-1);
    if (last !== undefined && offset - last[1] <= READ_OVER) last[1] = offset + 1;
    else stretches.push([offset, offset + 1]);
  }
  return stretches;
}

function charactersOf({ prompt, reference }: ProblemContent): number {
  return prompt.length + (reference?.length ?? 0);
}
