/** One partition of what results rest on, read along: what was read and not asked for yet is remembered, all else is found by keys. */
import type { EventLog, LogRecord, Watermarks } from '@seamstream/event-log';
import { hashOf } from '@seamstream/kernel';
import type { Kept } from './kept-records.js';
import { KeyDirectory } from './key-directory.js';
import { KeyFilter } from './key-filter.js';
import type { Memory, MemoryPart } from './memory.js';

/** Read at once. What is read too early only waits. */
const CHUNK_RECORDS = 500;
/** Where there is no room for so many, results have to come first. */
const LEAST_RECORDS = 16;
/** What a record is taken to hold as long as none is known: an experience of some hundred tokens. */
const FIRST_BYTES = 4_096;
/**
 * How far the log is read along beyond the last record that bore a result out: some batches of results. What a result misses there is
 * looked up. So a result that nothing bears out cannot make a reader read to the end of the log and forget what honest results need next.
 */
const AHEAD_RECORDS = 2_000;
/** Results arrive in about the order of their experiences: a record that no result asked for while so many others were read is old. */
const AGE_RECORDS = 16_384;
/**
 * How far one result moves the place up to which unused records are old: a record or two are enough, since results arrive one after
 * another. So a result that asks for a much later record pushes out few records that are still needed.
 */
const STEP_RECORDS = 8;
/** Results that were found along the way, up to which one looked up ahead of it is taken for a stray. */
const MOST_CONFIDENCE = 64;
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

interface ReadingOptions<K> {
  readonly keep: (record: LogRecord) => K;
  /** Whether what was found is not asked for again: an experience has one result, a problem many. */
  readonly forgets: boolean;
  readonly from: number | undefined;
  readonly memory: Memory;
  /** See {@link KeyDirectory}. */
  readonly maxStretches: number;
  /** Of the filter of keys that were forgotten before anybody asked for them. */
  readonly forgottenBits: number;
  readonly salt: number;
}

export class Reading<K extends Kept> {
  /** Where reading began: what stands before it is found by its key alone. */
  readonly began: number;
  /** Offset after the last record that was read along. */
  private next: number;
  /** How far it may be read along. */
  private reach: number;
  /** Offset up to which records along the way have borne results out, by {@link STEP_RECORDS} at most for each. */
  private usedTo: number;
  /** Found along the way lately, less what was looked up ahead of it. */
  private confidence = 0;
  /** As far as was known at the last request. */
  private marks: Pick<Watermarks, 'low' | 'high'> = { low: 0, high: 0 };
  /** Records by their keys, the longest known first. */
  private readonly remembered = new Map<string, K[]>();
  /** The same by their offsets, the longest known first. */
  private readonly byAge = new Map<number, K>();
  private readonly part: MemoryPart;
  /** Of a record, with all that remembering it takes, as of those that were remembered last. */
  private bytesEach = FIRST_BYTES;
  /** Of keys whose records were forgotten before anybody asked for them; undefined as long as there are none. */
  private forgotten: KeyFilter | undefined;
  /** Undefined until something is missed. */
  private directory: KeyDirectory | undefined;

  constructor(
    private readonly log: EventLog,
    private readonly place: { readonly topic: string; readonly partition: number },
    private readonly options: ReadingOptions<K>,
  ) {
    this.next = options.from ?? 0;
    this.began = this.next;
    this.reach = this.next + AHEAD_RECORDS;
    this.usedTo = this.next;
    this.part = options.memory.part({
      forgetOldest: () => this.forgetOldest(),
      isOldestStale: () => this.isOldestStale(),
    });
  }

  /** Where reading begins after a restart: what is remembered has not been asked for. At most twice {@link AGE_RECORDS} before the last. */
  get begin(): number {
    let least = this.next;
    if (this.options.forgets) for (const offset of this.byAge.keys()) least = Math.min(least, offset);
    return least;
  }

