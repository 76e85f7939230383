/**
 * What a process had in flight when it died, written down for the next process: one small object per partition, written
 * before the first batch of a claim and emptied after it. Later batches need no mark: a later batch that kills the process is
 * the first batch of the next one.
 *
 *   the same batch was in flight at `maxDeaths` deaths              → its records are taken one at a time, with no other work
 *   the same record was alone in flight at `maxDeaths` deaths more  → it is given up: a dead letter with the code POISON
 *
 * A process that ends in order empties its marks, so only deaths count. A process replaces a mark only if the mark is still as
 * it wrote or found it. So a process that wakes up after its partition has moved leaves the new owner's mark alone. A store
 * that does not answer costs this protection and a few seconds, not the work.
 */
import { type Claim, partitionName, type RecordBatch } from '@seamstream/event-log';
import { isSeamError, messageOf, newId, type ReadWriteLock, withDeadline } from '@seamstream/kernel';
import type { ObjectStore } from '@seamstream/object-store';
import { z } from 'zod';
import { type Item, offsetAfter } from './batch-item.js';
import { HungConsumer } from './subscription-end.js';

const markSchema = z.object({
  /** Distinguishes equal marks of different processes, and so their etags. */
  owner: z.string(),
  inHand: z
    .object({
      /** Of the first in-flight record. */
      offset: z.int().nonnegative(),
      /** Exclusive end of what is to be taken one at a time, once it is suspected. */
      until: z.int().nonnegative(),
      /** Processes that died with it so far. */
      deaths: z.int().nonnegative(),
      /** Whether the record was alone in flight. */
      alone: z.boolean(),
    })
    .nullable(),
});

type InHand = NonNullable<z.infer<typeof markSchema>['inHand']>;

export interface CrashJournalOptions {
  readonly objects: ObjectStore;
  readonly group: string;
  readonly maxDeaths: number;
  readonly warn: (reason: string) => void;
}

/** What is known of the records that a claim begins with. */
export interface CrashHistory {
  /** Records before this offset are taken one at a time; 0 when nothing is suspected. */
  readonly until: number;
  /** Deaths at which the first record was alone in flight. */
  readonly deaths: number;
}

const PREFIX = 'operations/in-hand';
const ANSWER_WITHIN_MS = 5_000;

export class CrashJournal {
  private readonly owner = newId();
  /** Places whose mark names in-flight records. */
  private readonly standing = new Set<string>();
  /** By place: the mark's etag when this process last read or wrote it; undefined where there was no mark. */
  private readonly etags = new Map<string, string | undefined>();

  constructor(private readonly options: CrashJournalOptions) {}

  get maxDeaths(): number {
    return this.options.maxDeaths;
  }

  /** Looks at what the process before left, and marks the first batch of a claim. */
  async taken(place: string, first: number, next: number): Promise<CrashHistory> {
    const { inHand: left, etag } = await this.read(place);
    this.etags.set(place, etag);
    if (left !== undefined) this.standing.add(place);
    const isSame = left?.offset === first;
    const deaths = isSame ? left.deaths + 1 : 0;
    if (isSame && left.alone) return { until: left.until, deaths };
    if (deaths >= this.options.maxDeaths) return { until: Math.max(next, left?.until ?? 0), deaths: 0 };
    await this.write(place, { offset: first, until: next, deaths, alone: false });
    return { until: 0, deaths: 0 };
  }

  /** Marks a record that is alone in flight. */
  takenAlone(place: string, offset: number, { until, deaths }: CrashHistory): Promise<void> {
    return this.write(place, { offset, until, deaths, alone: true });
  }

  /** Says that the process ends because these records hang: no need to find that out by dying again. */
  async hung(place: string, first: number, next: number): Promise<void> {
    const { inHand: left } = await this.read(place);
    const alone = next - first === 1;
    if (left?.offset !== first || !left.alone)
      await this.write(place, { offset: first, until: next, deaths: alone ? 0 : this.options.maxDeaths - 1, alone });
    this.standing.delete(place); // it stays
  }

  async clear(place: string): Promise<void> {
    if (this.standing.has(place)) await this.write(place, null);
  }

  /** Clears all marks, when the process ends in order. */
  async clearAll(): Promise<void> {
    await Promise.all([...this.standing].map((place) => this.clear(place)));
  }

