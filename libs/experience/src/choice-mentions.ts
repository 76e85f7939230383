/**
 * Whether a text says which letter is the choice. Letters are names too (of matrices, events, units, vitamins and bacteria), so a letter counts only
 * where the text is the letter, begins with it as a label, or calls it the answer with nothing behind it that makes a formula or a name of it.
 *
 * Not read: a choice by exclusion, by its text, and in sentences of other words than these (docs/reference/verifiers.md).
 */

/** "B) a plane", "B: the plane", "B. The plane", and not "E. coli" and "B-cells". */
const LABEL = /^\(?([A-Z])(?:\)|:\s|\.\s+\P{Ll})/u;

const LETTER = String.raw`([A-Z])(?![\p{L}\p{N}'’])`;
const NOUN = '(?:answer|option|choice|letter)s?';
/** What calls a letter the answer; a sentence may follow. */
const CALLED = new RegExp(
  String.raw`(?:(?<!\p{L})${NOUN}(?: {1,3}(?:is|must be|should be))?\W{0,6}|(?<!\p{L})(?:it|one) is\W{1,6}|^\W{0,3}→\W{0,6})(?:(?:the )?${NOUN}\W{1,4})?${LETTER}`,
  'gimu',
);
/** What is done to points, events and matrices as well: nothing but a mark or a reason may follow. */
const TOLD = new RegExp(
  String.raw`(?<!\p{L})(?:choose|chosen|pick|select|take|mark|tick|say|write)\W{1,6}(?:(?:the )?${NOUN}\W{1,4})?${LETTER}`,
  'giu',
);

/** Another letter, or the end of a name: "A and B", "C V", "A/B", "A and option B". */
const OTHER_LETTER =
  /^ ?(?:[,/&] ?|,? ?(?:and|or|vs|vs\.|versus|with)(?!\p{L}) ?)?(?:(?:option|choice|letter) )?[A-Z](?!\p{L})/u;
/** "A = pi r^2", "A - B", "F(x)", "B-cells". A dash before words is no operator. */
const OPERATOR = /^(?:[-([{_]|\s*[+*/=^×·÷<>≤≥≠≈∈∉⊂⊆∪∩∧∨|~→⇒±%]|\s*-\s*(?:\p{L}(?!\p{L})|[\d(\\]))/u;
/** "Option A and option B", "not option B". */
const COMPARED =
  /(?:(?<!\p{L})[A-Z]\W{0,3}(?:and|or|with|vs\.?|versus|[,/&])|(?<!\p{L})(?:not|never|avoid|rule out|eliminate|exclude|than|compare))\s+(?:the\s)?$/iu;
const REASON = /^\s+(?:because|since|here|now|not)(?!\p{L})/u;
const PRAISE = /^\s+(?:and|is (?:right|correct|true|best|it|the (?:answer|right|correct|best|one|choice)))(?!\p{L})/u;

/** Whether a text of an entry says that a letter is the choice. That it names several choices to compare them is no such thing. */
export function choosesLetter(text: string, letter: string): boolean {
  if (text.replaceAll(/[^\p{L}\p{N}]/gu, '').toUpperCase() === letter) return true;
  const named = new Set(Array.from(text.matchAll(/(?<![\p{L}\p{N}])[A-Z](?![\p{L}\p{N}'’])/gu), ([one]) => one));
  if (LABEL.exec(text.trim())?.[1] === letter && named.size === 1) return true;
  return isNamedBy(CALLED, text, letter, (behind) => PRAISE.test(behind)) || isNamedBy(TOLD, text, letter, () => false);
}

/** @param isPraise whether what follows says that the letter is right */
function isNamedBy(form: RegExp, text: string, letter: string, isPraise: (behind: string) => boolean): boolean {
  for (const { 0: whole, 1: chosen, index } of text.matchAll(form)) {
    if (chosen !== letter) continue;
    const from = index + whole.length;
    const behind = text
      .slice(from, from + 60)
      .replaceAll(/\s+/gu, ' ')
      .replace(/^(?:\*\*|["”)\]`])+/u, '');
    if (COMPARED.test(text.slice(Math.max(0, index - 24), index))) continue;
    if (OPERATOR.test(behind) || OTHER_LETTER.test(behind)) continue;
    if (!/^\s+[\p{L}\p{N}]/u.test(behind) || REASON.test(behind) || isPraise(behind)) return true;
  }
  return false;
}
