/**
 * Which keys may have been seen, in memory that does not grow: a Bloom filter (Bloom 1970, "Space/time trade-offs in hash coding with
 * allowable errors"). It never denies a key that it was given; of n keys in m bits it takes another one for one of them with a chance of
 * about (1 − e^(−6n/m))⁶: one in a thousand at 16 bits a key. After the answer `may` the caller looks up the truth.
 */
import type { KeyHash } from '@seamstream/kernel';

/** Bits per key that are set and asked for; near the best number, 0.7 m/n, at 8 to 10 bits a key. */
const PROBES = 6;

export class KeyFilter {
  private readonly words: Uint32Array;
  private readonly mask: number;

  /** @param bits a power of two, 32 at least */
  constructor(bits: number) {
    this.words = new Uint32Array(bits / 32);
    this.mask = bits - 1;
  }

  add({ first, second }: KeyHash): void {
    for (let probe = 0; probe < PROBES; probe++) {
      const bit = (first + Math.imul(probe, second)) & this.mask;
      this.words[bit >>> 5]! |= 1 << (bit & 31);
    }
  }

  mayHold({ first, second }: KeyHash): boolean {
    for (let probe = 0; probe < PROBES; probe++) {
      const bit = (first + Math.imul(probe, second)) & this.mask;
      if ((this.words[bit >>> 5]! & (1 << (bit & 31))) === 0) return false;
    }
    return true;
  }

  /** Takes in all keys of another one of the same size. */
  addAll(other: KeyFilter): void {
    for (let at = 0; at < this.words.length; at++) this.words[at]! |= other.words[at]!;
  }
}