  private async read(place: string): Promise<{ readonly inHand?: InHand; readonly etag: string | undefined }> {
    const { objects, warn } = this.options;
    const key = this.keyOf(place);
    const found = await this.try(`reading ${key}`, async () => {
      const info = await objects.head(key);
      return info && { etag: info.etag, bytes: await objects.get(key) };
    });
    if (found === undefined) return { etag: undefined };
    const { etag, bytes } = found;
    try {
      const { inHand } = markSchema.parse(JSON.parse(Buffer.from(bytes).toString()));
      return inHand === null ? { etag } : { inHand, etag };
    } catch (error) {
      warn(`${key} is no mark and is passed over: ${messageOf(error)}`);
      return { etag };
    }
  }

  /** Replaces the mark that this process last saw. Another process's mark stays, since that process owns the partition by now. */
  private async write(place: string, inHand: InHand | null): Promise<void> {
    const key = this.keyOf(place);
    if (inHand === null) this.standing.delete(place);
    else this.standing.add(place);
    await this.try(`writing ${key}`, async () => {
      const etag = this.etags.get(place);
      const body = Buffer.from(JSON.stringify({ owner: this.owner, inHand } satisfies z.infer<typeof markSchema>));
      try {
        const written = await this.options.objects.put(key, body, {
          ifMatch: etag === undefined ? 'absent' : { etag },
        });
        this.etags.set(place, written.etag);
      } catch (error) {
        if (!isSeamError(error, 'PRECONDITION_FAILED')) throw error;
        this.standing.delete(place);
      }
    });
  }

  private keyOf(place: string): string {
    return `${PREFIX}/${this.options.group}/${place}.json`;
  }

  private async try<T>(operation: string, ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await withDeadline(ANSWER_WITHIN_MS, ask());
    } catch (error) {
      this.options.warn(
        `${operation}: ${messageOf(error)}; a record that kills this service is not found out meanwhile`,
      );
      return undefined;
    }
  }
}

/** Finishes items; false when the work was asked to stop first. */
type Finish = (items: readonly Item[]) => Promise<boolean>;

/**
 * Works on the batches of one partition. It keeps a mark for the next process until it is known that this one survives the batch. It takes
 * suspected records one at a time, while no other work is in flight.
 */
export class CrashIsolation {
  /** The claim under which the partition is worked on, and what its first records are suspected of. */
  private known: { readonly claim: Claim; readonly history: CrashHistory; readonly first: number } | undefined;

  constructor(private readonly crashes: { readonly marks: CrashJournal; readonly lock: ReadWriteLock }) {}

  /** @throws as `finish` does */
  async finish(batch: RecordBatch, items: readonly Item[], signal: AbortSignal, finish: Finish): Promise<void> {
    const { marks, lock } = this.crashes;
    const place = partitionName(batch.topic, batch.partition);
    const first = items[0]!.record.offset;
    const next = offsetAfter(items);
    if (this.known?.claim !== batch.claim)
      this.known = { claim: batch.claim, history: await marks.taken(place, first, next), first };
    const { history, first: suspect } = this.known;
    const { until } = history;
    try {
      let rest = items;
      while (rest.length > 0 && rest[0]!.record.offset < until) {
        const [item] = rest as [Item];
        const deaths = item.record.offset === suspect ? history.deaths : 0;
        const alone = async (): Promise<boolean> =>
          finish([await this.alone(place, item, { until, deaths }, signal.aborted)]);
        if (!(await lock.write(alone))) {
          // The record waits, or the work was asked to stop. It is delivered again alone, and nothing is in flight until then.
          await marks.clear(place);
          return;
        }
        rest = rest.slice(1);
      }
      if (rest.length > 0) await lock.read(() => finish(rest));
    } catch (error) {
      if (error instanceof HungConsumer) {
        await marks.hung(place, error.first, error.next);
        throw error;
      }
      await marks.clear(place);
      throw error;
    }
    if (next >= until || signal.aborted) await marks.clear(place);
  }

  /** A record that was in flight when processes died: marked, or given up. */
  private async alone(place: string, item: Item, history: CrashHistory, isToldToStop: boolean): Promise<Item> {
    const { marks } = this.crashes;
    const { deaths } = history;
    if (item.event === undefined || isToldToStop) return item;
    if (deaths < marks.maxDeaths) {
      await marks.takenAlone(place, item.record.offset, history);
      return item;
    }
    const reason = `the process died or had to be ended ${deaths} times while it worked on this record and on nothing else; look for what its content does to this service's memory and native code, then redrive it`;
    return { ...item, fault: { code: 'POISON', reason, attempts: deaths } };
  }
}
