/**
 * Whether a text says an answer of words, a formula, or the letter of a choice, in a disguise that its reader sees through: in pieces, spelled
 * letter by letter, glued to other words, with accents or with letters of other scripts that look alike, or with other blanks.
 *
 * Not read: words backwards, in other languages, rhymes and descriptions, and short answers in two pieces. Only words of a language can lead a
 * frozen executor to those (docs/reference/verifiers.md).
 */

/** Shorter answers occur in other words, and across their borders. */
const LEAST_IN_PIECES = 6;
const LEAST_LETTERS = 3;
const LEAST_OF_FORMULA = 3;
/** Longer ones are no answers that a text is searched for: the search takes the product of both lengths. */
const MOST_OF_FORMULA = 200;
/** Digits that are listed one by one; two of them may be two numbers. */
const LEAST_SPELLED = 3;

/** Cyrillic and Greek letters, and the Latin ones that they look like. */
const LOOK_ALIKES = new Map(
  Array.from('аaеeоoрpсcуyхxіiѕsјjԁdһhѵvкkмmтtвbнhοoαaνvρpτtυuιiκkβbεeχx'.matchAll(/(.)(.)/gu), ([, one, other]) => [
    one!,
    other!,
  ]),
);

/** @param text as `asSeen` gives it */
function folded(text: string): string {
  // Most entries: nothing to fold, and this is asked for every result.
  if (/^[ -~\s]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[\u0370-\u03ff\u0400-\u052f]/gu, (letter) => LOOK_ALIKES.get(letter) ?? letter);
}

const squeezed = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, '');

/** An answer of words in the form in which it is looked for; null for a formula, and for one of too few letters. */
function wordsOnly(answer: string): string | null {
  if (!/^[\p{L}\p{M}\p{N}\s'’.,:;&-]+$/u.test(answer)) return null;
  const wanted = squeezed(folded(answer));
  return wanted.replaceAll(/\P{L}/gu, '').length < LEAST_LETTERS ? null : wanted;
}

/**
 * Whether a text says the answer, in pieces or in one.
 * @param text as `asSeen` gives it, and so is the answer
 */
export function mentionsText(text: string, answer: string): boolean {
  const wanted = wordsOnly(answer);
  if (wanted === null) return mentionsFormula(text, answer);
  const plain = folded(text);
  if (wanted.length >= LEAST_IN_PIECES && isWithin(squeezed(plain), wanted)) return true;
  // "Os-lo" and "Os**lo**" are one word to a reader.
  const words = plain.replaceAll(/(?<=[\p{L}\p{N}])[^\p{L}\p{N}\s]+(?=[\p{L}\p{N}])/gu, '').split(/[^\p{L}\p{N}]+/u);
  return words.includes(wanted) || spelledIn(plain).some((word) => word.includes(wanted));
}

/** What changes how a formula is set, and not what it says. */
const SPACING = String.raw`(?:\s|\\(?:left|right)(?![a-z])|\\[,;:! ]|\$)`;

/** A formula with other blanks in it; case counts, as it does in formulas. */
function mentionsFormula(text: string, answer: string): boolean {
  const wanted = answer.replaceAll(new RegExp(SPACING, 'gu'), '');
  const isFormula = /[\p{L}\p{N}]/u.test(wanted) && /[^\p{L}\p{N}]/u.test(wanted);
  if (!isFormula || wanted.length < LEAST_OF_FORMULA || wanted.length > MOST_OF_FORMULA) return false;
  const [begins, ends] = [/^[\p{L}\p{N}]/u.test(wanted), /[\p{L}\p{N}]$/u.test(wanted)];
  const body = Array.from(wanted, (character) => character.replace(/[\\^$.*+?()[\]{}|/]/, String.raw`\$&`));
  const whole = `${begins ? String.raw`(?<![\p{L}\p{N}\\])` : ''}${body.join(`${SPACING}*`)}${ends ? String.raw`(?![\p{L}\p{N}])` : ''}`;
  return new RegExp(whole, 'u').test(text);
}

/** As a whole where digits are at its ends: 12 is no part of 120. */
function isWithin(text: string, wanted: string): boolean {
  const isDigit = (character = ''): boolean => /\p{N}/u.test(character);
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const isCut = isDigit(wanted[0]) && isDigit(text[at - 1]);
    const isCutBehind = isDigit(wanted.at(-1)) && isDigit(text[at + wanted.length]);
    if (!isCut && !isCutBehind) return true;
  }
  return false;
}

const SPELLED = /(?<![\p{L}\p{N}])[\p{L}\p{N}](?:[^\p{L}\p{N}]+[\p{L}\p{N}](?![\p{L}\p{N}])){2}/u;

/** Letters and digits that stand one by one, as the words that they spell: "r-e-d", "1 2 5 0". */
export function spelledIn(text: string): readonly string[] {
  if (!SPELLED.test(text)) return [];
  const words: string[] = [];
  let word = '';
  for (const part of text.split(/[^\p{L}\p{N}]+/u)) {
    if (part.length === 1) {
      word += part;
      continue;
    }
    if (word.length >= LEAST_SPELLED) words.push(word);
    word = '';
  }
  if (word.length >= LEAST_SPELLED) words.push(word);
  return words;
}

/** What says that a letter is the choice. */
const CHOOSES =
  /(?:\b(?:answers?|options?|choices?|letters?|choose|chosen|pick|select|take|mark|tick|is|say|write)|[=:→])\W{0,6}(?:(?:is|the (?:letter|option|choice)|option|letter)\W{1,4})?([A-Z])(?![\p{L}\p{N}'’])/giu;

/**
 * Whether a text of an entry is a letter, begins with it as the label of a choice, or says that it is the choice. That a text names several
 * choices to compare them is no such thing.
 */
export function choosesLetter(text: string, letter: string): boolean {
  if (squeezed(text).toUpperCase() === letter) return true;
  const named = new Set(Array.from(text.matchAll(/(?<![\p{L}\p{N}])[A-Z](?![\p{L}\p{N}'’])/gu), ([one]) => one));
  if (/^\(?([A-Z])[).:–-]/.exec(text.trim())?.[1] === letter && named.size === 1) return true;
  for (const { 0: whole, 1: chosen, index } of text.matchAll(CHOOSES))
    if (chosen === letter && !belongsToWord(text.slice(index + whole.length))) return true;
  return false;
}

/** "A bird", "B vitamins": no choice. */
const belongsToWord = (behind: string): boolean =>
  /^\s+[a-z]/.test(behind) && !/^\s+(?:is|as|because|since|for|and|or|not|in|at|here|now)\b/.test(behind);
