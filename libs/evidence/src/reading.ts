/** One partition of what results rest on, read along: what was read and not asked for yet is remembered, what is behind is found by keys. */
import type { EventLog, LogRecord, Watermarks } from '@seamstream/event-log';
import type { Kept } from './kept-records.js';

/** Of one partition: some thousand experiences. */
const MEMORY_BYTES = 16 * 2 ** 20;
/** Read at once. What is read too early only waits. */
const CHUNK_RECORDS = 500;
/** Of one key, how many remembered records are looked at one by one for one result; of more, for all results of a batch together. */
const FEW = 64;

/** Ids by their keys. */
export type Wanted = ReadonlyMap<string, ReadonlySet<string>>;
type Missing = Map<string, Set<string>>;
/** Records by key and id. */
export type Found<K extends Kept> = Map<string, Map<string, K>>;

export function wantedOf(pairs: readonly (readonly [key: string, id: string])[]): Wanted {
  const wanted: Missing = new Map();
  for (const [key, id] of pairs) {
    const ids = wanted.get(key);
    if (ids === undefined) wanted.set(key, new Set([id]));
    else ids.add(id);
  }
  return wanted;
}

export function missingFrom<K extends Kept>(found: Found<K>, wanted: Wanted): Missing {
  const missing: Missing = new Map();
  for (const [key, ids] of wanted) {
    const known = found.get(key);
    const left = known === undefined ? new Set(ids) : new Set([...ids].filter((id) => !known.has(id)));
    if (left.size > 0) missing.set(key, left);
  }
  return missing;
}

/** Of several records with one id under one key the first in the log stays. */
export function putInto<K extends Kept>(found: Found<K>, key: string, id: string, kept: K): void {
  const known = found.get(key);
  if (known === undefined) found.set(key, new Map([[id, kept]]));
  else if (kept.offset < (known.get(id)?.offset ?? Number.POSITIVE_INFINITY)) known.set(id, kept);
}

/** Puts records that are wanted with what was found, and answers the others. */
type Take<K> = (records: readonly K[]) => readonly K[];

function takingInto<K extends Kept>(found: Found<K>, missing: Missing): Take<K> {
  return (records) =>
    records.filter((kept) => {
      const { key } = kept;
      const ids = key === null ? undefined : missing.get(key);
      // Its id costs a walk over the record: only where the key is wanted.
      if (ids === undefined || kept.id === undefined || !ids.delete(kept.id)) return true;
      if (ids.size === 0) missing.delete(key!);
      putInto(found, key!, kept.id, kept);
      return false;
    });
}

interface ReadingOptions<K> {
  readonly keep: (record: LogRecord) => K;
  /** Whether what was found is not asked for again: an experience has one result, a problem many. */
  readonly forgets: boolean;
  readonly from: number | undefined;
}

export class Reading<K extends Kept> {
  /** Where reading began: what stands before it is found by its key alone. */
  readonly began: number;
  /** Offset after the last record that was read along. */
  private next: number;
  /** As far as was known when somebody asked last. */
  private marks: Pick<Watermarks, 'low' | 'high'> = { low: 0, high: 0 };
  /** Records by their keys, the longest known first. */
  private readonly remembered = new Map<string, K[]>();
  private bytes = 0;
  /** By key the stretches before `next` that hold its records; undefined until something is missed. */
  private index: Map<string, Stretch[]> | undefined;
  private indexedTo = 0;
  private readonly keep: (record: LogRecord) => K;
  private readonly forgets: boolean;

  constructor(
    private readonly log: EventLog,
    private readonly place: { readonly topic: string; readonly partition: number },
    { keep, forgets, from }: ReadingOptions<K>,
  ) {
    this.keep = keep;
    this.forgets = forgets;
    this.next = from ?? 0;
    this.began = this.next;
  }

  /** Where reading begins after a restart: what is remembered has not been asked for. */
  get begin(): number {
    let least = this.next;
    if (this.forgets) for (const [first] of this.remembered.values()) least = Math.min(least, first!.offset);
    return least;
  }

  /** Remembers again what was taken and not used. */
  giveBack(kept: K): void {
    const { key } = kept;
    if (key === null) return;
    const others = this.remembered.get(key) ?? [];
    if (others.includes(kept)) return;
    this.keepOf(
      key,
      [...others, kept].sort((a, b) => a.offset - b.offset),
    );
  }

  /**
   * The first remembered record of a key that has the id; undefined where it is not at hand, or not easily. What is forgotten when it is
   * found is in the caller's hands from now on.
   */
  take(key: string, has: (kept: K) => boolean): K | undefined {
    const known = this.remembered.get(key);
    if (known === undefined) return undefined;
    const last = Math.min(known.length, FEW);
    for (let index = 0; index < last; index++) {
      const kept = known[index]!;
      if (!has(kept)) continue;
      if (!this.forgets) return kept;
      this.bytes -= kept.bytes;
      if (known.length === 1) this.remembered.delete(key);
      else if (index === 0) known.shift();
      else known.splice(index, 1);
      return kept;
    }
    return undefined;
  }

