/** The newest of many acts, while they are read in any order. Memory is bounded by how many are wanted, not by how many there are. Pure. */
import { compareText } from '@seamstream/kernel';
import type { Act } from './act.decide.js';

export interface ListedActs {
  /** The oldest first. */
  readonly acts: readonly Act[];
  /** Earlier ones that fit, each record counted by itself. */
  readonly older: number;
}

interface Line {
  readonly act: Act;
  /** Those that it stands for. */
  readonly records: number;
}

const MINUTE_MS = 60_000;
const minuteOf = (atMs: number): number => Math.floor(atMs / MINUTE_MS);

export class NewestActs {
  private singles: Line[] = [];
  /** Frequent acts by word, actor, tenant and minute. */
  private readonly minutes = new Map<string, Line>();
  private seen = 0;
  /** So many lines are of this moment or later, also when more is read. */
  private floorMs = Number.NEGATIVE_INFINITY;
  private pruneAt: number;

  /** @param most lines that are wanted, at least 1; Infinity: all */
  constructor(private readonly most: number) {
    this.pruneAt = 2 * most;
  }

  add(act: Act, isFrequent: boolean): void {
    this.seen++;
    if (isFrequent) this.addToMinute(act);
    else if (act.at >= this.floorMs) this.singles.push({ act, records: 1 });
    if (this.singles.length + this.minutes.size > this.pruneAt) this.prune();
  }

  listed(): ListedActs {
    const lines = [...this.singles, ...this.minutes.values()].sort((a, b) => byTimeAndPlace(a.act, b.act));
    const newest = lines.slice(-this.most);
    return {
      acts: newest.map(({ act }) => act),
      older: newest.reduce((left, { records }) => left - records, this.seen),
    };
  }

  private addToMinute(act: Act): void {
    // Its line may have begun later in this minute.
    if (minuteOf(act.at) < minuteOf(this.floorMs)) return;
    const key = JSON.stringify([act.act, act.by, act.tenant, act.source, minuteOf(act.at)]);
    const known = this.minutes.get(key);
    if (known === undefined) {
      this.minutes.set(key, { act, records: 1 });
      return;
    }
    const first = byTimeAndPlace(act, known.act) < 0 ? act : known.act;
    this.minutes.set(key, { act: { ...first, times: known.act.times + act.times }, records: known.records + 1 });
  }

  private prune(): void {
    const begun = [
      ...this.singles.map(({ act }) => act.at),
      ...[...this.minutes.values()].map(({ act }) => minuteOf(act.at) * MINUTE_MS),
    ].sort((a, b) => b - a);
    this.floorMs = begun[this.most - 1]!;
    this.singles = this.singles.filter(({ act }) => act.at >= this.floorMs);
    for (const [key, { act }] of this.minutes) if (minuteOf(act.at) < minuteOf(this.floorMs)) this.minutes.delete(key);
    // Those of one minute may be more than are wanted.
    this.pruneAt = 2 * Math.max(this.most, this.singles.length + this.minutes.size);
  }
}

/** As acts are listed: the oldest first. */
export function byTimeAndPlace(a: Act, b: Act): number {
  return (
    a.at - b.at ||
    compareText(a.place.topic, b.place.topic) ||
    a.place.partition - b.place.partition ||
    a.place.offset - b.place.offset
  );
}
