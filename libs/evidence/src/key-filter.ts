/**
 * Which keys may have been seen, in memory that does not grow: a Bloom filter (Bloom 1970, "Space/time trade-offs in hash coding with
 * allowable errors"). It never denies a key that it was given; of n keys in m bits it takes another one for one of them with a chance of
 * about (1 − e^(−6n/m))⁶: one in a thousand at 16 bits a key. After the answer `may` the caller looks up the truth.
 */

/** Bits per key that are set and asked for; near the best number, 0.7 m/n, at 8 to 10 bits a key. */
const PROBES = 6;

/** Two independent numbers of 32 bits, from which all probes of a key follow (Kirsch and Mitzenmacher 2006). */
export interface KeyHash {
  readonly first: number;
  readonly second: number;
}

/**
 * Of a key's UTF-16 units, in one pass each way of mixing: multiply and shift, with MurmurHash3's constants and its finish.
 * @param salt of this process, so that no client can choose keys that are taken for one another
 */
export function hashOf(key: string, salt: number): KeyHash {
  let [first, second] = [salt ^ 0x85ebca6b, salt ^ 0xc2b2ae35];
  for (let at = 0; at < key.length; at++) {
    const unit = key.charCodeAt(at);
    first = Math.imul(first ^ unit, 0xcc9e2d51);
    first = (first << 15) | (first >>> 17);
    second = Math.imul(second ^ unit, 0x1b873593);
    second = (second << 13) | (second >>> 19);
  }
  return { first: finished(first ^ key.length), second: finished(second) | 1 };
}

function finished(mixed: number): number {
  let hash = mixed ^ (mixed >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

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
