/**
 * Which partition a key belongs to, exactly as Kafka's default partitioner decides for keyed records, so that a log can
 * move between drivers and a key keeps its partition.
 * Source: org.apache.kafka.common.utils.Utils.murmur2 and BuiltInPartitioner.partitionForKey (Apache Kafka 2.x to 4.x).
 */

/** Seed, multiplier and shift of MurmurHash2 as Kafka uses it. */
const SEED = 0x9747b28c;
const M = 0x5bd1e995;
const R = 24;

const utf8 = new TextEncoder();

/** MurmurHash2 of the bytes, 32 bits, as the signed integer that Kafka's Java client computes. */
export function murmur2(bytes: Uint8Array): number {
  const length = bytes.length;
  let hash = SEED ^ length;
  const whole = length & ~3;
  for (let i = 0; i < whole; i += 4) {
    let word = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    word = Math.imul(word, M);
    word ^= word >>> R;
    word = Math.imul(word, M);
    hash = Math.imul(hash, M) ^ word;
  }
  const rest = length - whole;
  if (rest >= 3) hash ^= bytes[whole + 2]! << 16;
  if (rest >= 2) hash ^= bytes[whole + 1]! << 8;
  if (rest >= 1) hash = Math.imul(hash ^ bytes[whole]!, M);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, M);
  hash ^= hash >>> 15;
  return hash | 0;
}

/** Partition of a key: (murmur2(UTF-8 bytes) & 0x7fffffff) mod `partitions`. */
export function partitionForKey(key: string, partitions: number): number {
  return (murmur2(utf8Of(key)) & 0x7fffffff) % partitions;
}

/** Bytes of short keys, by their number: a record's key is hashed several times on its way, and making bytes for it was most of the cost. */
const SHORT_KEY_BYTES = 128;
const shortKeys = Array.from({ length: SHORT_KEY_BYTES + 1 }, (_, length) => new Uint8Array(length));

/** Valid until the next call. */
function utf8Of(key: string): Uint8Array {
  const bytes = shortKeys[key.length];
  if (bytes === undefined) return utf8.encode(key);
  for (let at = 0; at < key.length; at++) {
    const code = key.charCodeAt(at);
    if (code > 0x7f) return utf8.encode(key);
    bytes[at] = code;
  }
  return bytes;
}
