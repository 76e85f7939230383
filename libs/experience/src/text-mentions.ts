/**
 * Whether a text says an answer of words, or a formula, in a disguise that its reader sees through: in pieces, spelled letter by letter, glued to
 * small words, with accents or with letters of other scripts that look alike, or with other blanks.
 *
 * Not read: words backwards, in other languages, rhymes and descriptions, short answers in two pieces, and pieces with a blank between them,
 * which are words of a sentence far more often. Only words of a language can lead a frozen executor to those (docs/reference/verifiers.md).
 */

/** Shorter answers occur in other words, and across their borders. */
const LEAST_IN_PIECES = 6;
const LEAST_LETTERS = 3;
const LEAST_OF_FORMULA = 3;
/** Longer ones are no answers that a text is searched for: the search takes the product of both lengths. */
export const MOST_OF_ANSWER = 200;
/** Two letters may be two names. */
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
  if (answer.length > MOST_OF_ANSWER) return false;
  const wanted = wordsOnly(answer);
  if (wanted === null) return mentionsFormula(text, answer);
  const plain = folded(text);
  if (wanted.length >= LEAST_IN_PIECES && isInPieces(inRow(plain), inRow(folded(answer)))) return true;
  // "Os-lo" and "Os**lo**" are one word to a reader.
  const words = plain.replaceAll(/(?<=[\p{L}\p{N}])[^\p{L}\p{N}\s]+(?=[\p{L}\p{N}])/gu, '').split(/[^\p{L}\p{N}]+/u);
  return words.includes(wanted) || spelledIn(plain).some((word) => word.includes(wanted));
}

/** The words of a text without what is between them. */
interface Row {
  readonly letters: string;
  /** What is before a word, by the word's place in the letters. */
  readonly gaps: ReadonlyMap<number, string>;
}

function inRow(text: string): Row {
  const gaps = new Map<number, string>();
  const words: string[] = [];
  let [length, end] = [0, 0];
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    gaps.set(length, text.slice(end, index));
    words.push(word);
    length += word.length;
    end = index + word.length;
  }
  return { letters: words.join(''), gaps };
}

/** Other letters of a word make another word of it: Germany, squared, circles. */
const GLUED_BEFORE =
  /^(?:the|is|its|itis|thats|says?|equals|ans|answers?|answeris|theanswer|theansweris|result|solution)?$/u;
const GLUED_BEHIND = /^(?:is|the|isthe|istheanswer|answer|isanswer|[qxz]+|\p{N}+)?$/u;
const MOST_GLUED = 12;

function isInPieces(text: Row, { letters: wanted, gaps: own }: Row): boolean {
  const { letters } = text;
  for (let at = letters.indexOf(wanted); at >= 0; at = letters.indexOf(wanted, at + 1)) {
    const end = at + wanted.length;
    const before = restOfWord(text, at, -1);
    const behind = restOfWord(text, end, 1);
    if (before === null || behind === null || !GLUED_BEFORE.test(before) || !GLUED_BEHIND.test(behind)) continue;
    // 12 is no part of 120, and a plural in French ends with x.
    if (/^\p{N}/u.test(behind) && /\p{N}$/u.test(wanted)) continue;
    if (behind === 'x' && wanted.endsWith('u')) continue;
    if (hasOnlyGapsOfPieces(text, at, end, own)) return true;
  }
  return false;
}

/** The letters from a place to the border of its word; null for many. */
function restOfWord({ letters, gaps }: Row, from: number, step: 1 | -1): string | null {
  let at = from;
  while (at > 0 && at < letters.length && !gaps.has(at)) {
    at += step;
    if (Math.abs(at - from) > MOST_GLUED) return null;
  }
  return step > 0 ? letters.slice(from, at) : letters.slice(at, from);
}

/** Words that a sentence ends or begins with: "the seas", "on the coast". */
const SMALL_WORDS: ReadonlySet<string> = new Set(
  'an and as at be by do for he if in is it me my no not of on or so the to up us we'.split(' '),
);
/** So much of a longer answer is in its other piece that a small word is no accident. */
const LONG_ANSWER = 10;

