/**
 * The items that suit a problem best: BM25 (Robertson and Zaragoza 2009, k1 1.2, b 0.75) with the library as the collection and the
 * problem as the query. Words are compared in the form in which quotes are (libs/experience), ties stay in the library's order.
 */
import { comparable } from '@seamstream/experience';
import type { LibraryItem } from './library.js';

const K1 = 1.2;
const B = 0.75;

const wordsOf = (text: string): readonly string[] => comparable(text).match(/[\p{L}\p{N}]+/gu) ?? [];

/** @param most null: all, in the library's order */
export function retrieved(
  items: readonly LibraryItem[],
  problem: { readonly domain: string; readonly prompt: string },
  most: number | null,
): readonly LibraryItem[] {
  const own = items.filter(({ domain }) => domain === null || domain === problem.domain);
  if (most === null || own.length <= most) return own;
  const texts = own.map(({ text }) => wordsOf(text));
  const meanLength = texts.reduce((sum, { length }) => sum + length, 0) / own.length || 1;
  const holders = new Map<string, number>();
  for (const words of texts) for (const word of new Set(words)) holders.set(word, (holders.get(word) ?? 0) + 1);
  const query = new Set(wordsOf(problem.prompt));
  const scores = texts.map((words) => {
    const counts = new Map<string, number>();
    for (const word of words) if (query.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
    let score = 0;
    for (const [word, count] of counts) {
      const holding = holders.get(word)!;
      const rarity = Math.log(1 + (own.length - holding + 0.5) / (holding + 0.5));
      score += (rarity * count * (K1 + 1)) / (count + K1 * (1 - B + (B * words.length) / meanLength));
    }
    return score;
  });
  const best = [...own.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b).slice(0, most);
  return best.sort((a, b) => a - b).map((at) => own[at]!);
}
