/**
 * Clusters of near-duplicate texts: MinHash signatures (Broder 1997, https://doi.org/10.1109/SEQUEN.1997.666900), banded
 * into a locality-sensitive index, every collision checked against the exact Jaccard similarity of the shingle sets, and
 * the pairs that pass joined by union-find. Whether two texts are joined depends on the two texts alone, and the closure
 * of those pairs on the set of texts alone: the clusters do not depend on the order of arrival.
 *
 *   text ─► shingle set ─► signature of 128 minima ─► 32 bands of 4 ─► one hash table per band
 *
 * 32 × 4 bands find a pair of similarity s with probability 1 − (1 − s⁴)³²: 0.87 at 0.5, 0.9998 at 0.7, 1 − 4·10⁻⁸ at 0.8.
 *
 * Per text: 4 bytes per shingle, 128 for the band hashes, 128 for the chains and 128 … 256 for the tables; the signature
 * itself is not kept. The place of a text that was removed is used again.
 */
import { jaccard, mix32, shingleSet } from './shingles.js';

const BANDS = 32;
const ROWS = 4;
const PERMUTATIONS = BANDS * ROWS;

// Permutation i of 32-bit hashes is x ↦ a_i · x + b_i mod 2³² with odd a_i: a bijection. Fixed, so that digests are.
const MULTIPLIERS = Int32Array.from({ length: PERMUTATIONS }, (_, i) => mix32(0x9e3779b9 + i) | 1);
const INCREMENTS = Int32Array.from({ length: PERMUTATIONS }, (_, i) => mix32(0x7f4a7c15 + i));

/** Minima of the set under each permutation, in signed order. Int32Array [128]. */
export function minHash(shingles: Int32Array, signature: Int32Array = new Int32Array(PERMUTATIONS)): Int32Array {
  const { length } = shingles;
  // Four at a time, which nothing makes wait for one another: two thirds of the time of one after the other.
  for (let p = 0; p < PERMUTATIONS; p += 4) {
    const [a0, a1, a2, a3] = [MULTIPLIERS[p]!, MULTIPLIERS[p + 1]!, MULTIPLIERS[p + 2]!, MULTIPLIERS[p + 3]!];
    const [b0, b1, b2, b3] = [INCREMENTS[p]!, INCREMENTS[p + 1]!, INCREMENTS[p + 2]!, INCREMENTS[p + 3]!];
    let [least0, least1, least2, least3] = [0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff];
    for (let i = 0; i < length; i++) {
      const shingle = shingles[i]!;
      const value0 = (Math.imul(a0, shingle) + b0) | 0;
      const value1 = (Math.imul(a1, shingle) + b1) | 0;
      const value2 = (Math.imul(a2, shingle) + b2) | 0;
      const value3 = (Math.imul(a3, shingle) + b3) | 0;
      if (value0 < least0) least0 = value0;
      if (value1 < least1) least1 = value1;
      if (value2 < least2) least2 = value2;
      if (value3 < least3) least3 = value3;
    }
    signature[p] = least0;
    signature[p + 1] = least1;
    signature[p + 2] = least2;
    signature[p + 3] = least3;
  }
  return signature;
}

/** Of the text that is being added, whichever index it is added to. */
const SIGNATURE = new Int32Array(PERMUTATIONS);

function bandHash(band: number): number {
  let hash = band;
  for (let row = 0; row < ROWS; row++) hash = mix32(Math.imul(hash, 31) ^ SIGNATURE[band * ROWS + row]!);
  return hash;
}

function grown(array: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(length);
  larger.set(array);
  return larger;
}

export class NearDuplicateClusters {
  /** Places in use or free: ids are below it. */
  private places = 0;
  private readonly free: number[] = [];
  private capacity = 4;
  /** Slots per band's table: a power of two, at least the capacity. */
  private slots = 8;
  private parents = new Int32Array(4);
  private bandHashes = new Int32Array(4 * BANDS); // [text, band]
  private next = new Int32Array(4 * BANDS); // [text, band] → following text + 1 of the chain
  private heads = new Int32Array(8 * BANDS); // [band, slot] → first text + 1 of the chain
  private shingles = new Int32Array(64); // all sets, one behind the other
  private usedShingles = 0;
  private liveShingles = 0;
  private begins = new Int32Array(4);
  private lengths = new Int32Array(4);
  private lastProbe = new Int32Array(4); // [text] → number of the last added text that it was compared with
  private added = 0;

  /** Texts whose Jaccard similarity over `shingleWords`-word shingles reaches `threshold` are joined. */
  constructor(private readonly settings: { readonly threshold: number; readonly shingleWords: number }) {}

  /** Number of texts. */
  get size(): number {
    return this.places - this.free.length;
  }

