/**
 * Which ids a reader has met, in at most 22 bytes each: a Set of texts takes several times as much, and throws at 2^24 of them. An id is
 * known by a salted hash of 63 bits. Of ten million ids any two have the same one in one of some 200,000 readings: one of the two is
 * then not counted.
 *
 *   hash ── its highest 8 bits ─► table ── its lowest bits ─► slot: first, second │ first, second │ 0, 0 …
 */
import { randomInt } from 'node:crypto';
import { hashOf, type KeyHash } from '@seamstream/kernel';

/** Each grows alone, so that no growth takes long. */
const TABLES = 256;
/** Slots: a power of two. */
const FIRST_SIZE = 16;
/** Of all slots, before a table grows. */
const MOST_FULL = 0.75;

export class SeenIds {
  private readonly salt = randomInt(2 ** 32);
  private readonly tables = Array.from({ length: TABLES }, () => new Table());

  /** Remembers an id. @returns whether it is new */
  add(id: string): boolean {
    const hash = this.hashOf(id);
    return this.tableOf(hash).add(hash);
  }

  has(id: string): boolean {
    const hash = this.hashOf(id);
    return this.tableOf(hash).has(hash);
  }

  /** Both as a slot holds them: without a sign. */
  private hashOf(id: string): KeyHash {
    const { first, second } = hashOf(id, this.salt);
    return { first, second: second >>> 0 };
  }

  private tableOf({ first }: KeyHash): Table {
    return this.tables[first >>> 24]!;
  }
}

class Table {
  private count = 0;
  /** Pairs. The second of a hash is odd, so 0 is a slot that is free. */
  private slots = new Uint32Array(2 * FIRST_SIZE);

  has(hash: KeyHash): boolean {
    return this.slots[this.placeOf(hash) + 1] !== 0;
  }

  add(hash: KeyHash): boolean {
    const at = this.placeOf(hash);
    if (this.slots[at + 1] !== 0) return false;
    this.put(at, hash);
    this.count++;
    if (2 * this.count > MOST_FULL * this.slots.length) this.grow();
    return true;
  }

  /** Where it is, or where it would be put. */
  private placeOf({ first, second }: KeyHash): number {
    const last = this.slots.length - 1;
    let at = (2 * first) & last;
    while (this.slots[at + 1] !== 0 && (this.slots[at] !== first || this.slots[at + 1] !== second))
      at = (at + 2) & last;
    return at;
  }

  private put(at: number, { first, second }: KeyHash): void {
    this.slots[at] = first;
    this.slots[at + 1] = second;
  }

  private grow(): void {
    const before = this.slots;
    this.slots = new Uint32Array(2 * before.length);
    for (let at = 0; at < before.length; at += 2) {
      const hash = { first: before[at]!, second: before[at + 1]! };
      if (hash.second !== 0) this.put(this.placeOf(hash), hash);
    }
  }
}
