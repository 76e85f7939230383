/**
 * Training of a byte-level BPE (Sennrich et al. 2016, https://arxiv.org/abs/1508.07909; bytes as in GPT-2). Merges are
 * chosen as the `tokenizers` library's BpeTrainer does: the most frequent adjacent pair, the pair with the lower ids among
 * equals. So the result is a function of the texts' word counts alone. Meant for corpora of a few megabytes.
 */
import { SeamError } from '@seamstream/kernel';
import { byteToUnicode } from './byte-level-alphabet.js';
import type { TokenizerJson } from './tokenizer-json.js';

/** GPT-2's pre-tokenization (openai/gpt-2 src/encoder.py): merges never cross these pieces. */
// eslint-disable-next-line regexp/no-super-linear-move -- a tokenizer is trained on its owner's texts
const PIECES = /'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

interface Word {
  ids: number[];
  readonly count: number;
}

/**
 * The tokenizer.json of a vocabulary learned from the texts: special tokens first, then the 256 bytes, then merges.
 * Fewer than `vocabularySize` tokens come out where no pair is left to merge.
 * @throws INVALID_INPUT when the size does not hold the bytes and the special tokens.
 */
export function trainByteLevelBpe(
  texts: Iterable<string>,
  vocabularySize: number,
  specialTokens: readonly string[],
): TokenizerJson {
  if (!Number.isInteger(vocabularySize) || vocabularySize < 256 + specialTokens.length) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot train a tokenizer: expected a vocabulary of at least ${256 + specialTokens.length} (256 bytes and ${specialTokens.length} special tokens), got ${vocabularySize}.`,
    );
  }
  const tokens = [...specialTokens, ...[...byteToUnicode].sort()];
  const idOf = new Map(tokens.map((token, id) => [token, id]));
  const words = countWords(texts, idOf);
  const merges: [string, string][] = [];

  const pairs = new PairCounts(words, vocabularySize);
  while (tokens.length < vocabularySize) {
    const pair = pairs.mostFrequent();
    if (pair === undefined) break;
    const { left, right } = pair;
    const merged = `${tokens[left]}${tokens[right]}`;
    merges.push([tokens[left]!, tokens[right]!]);
    let id = idOf.get(merged);
    if (id === undefined) {
      id = tokens.length;
      tokens.push(merged);
      idOf.set(merged, id);
    }
    pairs.merge(pair, id);
  }
  return byteLevelTokenizer(tokens, specialTokens, merges);
}

/** Counts per adjacent pair, and which words may hold it; only the words of a merged pair are touched again. */
class PairCounts {
  private readonly counts = new Map<number, number>();
  private readonly wordsOfPair = new Map<number, Set<number>>();

  /** @param words are changed by merges */
  constructor(
    private readonly words: readonly Word[],
    private readonly vocabularySize: number,
  ) {
    for (let word = 0; word < words.length; word++) this.count(word, 1);
  }

  /** The pair that is met most often, of equals the one with the lower ids; undefined where no pair is left. */
  mostFrequent(): { readonly left: number; readonly right: number } | undefined {
    let bestKey = -1;
    let bestCount = 0;
    for (const [key, count] of this.counts) {
      if (count > bestCount || (count === bestCount && count > 0 && key < bestKey)) {
        bestKey = key;
        bestCount = count;
      }
    }
    if (bestKey < 0) return undefined;
    return { left: Math.floor(bestKey / this.vocabularySize), right: bestKey % this.vocabularySize };
  }

  /** Replaces the pair by one token in every word that holds it. */
  merge({ left, right }: { readonly left: number; readonly right: number }, id: number): void {
    const key = left * this.vocabularySize + right;
    for (const word of this.wordsOfPair.get(key) ?? []) {
      this.count(word, -1);
      this.words[word]!.ids = replacePair(this.words[word]!.ids, left, right, id);
      this.count(word, 1);
    }
    this.counts.delete(key);
    this.wordsOfPair.delete(key);
  }

  private count(word: number, sign: 1 | -1): void {
    const { ids, count } = this.words[word]!;
    for (let i = 0; i + 1 < ids.length; i++) {
      const key = ids[i]! * this.vocabularySize + ids[i + 1]!;
      this.counts.set(key, (this.counts.get(key) ?? 0) + sign * count);
      if (sign < 0) continue;
      let holders = this.wordsOfPair.get(key);
      if (holders === undefined) this.wordsOfPair.set(key, (holders = new Set()));
      holders.add(word);
    }
  }
}

function byteLevelTokenizer(
  tokens: readonly string[],
  specialTokens: readonly string[],
  merges: [string, string][],
): TokenizerJson {
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: specialTokens.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: null,
    decoder: byteLevel,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges,
    },
  } as TokenizerJson;
}

function countWords(texts: Iterable<string>, idOf: ReadonlyMap<string, number>): Word[] {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const [piece] of text.toWellFormed().matchAll(PIECES)) counts.set(piece, (counts.get(piece) ?? 0) + 1);
  }
  const encoder = new TextEncoder();
  return [...counts].map(([piece, count]) => ({
    count,
    ids: Array.from(encoder.encode(piece), (byte) => idOf.get(byteToUnicode[byte]!)!),
  }));
}

/** Replaces every non-overlapping (left, right) from the left. */
function replacePair(ids: readonly number[], left: number, right: number, merged: number): number[] {
  const result: number[] = [];
  for (let i = 0; i < ids.length; i++) {
    if (ids[i] === left && ids[i + 1] === right) {
      result.push(merged);
      i++;
    } else {
      result.push(ids[i]!);
    }
  }
  return result;
}