  /**
   * Adds a text and joins it with what it resembles.
   * @param onJoin called with one text of every cluster that is joined
   * @returns its number: 0, 1, 2, …, or that of a removed one
   */
  add(text: string, onJoin?: (other: number) => void): number {
    const set = shingleSet(text, this.settings.shingleWords);
    const id = this.place(set);
    this.added = (this.added + 1) | 0;
    minHash(set, SIGNATURE);
    const { bandHashes, next, heads } = this;
    for (let band = 0; band < BANDS; band++) {
      const hash = bandHash(band);
      const head = this.headOf(band, hash);
      const first = heads[head]!;
      bandHashes[id * BANDS + band] = hash;
      if (first !== 0) this.probe(id, set, band, first, onJoin);
      next[id * BANDS + band] = first;
      heads[head] = id + 1;
    }
    return id;
  }

  /**
   * Removes all texts of a cluster: which of them would be joined without the others has to be found out by adding those again
   * that are to stay.
   * @param ids every text of one cluster
   */
  removeCluster(ids: Iterable<number>): void {
    for (const id of ids) {
      for (let band = 0; band < BANDS; band++) this.unlink(id, band);
      this.liveShingles -= this.lengths[id]!;
      this.lengths[id] = 0;
      this.parents[id] = id;
      this.free.push(id);
    }
  }

  /** Number of the cluster that the text belongs to now: equal for two texts exactly when they are joined. */
  clusterOf(id: number): number {
    let root = id;
    while (this.parents[root] !== root) root = this.parents[root]!;
    for (let at = id; this.parents[at] !== root; ) {
      const up = this.parents[at]!;
      this.parents[at] = root;
      at = up;
    }
    return root;
  }

  private probe(id: number, set: Int32Array, band: number, first: number, onJoin?: (other: number) => void): void {
    const hash = this.bandHashes[id * BANDS + band];
    for (let entry = first; entry !== 0; ) {
      const other = entry - 1;
      entry = this.next[other * BANDS + band]!;
      if (this.bandHashes[other * BANDS + band] !== hash || this.lastProbe[other] === this.added) continue;
      this.lastProbe[other] = this.added;
      const [a, b] = [this.clusterOf(other), this.clusterOf(id)];
      if (a === b || jaccard(set, this.shinglesOf(other)) < this.settings.threshold) continue;
      this.parents[Math.max(a, b)] = Math.min(a, b);
      onJoin?.(other);
    }
  }

  private unlink(id: number, band: number): void {
    const { next } = this;
    const head = this.headOf(band, this.bandHashes[id * BANDS + band]!);
    const following = next[id * BANDS + band]!;
    if (this.heads[head] === id + 1) {
      this.heads[head] = following;
      return;
    }
    let before = this.heads[head]! - 1;
    while (next[before * BANDS + band] !== id + 1) before = next[before * BANDS + band]! - 1;
    next[before * BANDS + band] = following;
  }

  private headOf(band: number, hash: number): number {
    return band * this.slots + (hash & (this.slots - 1));
  }

  private shinglesOf(id: number): Int32Array {
    return this.shingles.subarray(this.begins[id], this.begins[id]! + this.lengths[id]!);
  }

  /** A place for a text, in no chain yet. */
  private place(set: Int32Array): number {
    if (this.usedShingles + set.length > this.shingles.length) this.makeRoomFor(set.length);
    const reused = this.free.pop();
    const id = reused ?? this.places++;
    if (this.places > this.capacity) this.grow();
    this.shingles.set(set, this.usedShingles);
    this.begins[id] = this.usedShingles;
    this.lengths[id] = set.length;
    this.parents[id] = id;
    this.usedShingles += set.length;
    this.liveShingles += set.length;
    return id;
  }

  private grow(): void {
    this.capacity = Math.ceil(this.capacity * 1.5);
    this.parents = grown(this.parents, this.capacity);
    this.bandHashes = grown(this.bandHashes, this.capacity * BANDS);
    this.next = grown(this.next, this.capacity * BANDS);
    this.begins = grown(this.begins, this.capacity);
    this.lengths = grown(this.lengths, this.capacity);
    this.lastProbe = grown(this.lastProbe, this.capacity);
    if (this.slots < this.capacity) this.doubleSlots();
  }

  /** The sets of all texts behind one another again, in an array that has room for half as many more. */
  private makeRoomFor(length: number): void {
    const needed = this.liveShingles + length;
    const shingles = new Int32Array(Math.max(64, Math.ceil(needed * 1.5)));
    let used = 0;
    for (let id = 0; id < this.places; id++) {
      shingles.set(this.shinglesOf(id), used);
      this.begins[id] = used;
      used += this.lengths[id]!;
    }
    this.shingles = shingles;
    this.usedShingles = used;
  }

  private doubleSlots(): void {
    const [old, slots] = [this.heads, this.slots * 2];
    const chains = new Int32Array(slots * BANDS);
    for (let head = 0; head < old.length; head++) {
      const band = Math.floor(head / this.slots);
      for (let entry = old[head]!; entry !== 0; ) {
        const at = (entry - 1) * BANDS + band;
        const to = band * slots + (this.bandHashes[at]! & (slots - 1));
        const following = this.next[at]!;
        this.next[at] = chains[to]!;
        chains[to] = entry;
        entry = following;
      }
    }
    this.heads = chains;
    this.slots = slots;
  }
}
