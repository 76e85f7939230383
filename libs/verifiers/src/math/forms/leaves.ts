/** Answers without parts of their kind: numbers, expressions, percentages, words, ratios. */

import { splitTopLevel } from '../scan.js';
import type { Form, Readings, Scope } from './form.js';
import { stripUnit } from './units.js';
import { isPlainWords, unwrapText, wordsOf } from './words.js';

/** A number in groups of three digits: 1,234 and 1,234.5. */
export const GROUPED = /^-?\s?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?/;

/** 1,234 and 12,50 as numbers; with any other comma the text is a list. */
export function numberReadings(text: string): Form[] {
  const plain = stripUnit(text).text;
  const isPercent = /%$|percent/.test(text);
  const kind = isPercent ? ('percent' as const) : ('expression' as const);
  const grouped = GROUPED.exec(plain)?.[0];
  if (grouped === plain) return [{ kind, latex: plain.replaceAll(/[,\s]/g, '') }];
  // A decimal comma, where it cannot be one of thousands: 12,50 and 0,125 and 3,1416.
  if (/^-?(?:\d+,\d\d|0,\d+|\d+,\d{4,})$/.test(plain)) return [{ kind, latex: plain.replace(',', '.') }];
  return [];
}

export function leafReadings(given: string, scope: Scope): Readings {
  const text = given.trim();
  const plus = plusMinusReading(text, scope);
  if (plus !== null) return [plus];
  const ratio = splitTopLevel(text, (token) => token === ':' || token === '\\colon');
  if (ratio.parts.length > 1 && ratio.parts.every((part) => part.trim() !== '')) {
    const isClock = /^(?:[01]?\d|2[0-4])(?::[0-5]\d){1,2}\s*(?:[ap]\.?m\.?)?$/i.test(
      text.replaceAll(/\\text\{|\}/g, ''),
    );
    const reading: Form = { kind: 'ratio', parts: ratio.parts.map((part) => part.trim()), isClock };
    return isClock ? [wordsOf(text), reading] : [reading];
  }
  if (isPlainWords(text)) {
    const words = wordsOf(text);
    const bare = unwrapText(text).trim();
    const set = SETS_IN_WORDS.find(([wording]) => wording.test(bare))?.[1];
    if (set !== undefined) return [words, { kind: 'expression', latex: set }];
    // One letter may be a variable as well as a choice; a longer word may be a product.
    return bare.length === 1 || (!text.includes('\\text') && /^[a-zA-Z]{2,4}$/.test(bare))
      ? [{ kind: 'expression', latex: bare }, words]
      : [words];
  }
  const { text: bare, isPercent } = stripUnit(text);
  const readings: Form[] = [];
  if (isPercent) readings.push({ kind: 'percent', latex: bare });
  else {
    if (bare !== '' && bare !== text)
      readings.push(...(numberReadings(bare).length > 0 ? numberReadings(bare) : scope.read(bare)));
    readings.push({ kind: 'expression', latex: text });
  }
  if (text.includes('\\text{')) readings.push(wordsOf(text));
  return readings;
}

/** 3 ± 2 is a list of two; the sign below it goes the other way. */
function plusMinusReading(text: string, scope: Scope): Form | null {
  if (!/\\[pm][pm](?![a-zA-Z])/.test(text)) return null;
  const withSigns = (upper: string, lower: string): string =>
    text
      .replaceAll(/\\pm(?![a-zA-Z])/g, upper)
      .replaceAll(/\\mp(?![a-zA-Z])/g, lower)
      .replace(/^\s*\+/, '');
  return { kind: 'list', parts: [scope.read(withSigns('+', '-')), scope.read(withSigns('-', '+'))], by: 'or' };
}

const SETS_IN_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^(?:all|the|any)?\s*(?:set of\s*)?(?:all\s*)?reals?(?:\s+numbers?)?$/i, '\\mathbb{R}'],
  [/^(?:there (?:is|are) )?no(?: real)? solutions?$|^(?:the )?empty set$/i, '\\emptyset'],
];