function hasOnlyGapsOfPieces(
  { letters, gaps }: Row,
  start: number,
  end: number,
  own: ReadonlyMap<number, string>,
): boolean {
  let hasSmallWord = false;
  let isApart = false;
  for (let [at, begin] = [start + 1, start]; at <= end; at++) {
    const gap = gaps.get(at);
    if (gap === undefined && at < end) continue;
    hasSmallWord ||= SMALL_WORDS.has(letters.slice(begin, at));
    begin = at;
    if (gap === undefined || at === end || own.has(at - start)) continue;
    const isOfLetters = gaps.has(at - 1) && (gaps.has(at + 1) || at + 1 === letters.length);
    if (!isOfLetters && !isGapOfPieces(gap)) return false;
    isApart ||= !isOfLetters && /\s/u.test(gap);
  }
  return !(isApart && hasSmallWord && end - start < LONG_ANSWER);
}

/** Two texts, or marks that end no clause: "Can-berra", "Can ... berra". */
const isGapOfPieces = (gap: string): boolean =>
  gap.includes('\n') || /^(?!['’]$)\S+$/u.test(gap) || /^ ?(?:\.{2,}|[|~_*/\\·-]+) ?$/u.test(gap);

/** What changes how a formula is set, and not what it says; a pair of backslashes ends a line, and stays. */
const SPACING = /\\\\|\s|\\(?:left|right)(?![a-z])|\\[,;:! ]|\$/gu;
const LINE_END = '\\\\';

/** A formula without its spacing, and where each of its characters was. */
function unspaced(text: string): { readonly formula: string; readonly places: readonly number[] } {
  const places: number[] = [];
  const parts: string[] = [];
  let end = 0;
  const take = (from: number, to: number): void => {
    parts.push(text.slice(from, to));
    for (let at = from; at < to; at++) places.push(at);
  };
  for (const { 0: spacing, index } of text.matchAll(SPACING)) {
    take(end, spacing === LINE_END ? index + spacing.length : index);
    end = index + spacing.length;
  }
  take(end, text.length);
  return { formula: parts.join(''), places };
}

/** A formula with other blanks in it; case counts, as it does in formulas. */
function mentionsFormula(text: string, answer: string): boolean {
  const { formula: wanted } = unspaced(answer);
  const isFormula = /[\p{L}\p{N}]/u.test(wanted) && /[^\p{L}\p{N}]/u.test(wanted);
  if (!isFormula || wanted.length < LEAST_OF_FORMULA) return false;
  const [begins, ends] = [/^[\p{L}\p{N}]/u.test(wanted), /[\p{L}\p{N}]$/u.test(wanted)];
  const { formula, places } = unspaced(text);
  for (let at = formula.indexOf(wanted); at >= 0; at = formula.indexOf(wanted, at + 1)) {
    const before = text[places[at]! - 1] ?? '';
    const behind = text[places[at + wanted.length - 1]! + 1] ?? '';
    if (!(begins && /[\p{L}\p{N}\\]/u.test(before)) && !(ends && /[\p{L}\p{N}]/u.test(behind))) return true;
  }
  return false;
}

const SPELLED = /(?<![\p{L}\p{N}])[\p{L}\p{N}](?:[^\p{L}\p{N}]+[\p{L}\p{N}](?![\p{L}\p{N}])){2}/u;

/** Letters and digits that stand one by one, as the words that they spell: "r-e-d". */
function spelledIn(text: string): readonly string[] {
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

/** Two digits may be two numbers, and three in a list, a product or a version are three. */
const LEAST_OF_LIST = 4;
const DIGITS_APART = /(?<![\p{L}\p{N}])\d(?:[^\p{L}\p{N}]+\d(?![\p{L}\p{N}]))+/gu;

/** Digits that stand one by one, as the number that they spell: "1 2 5 0", "1-2-5". */
export function digitsSpelledIn(text: string): readonly string[] {
  return Array.from(text.matchAll(DIGITS_APART), ([row]) => row).flatMap((row) => {
    const digits = row.replaceAll(/\D/gu, '');
    const marks = row.split(/\d/u).slice(1, -1);
    const isOneMark = marks.every((mark) => mark === marks[0]) && /^[^\s,.;:/&+*×·=<>]+$/u.test(marks[0]!);
    return digits.length >= LEAST_OF_LIST || (digits.length === LEAST_OF_LIST - 1 && isOneMark) ? [digits] : [];
  });
}
