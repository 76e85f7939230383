/**
 * What a process had in hand when it died, written down for the process after it: one small object per partition, written
 * before the first batch of a claim and deleted after it. Later batches need none, since whatever they die of is the first
 * batch of the next process.
 *
 *   the same batch was in hand at `maxDeaths` deaths             → its records are taken one at a time, with nothing beside them
 *   the same record was alone in hand at `maxDeaths` deaths more → it is given up: a dead letter with the code POISON
 *
 * Whoever ends in order deletes its marks: only deaths count. A store that does not answer costs this protection and a few
 * seconds, not the work.
 */
import { isSeamError, messageOf } from '@seamstream/kernel';
import type { ObjectStore } from '@seamstream/object-store';
import { z } from 'zod';
import { answerWithin } from '../answer-within.js';

const markSchema = z.object({
  /** Of the first record in hand. */
  offset: z.int().nonnegative(),
  /** Exclusive end of what is to be taken one at a time, once it is suspected. */
  until: z.int().nonnegative(),
  /** Processes that died with it so far. */
  deaths: z.int().nonnegative(),
  /** Whether the record was alone in hand. */
  alone: z.boolean(),
});

type Mark = z.infer<typeof markSchema>;

export interface CrashMarksOptions {
  readonly objects: ObjectStore;
  readonly group: string;
  readonly maxDeaths: number;
  readonly warn: (reason: string) => void;
}

/** What is known of the records that a claim begins with. */
export interface Suspicion {
  /** Records before this offset are taken one at a time; 0 when nothing is suspected. */
  readonly until: number;
  /** Deaths at which the first record was alone in hand. */
  readonly deaths: number;
}

const PREFIX = 'operations/in-hand';
const ANSWER_WITHIN_MS = 5_000;

export class CrashMarks {
  private readonly standing = new Set<string>();

  constructor(private readonly options: CrashMarksOptions) {}

  get maxDeaths(): number {
    return this.options.maxDeaths;
  }

  /** Looks at what the process before left, and marks the first batch of a claim. */
  async taken(place: string, first: number, next: number): Promise<Suspicion> {
    const left = await this.read(place);
    const isSame = left?.offset === first;
    const deaths = isSame ? left.deaths + 1 : 0;
    if (isSame && left.alone) return { until: left.until, deaths };
    if (deaths >= this.options.maxDeaths) return { until: Math.max(next, left?.until ?? 0), deaths: 0 };
    await this.write(place, { offset: first, until: next, deaths, alone: false });
    return { until: 0, deaths: 0 };
  }

  /** Marks a record that is alone in hand. */
  takenAlone(place: string, offset: number, { until, deaths }: Suspicion): Promise<void> {
    return this.write(place, { offset, until, deaths, alone: true });
  }

  /** Says that the process ends because these records hang: no need to find that out by dying again. */
  async hung(place: string, first: number, next: number): Promise<void> {
    const left = await this.read(place);
    const alone = next - first === 1;
    if (left?.offset !== first || !left.alone)
      await this.write(place, { offset: first, until: next, deaths: alone ? 0 : this.options.maxDeaths - 1, alone });
    this.standing.delete(place); // it stays
  }

  async clear(place: string): Promise<void> {
    if (!this.standing.delete(place)) return;
    await this.try(`deleting ${this.keyOf(place)}`, this.options.objects.delete(this.keyOf(place)));
  }

  /** Of everything in hand: the process ends in order. */
  async clearAll(): Promise<void> {
    await Promise.all([...this.standing].map((place) => this.clear(place)));
  }

  private async read(place: string): Promise<Mark | undefined> {
    const key = this.keyOf(place);
    const bytes = await this.try(
      `reading ${key}`,
      this.options.objects.get(key).catch((error: unknown) => {
        if (isSeamError(error, 'OBJECT_NOT_FOUND')) return undefined;
        throw error;
      }),
    );
    if (bytes === undefined) return undefined;
    this.standing.add(place);
    try {
      return markSchema.parse(JSON.parse(Buffer.from(bytes).toString()));
    } catch (error) {
      this.options.warn(`${key} is no mark and is passed over: ${messageOf(error)}`);
      return undefined;
    }
  }

  private async write(place: string, mark: Mark): Promise<void> {
    const key = this.keyOf(place);
    this.standing.add(place);
    await this.try(`writing ${key}`, this.options.objects.put(key, Buffer.from(JSON.stringify(mark))));
  }

  private keyOf(place: string): string {
    return `${PREFIX}/${this.options.group}/${place}.json`;
  }

  private async try<T>(operation: string, asked: Promise<T>): Promise<T | undefined> {
    try {
      return await answerWithin(ANSWER_WITHIN_MS, asked);
    } catch (error) {
      this.options.warn(
        `${operation}: ${messageOf(error)}; a record that kills this service is not found out meanwhile`,
      );
      return undefined;
    }
  }
}
