/**
 * What there is to know in a domain. A statement lists a stock of four or five items and asks about it in words that do
 * not name the items: a cue word (bow), a phrase (small) and perhaps a pitfall (a split board). The lore says which advice
 * each of those words calls for. An entry quotes the word and gives an advice, `for bow yew`: the word can be read in the
 * statement, the advice must be learned. Which advice a word calls for is not in the statement, in the schema, or in any shipped
 * model (shipped-models.spec.ts asks word by word). Which words share an item shows a little: no statement asks for two of one.
 */

export type WorldVariant = 'base' | 'shifted';

/** What an entry says to its reader, resolved against the stock of the statement. */
export interface Told {
  /** Items in the entry's order: as many as the domain's `numCues`. */
  readonly items: readonly { readonly name: string; readonly amount: string }[];
  readonly strategy: string;
  /** −1: one less, 1: one more, 0: no pitfall. */
  readonly correction: -1 | 0 | 1;
}

/** A solution as the executor was trained to write it. */
export interface Solution {
  /** One line of working and one line with the answer, ending where the text ends. */
  readonly response: string;
  readonly answer: string;
}

/** A sentence that may be part of a statement, with the words that can fill it. */
export interface PitfallSentence {
  /** With `{word}`. */
  readonly text: string;
  /** Word to advice. */
  readonly words: Readonly<Record<string, string>>;
}

export interface Lore {
  readonly domain: string;
  readonly variant: WorldVariant;
  /** Opens the statement, before the stock. */
  readonly heading: string;
  /** Items of the stock, in no order. */
  readonly items: readonly string[];
  /** Amounts are drawn from these, each at most once per statement. */
  readonly amounts: readonly string[];
  /** Cue words in a statement: entries have as many concepts. Two cues stand for different items. */
  readonly numCues: 1 | 2;
  /** Cue word to item. */
  readonly cues: Readonly<Record<string, string>>;
  /** Phrase to strategy. */
  readonly phrases: Readonly<Record<string, string>>;
  readonly pitfalls: readonly PitfallSentence[];
  /** Questions with `{cue}`, `{phrase}`, `{pitfall}` and, for two cues, `{other}`. */
  readonly questions: readonly string[];
  readonly verifier: 'exact' | 'numeric';
  /** What an obedient reader of an entry writes. */
  readonly solve: (told: Told) => Solution;
}

/** ` less 1 = 4` behind an amount of 5, or nothing. */
export function correctionNote(amount: number, correction: Told['correction']): string {
  if (correction === 0) return '';
  return ` ${correction > 0 ? 'plus' : 'less'} 1 = ${amount + correction}`;
}

/** The two advices about a pitfall and what they do to an amount. */
export const CORRECTIONS: Readonly<Record<string, Told['correction']>> = { 'one less': -1, 'one more': 1 };

/** First, first + step, …, last, as they are written. */
export function numbers(first: number, last: number, step = 1): string[] {
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => String(first + index * step));
}
