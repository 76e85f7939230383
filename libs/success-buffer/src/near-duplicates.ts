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
 * Per text: 4 bytes per shingle, 128 for the band hashes, 128 for the chains and 256 … 512 for the tables; the signature
 * itself is not kept.
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
  for (let p = 0; p < PERMUTATIONS; p++) {
    const a = MULTIPLIERS[p]!;
    const b = INCREMENTS[p]!;
    let least = 0x7fffffff;
    for (let i = 0; i < shingles.length; i++) {
      const value = (Math.imul(a, shingles[i]!) + b) | 0;
      if (value < least) least = value;
    }
    signature[p] = least;
  }
  return signature;
}

function grown(array: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(length);
  larger.set(array);
  return larger;
}

export class NearDuplicateClusters {
  private count = 0;
  private capacity = 4;
  /** Slots per band's table: a power of two, at least twice the capacity. */
  private slots = 8;
  private parents = new Int32Array(4);
  private bandHashes = new Int32Array(4 * BANDS); // [text, band]
  private next = new Int32Array(4 * BANDS); // [text, band] → following text + 1 of the chain
  private heads = new Int32Array(8 * BANDS); // [band, slot] → first text + 1 of the chain
  private shingles = new Int32Array(64); // all sets, one behind the other
  private ends = new Int32Array(4);
  private lastProbe = new Int32Array(4);
  private readonly signature = new Int32Array(PERMUTATIONS);

  /** Texts whose Jaccard similarity over `shingleWords`-word shingles reaches `threshold` are joined. */
  constructor(private readonly settings: { readonly threshold: number; readonly shingleWords: number }) {}

  /** Number of texts added. */
  get size(): number {
    return this.count;
  }

  /** Adds a text and joins it with what it resembles; returns its number (0, 1, 2, …). */
  add(text: string): number {
    const set = shingleSet(text, this.settings.shingleWords);
    this.reserve(set.length);
    const id = this.count++;
    const begin = id === 0 ? 0 : this.ends[id - 1]!;
    this.shingles.set(set, begin);
    this.ends[id] = begin + set.length;
    this.parents[id] = id;
    minHash(set, this.signature);
    for (let band = 0; band < BANDS; band++) {
      const hash = this.bandHash(band);
      this.bandHashes[id * BANDS + band] = hash;
      const head = band * this.slots + (hash & (this.slots - 1));
      this.probe(id, set, band, hash, this.heads[head]!);
      this.next[id * BANDS + band] = this.heads[head]!;
      this.heads[head] = id + 1;
    }
    return id;
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

  private probe(id: number, set: Int32Array, band: number, hash: number, first: number): void {
    for (let entry = first; entry !== 0; entry = this.next[(entry - 1) * BANDS + band]!) {
      const other = entry - 1;
      if (this.bandHashes[other * BANDS + band] !== hash || this.lastProbe[other] === id) continue;
      this.lastProbe[other] = id;
      if (this.clusterOf(other) === this.clusterOf(id)) continue;
      if (jaccard(set, this.shinglesOf(other)) >= this.settings.threshold) this.join(other, id);
    }
  }

  private join(a: number, b: number): void {
    const first = this.clusterOf(a);
    const second = this.clusterOf(b);
    this.parents[Math.max(first, second)] = Math.min(first, second);
  }

  private shinglesOf(id: number): Int32Array {
    return this.shingles.subarray(id === 0 ? 0 : this.ends[id - 1]!, this.ends[id]);
  }

  private bandHash(band: number): number {
    let hash = band;
    for (let row = 0; row < ROWS; row++) hash = mix32(Math.imul(hash, 31) ^ this.signature[band * ROWS + row]!);
    return hash;
  }

  private reserve(shingleCount: number): void {
    const used = this.count === 0 ? 0 : this.ends[this.count - 1]!;
    if (used + shingleCount > this.shingles.length) {
      this.shingles = grown(this.shingles, Math.max(used + shingleCount, Math.ceil(this.shingles.length * 1.5)));
    }
    if (this.count < this.capacity) return;
    this.capacity = Math.ceil(this.capacity * 1.5);
    this.parents = grown(this.parents, this.capacity);
    this.bandHashes = grown(this.bandHashes, this.capacity * BANDS);
    this.next = grown(this.next, this.capacity * BANDS);
    this.ends = grown(this.ends, this.capacity);
    this.lastProbe = grown(this.lastProbe, this.capacity);
    if (this.slots < this.capacity) this.rehash(this.slots * 2);
  }

  private rehash(slots: number): void {
    this.slots = slots;
    this.heads = new Int32Array(slots * BANDS);
    for (let id = 0; id < this.count; id++) {
      for (let band = 0; band < BANDS; band++) {
        const head = band * slots + (this.bandHashes[id * BANDS + band]! & (slots - 1));
        this.next[id * BANDS + band] = this.heads[head]!;
        this.heads[head] = id + 1;
      }
    }
  }
}