  /** Remembers what comes next; false at the end of what is committed. */
  async readAhead(): Promise<boolean> {
    if (this.next >= this.marks.high) await this.look();
    const { low, high } = this.marks;
    if (this.next >= high) return false;
    const from = Math.max(this.next, low);
    const to = Math.min(high, from + CHUNK_RECORDS);
    for await (const records of this.chunks(from, to)) for (const record of records) this.remember(this.keep(record));
    this.next = to;
    return true;
  }

  /** Puts what is wanted and stands in this partition with what was found. */
  async find(wanted: Wanted, found: Found<K>): Promise<void> {
    const missing = missingFrom(found, wanted);
    const take = takingInto(found, missing);
    for (const key of [...missing.keys()]) {
      const known = this.remembered.get(key) ?? [];
      const left = take(known);
      if (this.forgets && left.length < known.length) this.keepOf(key, left);
    }
    if (missing.size > 0) await this.readOn(missing, take);
    if (missing.size > 0) await this.lookBack(missing, take);
  }

  /** As {@link find}, of all that was passed the first, not the nearest. */
  async findFirst(wanted: Wanted, found: Found<K>): Promise<void> {
    const missing = missingFrom(found, wanted);
    if (missing.size === 0) return;
    await this.look();
    await this.lookBack(missing, takingInto(found, missing));
  }

  /** Along the log until all are found, or to its end. */
  private async readOn(missing: Wanted, take: Take<K>): Promise<void> {
    await this.look();
    const { low, high } = this.marks;
    this.next = Math.max(this.next, low);
    if (this.next >= high) return;
    for await (const records of this.chunks(this.next, high)) {
      const kept = records.map(this.keep);
      const left = take(kept);
      for (const record of this.forgets ? left : kept) this.remember(record);
      this.next = records.at(-1)!.offset + 1;
      if (missing.size === 0) return;
    }
    this.next = high;
  }

  private chunks(from: number, to: number): AsyncIterable<readonly LogRecord[]> {
    return this.log.read({ ...this.place, from, to, chunkRecords: CHUNK_RECORDS, withoutHeaders: true });
  }

  private keepOf(key: string, left: readonly K[]): void {
    for (const { bytes } of this.remembered.get(key) ?? []) this.bytes -= bytes;
    this.remembered.delete(key);
    for (const record of left) this.remember(record);
  }

  private remember(kept: K): void {
    const { key, bytes } = kept;
    if (key === null || bytes === 0) return;
    const known = this.remembered.get(key);
    if (known === undefined) this.remembered.set(key, [kept]);
    else known.push(kept);
    this.bytes += bytes;
    if (this.bytes > MEMORY_BYTES) this.forgetOldest();
  }

  private forgetOldest(): void {
    for (const [oldest, records] of this.remembered) {
      if (this.bytes <= MEMORY_BYTES) return;
      this.remembered.delete(oldest);
      for (const { bytes } of records) this.bytes -= bytes;
    }
  }

  /** Among the records that were passed, which only what was forged, or comes very late, is missing from. */
  private async lookBack(missing: Wanted, take: Take<K>): Promise<void> {
    const index = await this.indexUpTo(this.next);
    for (const key of [...missing.keys()]) {
      for (const { from, to } of index.get(key) ?? []) {
        if (to <= this.marks.low) continue;
        for await (const records of this.chunks(Math.max(from, this.marks.low), to))
          take(records.map(this.keep).filter((kept) => kept.key === key));
      }
    }
  }

  private async indexUpTo(end: number): Promise<ReadonlyMap<string, readonly Stretch[]>> {
    this.index ??= new Map();
    const from = Math.max(this.indexedTo, this.marks.low);
    if (from < end)
      for await (const records of this.chunks(from, end))
        for (const { key, offset } of records.map(this.keep)) if (key !== null) note(this.index, key, offset);
    this.indexedTo = end;
    return this.index;
  }

  private async look(): Promise<void> {
    const marks = await this.log.watermarks(this.place.topic);
    this.marks = marks.find(({ partition }) => partition === this.place.partition)!;
  }
}

interface Stretch {
  readonly from: number;
  to: number;
}

/** Records of one key stand together: written in one transaction, or nearly. */
const NEAR = 64;

function note(index: Map<string, Stretch[]>, key: string, offset: number): void {
  const stretches = index.get(key);
  if (stretches === undefined) {
    index.set(key, [{ from: offset, to: offset + 1 }]);
    return;
  }
  const last = stretches.at(-1)!;
  if (offset < last.to + NEAR) last.to = offset + 1;
  else stretches.push({ from: offset, to: offset + 1 });
}
