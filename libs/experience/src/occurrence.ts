/**
 * Whether words occur in a text, as a reader compares them. Both sides are brought to one form: canonical composition (NFC, so that
 * x² and x2 stay different), one case (by way of upper case, in which ß is SS), any run of white space as one blank, typographic
 * quotation marks and hyphens as plain ones. The words must occur in one piece and as whole words: `can` does not occur in `cannot` or
 * `can't`, nor 3 in 3.5 or 1,300, nor a letter in every word that contains it. Scripts without blanks between words have no such edges.
 */

const WORD = /[\p{L}\p{M}\p{N}_]/u;
const LETTER = /\p{L}/u;
const DIGIT = /\p{N}/u;
const MARK = /\p{M}/u;
const WITHOUT_BLANKS =
  /[\p{Script=Han}\p{Script=Hira}\p{Script=Kana}\p{Script=Thai}\p{Script=Laoo}\p{Script=Khmr}\p{Script=Mymr}]/u;

const APOSTROPHES = /[‘’‛ʼ′]/gu;
const QUOTATION_MARKS = /[“”„‟″]/gu;
const HYPHENS = /[‐‑−]/gu;
const DASHES = /[‒–—―]/gu;

/** Up to this product of lengths the runtime's search is the quicker one; beyond it a text of one letter would cost it seconds. */
const SEARCHED_BY_RUNTIME = 10_000_000;

/** The form in which texts are compared. */
export function comparable(text: string): string {
  return text
    .normalize('NFC')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFC')
    .replaceAll(APOSTROPHES, "'")
    .replaceAll(QUOTATION_MARKS, '"')
    .replaceAll(HYPHENS, '-')
    .replaceAll(DASHES, '–')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}

/** Whether a text in that form says anything: one letter or digit at least. */
export function hasWords(text: string): boolean {
  return LETTER.test(text) || DIGIT.test(text);
}

/**
 * How often words occur in a text without overlapping, counted up to `most`.
 * @param text as {@link comparable} makes it
 * @param words likewise
 */
export function occurrences(text: string, words: string, most: number): number {
  let count = 0;
  let end = 0;
  for (const at of placesOf(text, words)) {
    if (count >= most) break;
    if (at < end || isInsideWord(text, at) || isInsideWord(text, at + words.length)) continue;
    count++;
    end = at + words.length;
  }
  return count;
}

/** Where words begin in a text, in time that grows with the sum of their lengths, not with the product. */
function* placesOf(text: string, words: string): Generator<number> {
  if (words === '') return;
  if (text.length * words.length <= SEARCHED_BY_RUNTIME) {
    for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) yield at;
    return;
  }
  // Knuth, Morris, Pratt: borders[i] is the longest proper beginning of words[0 … i] that it ends with.
  const borders = new Int32Array(words.length);
  for (let i = 1, length = 0; i < words.length; i++) {
    while (length > 0 && words[i] !== words[length]) length = borders[length - 1]!;
    if (words[i] === words[length]) length++;
    borders[i] = length;
  }
  for (let i = 0, length = 0; i < text.length; i++) {
    while (length > 0 && text[i] !== words[length]) length = borders[length - 1]!;
    if (text[i] === words[length]) length++;
    if (length < words.length) continue;
    yield i - length + 1;
    length = borders[length - 1]!;
  }
}

/** Whether a word continues across the place between two characters. */
function isInsideWord(text: string, place: number): boolean {
  const left = characterBefore(text, place);
  const right = characterAt(text, place);
  if (left === '' || right === '') return false;
  if (MARK.test(right)) return true;
  if (WORD.test(left) && WORD.test(right)) return !(WITHOUT_BLANKS.test(left) || WITHOUT_BLANKS.test(right));
  return (
    isJoined(left, right, characterAt(text, place + right.length)) ||
    isJoined(characterBefore(text, place - left.length), left, right)
  );
}

/** 3.5 and 1,300 are one number, `can't` and `non-zero` one word. */
function isJoined(left: string, joint: string, right: string): boolean {
  if (joint === '.' || joint === ',') return DIGIT.test(left) && DIGIT.test(right);
  return (joint === "'" || joint === '-') && LETTER.test(left) && LETTER.test(right);
}

function characterAt(text: string, place: number): string {
  const codePoint = text.codePointAt(place);
  return codePoint === undefined ? '' : String.fromCodePoint(codePoint);
}

function characterBefore(text: string, place: number): string {
  if (place <= 0) return '';
  const unit = text.charCodeAt(place - 1);
  return unit >= 0xdc00 && unit < 0xe000 && place > 1 ? characterAt(text, place - 2) : text[place - 1]!;
}
