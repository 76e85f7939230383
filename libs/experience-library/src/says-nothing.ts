/**
 * Whether a text can help a solver at all. A small model that is asked for JSON often gives back what it was shown: the "…" of the form,
 * the form itself, a sentence of the instructions. Nothing of that is an experience, and rules of size alone let it pass.
 */
import { isDeepStrictEqual } from 'node:util';
import { sharedRuns } from '@seamstream/near-duplicates';
import { hasContent } from './content-words.js';
import type { ExperienceLibrary, LibraryItem } from './library.js';
import { figuresIn, unmarkedWordsIn, wordsIn } from './plain-words.js';

/** White space and control characters are no part of an experience. */
export function tidy(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
}

/** Letters and signs that show nothing: fillers of scripts, and blanks of Braille and of hieroglyphs. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\u2800\u{13441}\u{13442}]/gu;
/** What a reader sees, in the plain form of each letter: "ｎｏｎｅ" is "none". */
const seen = (text: string): string => tidy(text.replaceAll(UNSEEN, '').normalize('NFKC').replaceAll(UNSEEN, ''));

/** A text that no reader sees. A sign alone is seen, and may help: "+" where a calculation is asked for. */
export function showsNothing(text: string): boolean {
  return seen(text) === '';
}

/** A model's text in which nothing can be read: it shows nothing, or signs without a letter or a digit. */
export function saysNothing(text: string): boolean {
  return !/[\p{L}\p{N}]/u.test(seen(text));
}

/** Whether a model's text talks of nothing but the question and its own answer: "Not applicable", "When [condition], [strategy].". */
export function lacksContent(text: string, needs: TextNeeds): boolean {
  return needs !== 'letter' && !hasContent(seen(text), needs === 'content');
}

/** Whether two texts have the same numbers and signs, in the same order. */
export function haveEqualFigures(one: string, other: string): boolean {
  return isDeepStrictEqual(figuresIn(seen(one)), figuresIn(seen(other)));
}

/** What is written where there is nothing to say. */
const NO_ANSWER =
  /^(?:(?:none|no (?:experiences?|texts?|operations?|proposals?|changes?|advice|answer)|null|undefined|nothing|empty|n a|na|todo|tbd|placeholder)(?: yet)?(?: |$))+$/;
const SHINGLE_WORDS = 2;
/** Share of a text's pairs of words from which on it is the instructions again: the similarity of near duplicates. */
const ECHO = 0.8;

/**
 * Why a text of a model is no experience, in words; undefined for one that may be. What it was asked may hold forms and sentences, but
 * no material of a problem: an experience may repeat that.
 * @param needs other than `meaning`: words are read as earlier releases did
 */
export function emptyReply(text: string, asked: readonly string[], needs: TextNeeds): string | undefined {
  const wordsOf = needs === 'meaning' ? wordsIn : unmarkedWordsIn;
  const own = unfenced(seen(text));
  const words = wordsOf(own).join(' ');
  // A pair of words cannot be shared by a text that is one word.
  const isWordOf = (each: string): boolean => !words.includes(' ') && wordsOf(each).includes(words);
  if (NO_ANSWER.test(words)) return 'its text says that there is nothing to say';
  if (isOfJson(own)) return 'its text is JSON';
  if (asked.some((each) => sharedRuns(words, each, SHINGLE_WORDS) >= ECHO || isWordOf(each)))
    return 'its text repeats what the model was asked';
  return undefined;
}

/** Without the fence of code around it. */
function unfenced(text: string): string {
  if (!text.startsWith('```')) return text;
  const inner = text
    .replace(/^`+(?:\w+\s)?/u, '')
    .replaceAll('`', '')
    .trim();
  return inner === '' ? text : inner;
}

/** An object or a list, or a part of the form that was asked for. Brackets alone do not count: colours and coordinates have them. */
function isOfJson(text: string): boolean {
  if (/"(?:operations?|text|ids?|from|reason)"\s*:/u.test(text)) return true;
  if (!/^[{[]/u.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * What a text of a model, which has calls as its grounds, needs: a letter or a digit (`letter`), words that talk of something (`content`),
 * or such words or a relation (`meaning`).
 */
export type TextNeeds = 'letter' | 'content' | 'meaning';

const isEmpty = ({ text, provenance: { calls } }: LibraryItem, needs: TextNeeds): boolean => {
  if (calls.length === 0) return showsNothing(text);
  return saysNothing(text) || lacksContent(text, needs);
};

/** What an item does: ids and grounds are not in it. */
const actOf = ({ text, domain, field }: LibraryItem): string => JSON.stringify([domain, field, text]);

/**
 * Why a library must not be served: nothing is in it, or nothing else than in its parent. Undefined for any other.
 * @param parent null: the empty library
 * @param needs what its run was planned with
 */
export function unservable(
  { items }: Pick<ExperienceLibrary, 'items'>,
  parent: Pick<ExperienceLibrary, 'items'> | null,
  needs: TextNeeds = 'meaning',
): string | undefined {
  if (items.every((item) => isEmpty(item, needs))) return 'no text is in the library';
  const [own, before] = [items, parent?.items ?? []].map((each) => each.map(actOf).sort());
  return JSON.stringify(own) === JSON.stringify(before) ? 'the library says what its parent says' : undefined;
}
