/**
 * A text as the rules of a library read it: its words, and its figures. Both are of a text in plain letters, as a reader sees it.
 *
 *   figures    numbers, and signs between what they relate: of "x = 3, n^2" they are =, 3, ^ and 2
 *   relation   a sign with two different sides, each a number, a name of one letter or a word: "a+b = c", "x > 3", "7|n"
 */

const LETTER = String.raw`\p{L}\p{M}\p{N}`;
/** Without marks that are laid over any letter: "n\u0336o\u0336n\u0336e" is "none". Marks of a script are its vowels and stay. */
const LAID_OVER = /\p{Script=Inherited}/gu;

/** Words in small letters, each with the marks of its script. */
export function wordsIn(text: string): readonly string[] {
  const parts = text
    .normalize('NFD')
    .toLowerCase()
    .matchAll(new RegExp(`[${LETTER}]+`, 'gu'));
  return Array.from(parts, ([part]) => part.replaceAll(LAID_OVER, '').normalize('NFC')).filter((word) => word !== '');
}

const BEFORE = String.raw`(?<=[${LETTER})\]}!%°]\s?)`;
const AFTER = String.raw`(?=\s?[-+√(\[{|]{0,2}[${LETTER}])`;
/** Alone they stand for nothing else; a run of them is one sign: "+=", "<=". */
const SURE = String.raw`${BEFORE}[=≠≈≡≤≥<>+×÷·^∈]{1,3}${AFTER}`;
/** Also a bullet, a mark of a list or of bold letters, "and/or": a sign next to a digit. */
const UNSURE = String.raw`(?:->|[-/*|%→])`;
const NEXT_TO_DIGIT = String.raw`(?<=\p{N}\s?)${UNSURE}${AFTER}|${BEFORE}${UNSURE}(?=\s?\p{N})`;
const SIGN = new RegExp(`${SURE}|${NEXT_TO_DIGIT}`, 'gu');
/** Below 0 where nothing is before the sign that it could be taken from. */
const NUMBER = String.raw`(?:(?<![${LETTER})\]]\s?)-)?\p{N}+(?:[.,]\p{N}+)*`;
const FIGURE = new RegExp(`${NUMBER}|${SIGN.source}`, 'gu');
const DASHES = /[\u2010-\u2015\u2212]/gu;
/** "<b>" and "</s>" relate nothing. */
const TAGS = /<\/?\p{L}[^<>\s]*>/gu;

/** Two texts of the same words whose figures differ say different things. */
export function figuresIn(text: string): readonly string[] {
  return text.replaceAll(DASHES, '-').match(FIGURE) ?? [];
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
