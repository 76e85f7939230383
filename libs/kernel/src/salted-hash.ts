/** Hashes of keys that strangers choose, for tables and filters in memory. No digest: two keys may have the same. */

/** Two independent numbers of 32 bits, from which any number of others follow (Kirsch and Mitzenmacher 2006). */
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
