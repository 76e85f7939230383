/**
 * A text as the rules of a library read it: its words, and its figures. Both are of a text in plain letters, as a reader sees it.
 *
 *   figures    numbers, and signs between what they relate: of "x = 3, n^2" they are =, 3, ^ and 2
 *   relation   a sign with two different sides, each a number, a name of one letter or a word: "a+b = c", "x > 3", "7|n"
 */

const LETTER = String.raw`\p{L}\p{M}\p{N}`;
/** Lines and signs over, under and through any letter: "n\u0336o\u0336n\u0336e" is "none". Accents and vowels of a script are no such marks. */
const LAID_OVER = /[\u0305\u0332-\u0338\u033F\u035E\u035F\u20D0-\u20F0]/gu;

/** Words in small letters, each with the marks of its script. */
export function wordsIn(text: string): readonly string[] {
  return writtenWordsIn(text.replaceAll(LAID_OVER, ''));
}

/** Words as earlier releases read them: each with every mark, also one that hides it. */
export function writtenWordsIn(text: string): readonly string[] {
  return matchesOf(text, MARKED_WORD);
}

/** Words as earlier releases compared them: without marks, which part a word that is written with them. */
export function unmarkedWordsIn(text: string): readonly string[] {
  return matchesOf(text, UNMARKED_WORD);
}

const MARKED_WORD = new RegExp(`[${LETTER}]+`, 'gu');
const UNMARKED_WORD = /[\p{L}\p{N}]+/gu;
const matchesOf = (text: string, word: RegExp): readonly string[] =>
  Array.from(text.toLowerCase().matchAll(word), ([one]) => one);

const BEFORE = String.raw`(?<=[${LETTER})\]}!%°]\s?)`;
const AFTER = String.raw`(?=\s?[-+√(\[{|]{0,2}[${LETTER}])`;
/** Alone they stand for nothing else; a run of them is one sign: "+=", "<=". */
const SURE = String.raw`${BEFORE}[=≠≈≡≤≥<>+×÷·^∈]{1,3}${AFTER}`;
/** Also a bullet, a mark of a list or of bold letters, "and/or": a sign next to a digit. */
const UNSURE = String.raw`(?:->|[-/*|%→])`;
const NEXT_TO_DIGIT = String.raw`(?<=\p{N}\s?)${UNSURE}${AFTER}|${BEFORE}${UNSURE}(?=\s?\p{N})`;
const SIGN = new RegExp(`${SURE}|${NEXT_TO_DIGIT}`, 'gu');
/** A star with equal blanks on both sides multiplies; a bullet and bold letters have another blank on one of them. */
const STAR = String.raw`(?<=[${LETTER})\]}])(?:\*| \* )(?=[${LETTER}(])`;
/** Below 0 where nothing is before the sign that it could be taken from. */
const NUMBER = String.raw`(?:(?<![${LETTER})\]]\s?)-)?\p{N}+(?:[.,]\p{N}+)*`;
const FIGURE = new RegExp(`${NUMBER}|${STAR}|${SIGN.source}`, 'gu');
const DASHES = /[\u2010-\u2015\u2212]/gu;
/** "<b>" and "</s>" relate nothing. */
const TAGS = /<\/?\p{L}[^<>\s]*>/gu;
/** The place of a text in a list: "1. ", "(2) ", "Step 3: ", "- **4.** ". It says nothing of what the text says. */
const PLACE = /^[\s*#(-]*(?:\p{N}{1,3}[.)]|(?:step|rule|tip|point|item)\s*#?\p{N}{1,3}[.):])\**(?:\s|$)/iu;
const THOUSANDS = /^-?\p{N}{1,3}(?:,\p{N}{3})+(?:\.\p{N}+)?$/u;
/** Signs that are written in several ways, each in one of them. */
const SAME_SIGN: Readonly<Record<string, string>> = { '*': '×', '·': '×', '⋅': '×', '<=': '≤', '>=': '≥' };

/** Two texts of the same words whose figures differ say different things. Another way to write a figure is no difference. */
export function figuresIn(text: string): readonly string[] {
  const figures = text.replaceAll(DASHES, '-').replace(PLACE, '').match(FIGURE) ?? [];
  return figures
    .map((figure) => figure.trim())
    .map((figure) => (THOUSANDS.test(figure) ? figure.replaceAll(',', '') : (SAME_SIGN[figure] ?? figure)));
}

/** @param isSide whether a word may be a side */
export function hasRelation(text: string, isSide: (word: string) => boolean): boolean {
  const plain = text.replaceAll(DASHES, '-').replaceAll(TAGS, ' ');
  return Array.from(plain.matchAll(SIGN)).some(({ 0: sign, index }) => {
    const left = wordsIn(plain.slice(0, index)).at(-1)!;
    const right = wordsIn(plain.slice(index + sign.length))[0]!;
    return left !== right && [left, right].every((word) => /^.$/u.test(word) || isSide(word));
  });
}
