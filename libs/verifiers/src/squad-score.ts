/**
 * SQuAD's own measures of a short answer: exact match and F1, each the best over the gold answers.
 * As the official scripts (https://rajpurkar.github.io/SQuAD-explorer, evaluate-v1.1.py and evaluate-v2.0.py): lower case, ASCII
 * punctuation taken out, then the articles, then white space collapsed.
 *
 * One departure: a text of which nothing is left (an answer "The", or "%") is compared in lower case as it stands. By the scripts an
 * empty answer would be right there.
 */

export interface SquadScore {
  /** Whether the answer equals one of the gold answers, both normalised. */
  readonly isExact: boolean;
  /** Harmonic mean of precision and recall over the words, the best over the gold answers: 0 … 1. */
  readonly f1: number;
}

/** Python's string.punctuation. */
const PUNCTUATION = /[!-/:-@[-`{-~]/g;
/** A word ends where Python's \b ends it: letters, digits and _ of any script belong to words, combining marks do not. */
const ARTICLE = /(?<![\p{L}\p{N}_])(?:an?|the)(?![\p{L}\p{N}_])/gu;
/** What Python's str.split() separates by. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: Python counts these controls as white space
const SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

const wordsOf = (text: string): readonly string[] => text.split(SPACE).filter((word) => word !== '');

/** The words that are compared. */
function squadWords(text: string): readonly string[] {
  const lower = text.toLowerCase();
  const words = wordsOf(lower.replaceAll(PUNCTUATION, '').replaceAll(ARTICLE, ' '));
  return words.length > 0 ? words : wordsOf(lower);
}

/** @param golds at least one; answers that are as right as each other */
export function squadScore(answer: string, golds: readonly string[]): SquadScore {
  const said = squadWords(answer);
  let [isExact, f1] = [false, 0];
  for (const gold of golds.map(squadWords)) {
    isExact ||= gold.length > 0 && said.join(' ') === gold.join(' ');
    f1 = Math.max(f1, wordF1(said, gold));
  }
  return { isExact, f1 };
}

/** 2·P·R / (P + R) over the words as multisets. */
function wordF1(said: readonly string[], gold: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of gold) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of said) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    shared++;
  }
  return shared === 0 ? 0 : (2 * shared) / (said.length + gold.length);
}
