import { sha256 } from './digest.js';

/**
 * Seeded pseudo-random numbers: xoshiro128** 1.1 (Blackman and Vigna, https://prng.di.unimi.it/xoshiro128starstar.c),
 * its 128 bits of state taken from the SHA-256 of the seed's text. Fast, small, and equal on every platform.
 * Not for secrets.
 */
export class Random {
  private constructor(
    private a: number,
    private b: number,
    private c: number,
    private d: number,
  ) {}

  /** A stream for the seed's parts; equal parts give equal streams, other parts independent ones. */
  static of(...seed: (string | number)[]): Random {
    const hex = sha256(seed.join('\u001f'));
    const word = (index: number): number => Number.parseInt(hex.slice(index * 8, index * 8 + 8), 16) | 0;
    return new Random(word(0), word(1), word(2), word(3));
  }

  /** Uniform over the integers 0 … 2^32 − 1. */
  uint32(): number {
    const product = Math.imul(this.b, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9);
    const shifted = this.b << 9;
    this.c ^= this.a;
    this.d ^= this.b;
    this.b ^= this.c;
    this.a ^= this.d;
    this.c ^= shifted;
    this.d = (this.d << 11) | (this.d >>> 21);
    return result >>> 0;
  }

  /** Uniform in [0, 1) with 53 bits. */
  float(): number {
    return ((this.uint32() >>> 5) * 67108864 + (this.uint32() >>> 6)) / 9007199254740992;
  }

  /** Uniform over 0 … bound − 1. `bound` is a positive integer. */
  int(bound: number): number {
    return Math.floor(this.float() * bound);
  }

  /** One of the items; throws on an empty list. */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('Random.pick: the list is empty');
    return items[this.int(items.length)] as T;
  }

  /** A shuffled copy (Fisher–Yates). */
  shuffled<T>(items: readonly T[]): T[] {
    const result = [...items];
    for (let i = result.length - 1; i > 0; i--) {
      const j = this.int(i + 1);
      [result[i], result[j]] = [result[j] as T, result[i] as T];
    }
    return result;
  }

  /** A standard normal number (Box–Muller). */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.float()));
    return radius * Math.cos(2 * Math.PI * this.float());
  }
}
