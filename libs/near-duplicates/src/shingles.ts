/**
 * A text as the set of its word n-grams, each a 32-bit hash. Words are runs of letters and digits, lower-cased;
 * punctuation and white space do not count. A character of a script without word spaces (CJK) counts as a word.
 */

const FNV_OFFSET = 0x811c9dc5; // FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/
const FNV_PRIME = 0x01000193;

/** Bit mixer of MurmurHash3 (fmix32): every input bit reaches every output bit. */
export function mix32(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

// 0: separator, 1: word character, 2: word by itself
function characterClass(code: number): 0 | 1 | 2 {
  if (code < 128)
    return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90) ? 1 : 0;
  if (code >= 0x2e80 && code <= 0xd7ff) return 2;
  // General punctuation and the Latin-1 symbols below the letters.
  if ((code >= 0x2000 && code <= 0x206f) || code === 0xa0 || (code > 0xa0 && code < 0xaa)) return 0;
  return 1;
}

function wordHashes(text: string): number[] {
  const words: number[] = [];
  let hash = FNV_OFFSET;
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const kind = characterClass(code);
    if (kind === 1) {
      hash = Math.imul(hash ^ code, FNV_PRIME);
      length++;
      continue;
    }
    if (length > 0) words.push(mix32(hash));
    hash = FNV_OFFSET;
    length = 0;
    if (kind === 2) words.push(mix32(Math.imul(FNV_OFFSET ^ code, FNV_PRIME)));
  }
  if (length > 0) words.push(mix32(hash));
  return words;
}

/**
 * The set of hashed `size`-word shingles, ascending and without repeats (Int32Array). A text shorter than `size` words is
 * one shingle of all its words; a text without words is the empty set.
 */
export function shingleSet(text: string, size: number): Int32Array {
  const words = wordHashes(text.normalize('NFKC').toLowerCase());
  if (words.length === 0) return new Int32Array(0);
  const width = Math.min(size, words.length);
  const count = words.length - width + 1;
  const hashes = new Int32Array(count);
  for (let start = 0; start < count; start++) {
    let hash = width;
    for (let i = 0; i < width; i++) hash = mix32(Math.imul(hash, 31) ^ words[start + i]!);
    hashes[start] = hash;
  }
  hashes.sort();
  let kept = 1;
  for (let i = 1; i < count; i++) if (hashes[i] !== hashes[i - 1]) hashes[kept++] = hashes[i]!;
  return hashes.subarray(0, kept);
}

/** |a ∩ b| / |a|: the share of a text's runs of `size` words that another text has too; 0 for a text without words. */
export function sharedRuns(text: string, other: string, size: number): number {
  const [runs, others] = [shingleSet(text, size), new Set(shingleSet(other, size))];
  return runs.length === 0 ? 0 : runs.filter((run) => others.has(run)).length / runs.length;
}

/** |a ∩ b| / |a ∪ b| of two ascending sets; 1 for two empty ones. */
export function jaccard(a: Int32Array, b: Int32Array): number {
  if (a.length === 0 && b.length === 0) return 1;
  let i = 0;
  let j = 0;
  let shared = 0;
  while (i < a.length && j < b.length) {
    const left = a[i]!;
    const right = b[j]!;
    if (left === right) shared++;
    if (left <= right) i++;
    if (right <= left) j++;
  }
  return shared / (a.length + b.length - shared);
}
