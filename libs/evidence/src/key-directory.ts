/**
 * Where in a partition the records of a key may be: stretches of offsets, each with a filter of its keys. Its size is bounded for any
 * log: when there are too many stretches, the older half of them is joined two by two. So what is long ago is known ever
 * more coarsely, and costs more reading.
 *
 *   offsets   0 ────────── 1024 ── 1536 ── 2048 ─ 2560 ─ 3072
 *   filters   │   a d f g   │  b c  │  a e  │  b   │  h   │      a: read 0 … 1024 and 1536 … 2048
 */
import { hashOf, type KeyHash } from '@seamstream/kernel';
import { KeyFilter } from './key-filter.js';

/** Records of a stretch, as long as it is not joined with others: what a look-up reads. */
export const STRETCH_RECORDS = 512;
/** 16 for each record, if each has a separate key. One kibibyte. */
const FILTER_BITS = 16 * STRETCH_RECORDS;

/** Keys that were looked up lately. Some 200 bytes each, and the key. */
const MOST_SEEN = 1_024;
const MAX_SEEN_CHARACTERS = 256;

interface Stretch {
  /** Offset of the first record, and after the last. */
  from: number;
  to: number;
  readonly keys: KeyFilter;
}

/** A place to be read, and the keys that it may be read for. */
export interface Whereabouts {
  readonly from: number;
  readonly to: number;
  readonly keys: readonly string[];
}

export class KeyDirectory {
  private stretches: Stretch[] = [];
  /** Records before it are known. */
  private end = 0;
  /** By key where its records before `knownTo` stand; the key that was looked up longest ago goes first. */
  private readonly seen = new Map<string, { readonly from: number; readonly to: number; readonly knownTo: number }>();

  /**
   * @param maxStretches at least 2; a kibibyte and some 200 bytes each
   * @param salt see {@link hashOf}
   */
  constructor(
    private readonly maxStretches: number,
    private readonly salt: number,
  ) {}

  get knownTo(): number {
    return this.end;
  }

  /** Takes in that all records before this offset have been noted. */
  knowTo(end: number): void {
    this.end = end;
  }

  /** Records come in the order of their offsets. */
  note(key: string, offset: number): void {
    const first = offset - (offset % STRETCH_RECORDS);
    let last = this.stretches.at(-1);
    if (last === undefined || offset >= last.to) {
      if (this.stretches.length >= this.maxStretches) this.join();
      last = { from: first, to: first + STRETCH_RECORDS, keys: new KeyFilter(FILTER_BITS) };
      this.stretches.push(last);
    }
    last.keys.add(hashOf(key, this.salt));
  }

  /** In the order of their offsets all places that may hold a record of one of the keys. */
  whereaboutsOf(keys: Iterable<string>): readonly Whereabouts[] {
    const places: Whereabouts[] = [];
    const hashed: { key: string; hash: KeyHash; since: number }[] = [];
    for (const key of keys) {
      const { from, to, knownTo } = this.seen.get(key) ?? { from: 0, to: 0, knownTo: 0 };
      if (from < to) places.push({ from, to, keys: [key] });
      if (knownTo < this.end) hashed.push({ key, hash: hashOf(key, this.salt), since: knownTo });
    }
    if (hashed.length > 0)
      for (const { from, to, keys: known } of this.stretches) {
        const may = hashed.filter(({ hash, since }) => since < to && known.mayHold(hash));
        if (may.length === 0) continue;
        // What was seen of a key is not looked at again.
        const since = may.reduce((least, each) => Math.min(least, each.since), to);
        places.push({ from: Math.max(from, since), to, keys: may.map(({ key }) => key) });
      }
    return places.sort((a, b) => a.from - b.from);
  }

  /**
   * Remembers where all records of a key are, as far as is known: an attacker that forges one result of a problem forges many.
   * @param offsets of its records, in any order
   */
  see(key: string, offsets: readonly number[]): void {
    const [from, to] = offsets.length === 0 ? [0, 0] : [Math.min(...offsets), Math.max(...offsets) + 1];
    this.seen.delete(key);
    if (to - from > STRETCH_RECORDS || key.length > MAX_SEEN_CHARACTERS) return;
    this.seen.set(key, { from, to, knownTo: this.end });
    if (this.seen.size > MOST_SEEN) this.seen.delete(this.seen.keys().next().value!);
  }

  private join(): void {
    const half = 2 * Math.ceil(this.stretches.length / 4);
    const joined: Stretch[] = [];
    for (let at = 0; at < half; at += 2) {
      const [left, right] = this.stretches.slice(at, at + 2) as [Stretch, Stretch];
      left.to = right.to;
      left.keys.addAll(right.keys);
      joined.push(left);
    }
    this.stretches = [...joined, ...this.stretches.slice(half)];
  }
}