  /** Remembers again what was taken and not used. */
  giveBack(kept: K): void {
    const { key, offset } = kept;
    if (key === null || this.byAge.has(offset)) return;
    if (offset < this.next - AGE_RECORDS) {
      this.noteForgotten(key);
      return;
    }
    this.remember(kept);
    // The first of a key is asked first.
    this.remembered.get(key)!.sort((a, b) => a.offset - b.offset);
    this.options.memory.shrink();
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
      if (this.options.forgets) this.drop(kept, known, index);
      return kept;
    }
    return undefined;
  }

  /** Whether any record of a key is at hand. */
  remembers(key: string): boolean {
    return this.remembered.has(key);
  }

  /**
   * Notes that a record bore a result out. Reading continues from it; of the records that were looked up ahead of it, only many move it on.
   */
  used({ offset }: K): void {
    if (offset < this.next) {
      this.confidence = Math.min(MOST_CONFIDENCE, this.confidence + 1);
      this.usedTo = Math.max(this.usedTo, Math.min(offset, this.usedTo + STEP_RECORDS));
      this.reach = Math.max(this.reach, offset + 1 + AHEAD_RECORDS);
    } else if (--this.confidence < 0) {
      this.confidence = 0;
      this.reach = this.next + AHEAD_RECORDS;
    }
  }

  /** Whether records of the key may have been forgotten before anybody asked for them. */
  mayHaveForgotten(key: string): boolean {
    return this.forgotten?.mayHold(hashOf(key, this.options.salt)) === true;
  }

  /** Remembers the next records; false at the end of what is committed, and where results must arrive first. */
  async readAhead(): Promise<boolean> {
    if (this.next >= this.marks.high) await this.look();
    return this.readOn();
  }

  /** Adds to what was found all that is wanted and is in this partition. */
  async find(wanted: Wanted, found: Found<K>): Promise<void> {
    await this.findNear(wanted, found);
    await this.lookUp(missingFrom(found, wanted), found);
  }

  /** As {@link find}, but only along the way: it reads on as far as it may and looks nothing up. */
  async findNear(wanted: Wanted, found: Found<K>): Promise<void> {
    const missing = missingFrom(found, wanted);
    if (missing.size === 0) return;
    this.takeAll(missing, found);
    if (missing.size === 0) return;
    await this.look();
    while (missing.size > 0 && (await this.readOn())) this.takeAll(missing, found);
  }

  /** As {@link find}, but the first in the log, not the nearest. */
  async findFirst(wanted: Wanted, found: Found<K>): Promise<void> {
    const missing = missingFrom(found, wanted);
    if (missing.size === 0) return;
    await this.look();
    await this.lookUp(missing, found);
  }

  /** One chunk along the log. */
  private async readOn(): Promise<boolean> {
    const { low, high } = this.marks;
    if (this.next < low) {
      this.next = this.usedTo = low;
      this.reach = low + AHEAD_RECORDS;
    }
    const most = Math.min(high, this.reach);
    if (this.next >= most) return false;
    const room = this.roomForRecords();
    if (room < Math.min(LEAST_RECORDS, most - this.next)) return false;
    const to = Math.min(most, this.next + room);
    for await (const records of this.chunks(this.next, to)) {
      for (const record of records) this.remember(this.options.keep(record));
      this.options.memory.shrink();
    }
    this.next = to;
    for (const offset of this.byAge.keys()) {
      if (offset >= this.next - AGE_RECORDS) break;
      this.forgetOldest();
    }
    return true;
  }

  /** How many can be read without anything being forgotten that is waited for; all are taken to be as large as those before. */
  private roomForRecords(): number {
    if (this.byAge.size > 0) this.bytesEach = this.part.bytes / this.byAge.size;
    const room = this.options.memory.roomFor(this.part, CHUNK_RECORDS * this.bytesEach);
    return Math.min(CHUNK_RECORDS, Math.floor(room / this.bytesEach));
  }

  private isOldestStale(): boolean {
    const [oldest] = this.byAge.keys();
    return oldest !== undefined && oldest < this.usedTo;
  }

  private takeAll(missing: Missing, found: Found<K>): void {
    for (const [key, ids] of missing) {
      for (const kept of [...(this.remembered.get(key) ?? [])]) {
        if (kept.id === undefined || !ids.delete(kept.id)) continue;
        putInto(found, key, kept.id, kept);
        const known = this.remembered.get(key)!;
        if (this.options.forgets) this.drop(kept, known, known.indexOf(kept));
        if (ids.size === 0) {
          missing.delete(key);
          break;
        }
      }
    }
  }

  private chunks(from: number, to: number): AsyncIterable<readonly LogRecord[]> {
    return this.log.read({ ...this.place, from, to, chunkRecords: CHUNK_RECORDS, withoutHeaders: true });
  }

  private remember(kept: K): void {
    const { key, value, offset } = kept;
    if (key === null || value === null || value.length === 0) return;
    const known = this.remembered.get(key);
    if (known === undefined) this.remembered.set(key, [kept]);
    else known.push(kept);
    this.byAge.set(offset, kept);
    this.part.hold(kept);
  }

  /** Takes a record out of what is remembered. */
  private drop(kept: K, known: K[], index: number): void {
    if (known.length === 1) this.remembered.delete(kept.key!);
    else if (index === 0) known.shift();
    else known.splice(index, 1);
    this.byAge.delete(kept.offset);
    this.part.release(kept);
  }

  /** False when nothing is remembered. */
  private forgetOldest(): boolean {
    const [oldest] = this.byAge.values();
    if (oldest === undefined) return false;
    const known = this.remembered.get(oldest.key!)!;
    this.drop(oldest, known, known.indexOf(oldest));
    if (this.options.forgets) this.noteForgotten(oldest.key!);
    return true;
  }

  private noteForgotten(key: string): void {
    this.forgotten ??= new KeyFilter(this.options.forgottenBits);
    this.forgotten.add(hashOf(key, this.options.salt));
  }

  /** Anywhere in the partition, as far as is known; of several records with one id the first. */
  private async lookUp(missing: Missing, found: Found<K>): Promise<void> {
    if (missing.size === 0) return;
    const { low, high } = this.marks;
    const directory = await this.directoryTo(high);
    const seen = new Map<string, number[]>([...missing.keys()].map((key) => [key, []]));
    for (const { from, to, keys } of directory.whereaboutsOf(missing.keys())) {
      const [first, end] = [Math.max(from, low), Math.min(to, high)];
      if (first >= end || !keys.some((key) => missing.has(key))) continue;
      for await (const records of this.chunks(first, end))
        for (const record of records) {
          const kept = this.options.keep(record);
          const ids = kept.key === null ? undefined : missing.get(kept.key);
          if (ids === undefined) continue;
          seen.get(kept.key!)!.push(kept.offset);
          // Its id costs a walk over the record: only where the key is wanted.
          if (kept.id === undefined || !ids.delete(kept.id)) continue;
          if (ids.size === 0) missing.delete(kept.key!);
          kept.isFirst = true;
          putInto(found, kept.key!, kept.id, kept);
        }
    }
    // Those that are still missing were looked for everywhere.
    for (const key of missing.keys()) directory.see(key, seen.get(key)!);
  }

  private async directoryTo(end: number): Promise<KeyDirectory> {
    const { keep, maxStretches, salt } = this.options;
    this.directory ??= new KeyDirectory(maxStretches, salt);
    const from = Math.max(this.directory.knownTo, this.marks.low);
    if (from >= end) return this.directory;
    for await (const records of this.chunks(from, end))
      for (const record of records) {
        const { key, offset } = keep(record);
        if (key !== null) this.directory.note(key, offset);
      }
    this.directory.knowTo(end);
    return this.directory;
  }

  private async look(): Promise<void> {
    const marks = await this.log.watermarks(this.place.topic);
    this.marks = marks.find(({ partition }) => partition === this.place.partition)!;
  }
}
