/**
 * Equality of numbers, exactly: as fractions of whole numbers, never as doubles. An answer is one number as people write it: sign, thousands separators, a decimal point, an exponent,
 * a fraction (3/4, \frac{3}{4}), a currency sign before or a percent sign after it. Anything else around it makes it no number,
 * unless units are to be ignored.
 */

import type { VerifierSpec } from '@seamstream/events';
import {
  compareExact,
  distance,
  type Exact,
  exactDecimal,
  exactOf,
  magnitude,
  product,
  quotient,
} from './exact-number.js';
import { finalAnswer, judgeOfFinalAnswers } from './final-answer.js';
import { hedges } from './hedges.js';
import { badReference, OptionReader } from './options.js';
import type { Verifier } from './verifier.types.js';

type Fault = string;

interface Settings {
  readonly tolerance: Exact;
  readonly relativeTolerance: Exact;
  readonly percent: 'number' | 'fraction' | 'refuse';
  readonly fractions: 'accept' | 'refuse';
  readonly thousands: 'comma' | 'none';
  readonly units: 'ignore' | 'refuse';
}

export const numericVerifier: Verifier = {
  kind: 'numeric',
  version: '1',
  options: {
    tolerance: 'largest absolute difference, default 0',
    relativeTolerance: 'largest difference as a share of the reference, default 0; either tolerance suffices',
    percent: 'what 50% is: number (default) 50, fraction 0.5, refuse no number',
    fractions: 'accept (default) or refuse p/q and \\frac{p}{q}',
    thousands: 'comma (default): 1,234 is 1234; none: it is no number',
    units: 'refuse (default) or ignore a unit after the number',
  },
  prepare(reference, options) {
    const settings = settingsOf(options);
    const wanted = read(reference.includes('####') ? (finalAnswer(reference) ?? '') : reference, settings);
    if (typeof wanted === 'string')
      throw badReference('numeric@1', 'a number', reference, `${wanted}. Publish the problem with its numeric answer.`);
    return judgeOfFinalAnswers((answer) => {
      const got = read(answer, settings);
      if (typeof got === 'string') return { success: false, detail: `the answer is no number: ${got}` };
      const difference = distance(got, wanted);
      const isWithin = (tolerance: Exact): boolean => compareExact(difference, tolerance) <= 0;
      const success = isWithin(settings.tolerance) || isWithin(product(settings.relativeTolerance, magnitude(wanted)));
      if (!success) return { success, detail: 'another number than the reference' };
      const isEqual = difference.numerator === 0n;
      return { success, detail: isEqual ? 'equal to the reference' : 'within the tolerance of the reference' };
    });
  },
};

function settingsOf(options: VerifierSpec['options']): Settings {
  const given = new OptionReader('numeric@1', options);
  return {
    tolerance: exactOf(given.size('tolerance')),
    relativeTolerance: exactOf(given.size('relativeTolerance')),
    percent: given.choice('percent', ['number', 'fraction', 'refuse']),
    fractions: given.choice('fractions', ['accept', 'refuse']),
    thousands: given.choice('thousands', ['comma', 'none']),
    units: given.choice('units', ['refuse', 'ignore']),
  };
}

const HUNDREDTH: Exact = { numerator: 1n, denominator: 100n };

/** A number, or why the text is not one. */
function read(text: string, settings: Settings): Exact | Fault {
  let rest = text
    .trim()
    .replaceAll('−', '-')
    .replaceAll('\\%', '%')
    .replaceAll('\\$', '$')
    .replaceAll(/\\[,!]/g, '');
  if (settings.units === 'ignore') rest = withoutUnit(rest);
  rest = rest
    .replace(/^([-+]?)\s*[$€£¥]\s*/, '$1')
    .replace(/[€£¥]$/, '')
    .trimEnd();
  const isPercent = rest.endsWith('%');
  if (isPercent) {
    if (settings.percent === 'refuse') return 'percent signs are refused';
    rest = rest.slice(0, -1).trimEnd();
  }
  const number = fractionOrDecimal(rest, settings);
  return typeof number === 'string' || !isPercent || settings.percent !== 'fraction'
    ? number
    : product(number, HUNDREDTH);
}

const WORD = "[\\p{L}°µ][\\p{L}°'’-]*(?:\\^?[²³]|\\.)?";
const SYMBOL =
  '(?:[kKMGTcdmµnp]?(?:m|g|s|A|K|mol|cd|N|J|W|V|Pa|Hz|C|L|l|bar|Wh|eV|Ω|F|H|T)|min|h|hr|lb|lbs|ft|in|oz|fl|sq|cu|rad|deg)[²³]?\\.?';
const BEFORE_UNIT =
  '(?:square|cubic|sq\\.?|cu\\.?|metric|nautical|light|fluid|long|short|imperial|troy|degrees?|°|US|U\\.S\\.|Canadian|Australian|British)';
/**
 * A unit: one word, several joined by "per", a stroke or a point, or symbols side by side; a closed list may stand before a word. No text
 * is left that could doubt, deny or add to the number, in any language.
 */
const UNIT = new RegExp(
  `^\\s*(?:${BEFORE_UNIT}\\s+)*(?:${WORD}|${SYMBOL}(?:\\s+${SYMBOL})+)(?:\\s*(?:/|·|\\*|\\bper\\b)\\s*(?:${BEFORE_UNIT}\\s+)*${WORD})*\\s*[.!]?$`,
  'u',
);

/** Words that make another number of the one before them: no units either. A percent sign is read where it stands as a sign. */
const SCALES =
  /\b(?:dozens?|scores?|pairs?|tens?|hundreds?|thousands?|(?:m|b|tr|quadr)illions?|bn|mn|k|lakhs?|crores?|half|halves|thirds?|quarters?|fourths?|fifths?|tenths?|hundredths?|thousandths?|squared|cubed|factorial|percent|per cent|times|twice|doubled|halved)\b|^\s*[²³*]/iu;

/** Words by which a text adds more to the number: no unit is called so. */
const GOES_ON = /\b(?:and|or|plus|minus|less|more|other|another|one|else|but|then|to|not|if|unless|xor|versus|vs)\b/iu;

function withoutUnit(text: string): string {
  let end = text.length;
  while (end > 0 && !/[\d%)}]/.test(text[end - 1]!)) end--;
  const unit = text.slice(end);
  return end > 0 && UNIT.test(unit) && !GOES_ON.test(unit) && !SCALES.test(unit) && !hedges(unit)
    ? text.slice(0, end)
    : text;
}

function fractionOrDecimal(text: string, settings: Settings): Exact | Fault {
  const fraction = /^([-+]?)\s*\\[dt]?frac\{([^{}]+)\}\{([^{}]+)\}$/.exec(text) ?? /^()([^/]+)\/([^/]+)$/.exec(text);
  if (fraction === null) return decimal(text, settings);
  if (settings.fractions === 'refuse') return 'fractions are refused';
  const [numerator, denominator] = [decimal(fraction[2]!, settings), decimal(fraction[3]!, settings)];
  if (typeof numerator === 'string') return numerator;
  if (typeof denominator === 'string') return denominator;
  const value = quotient(numerator, denominator);
  if (value === null) return 'its denominator is zero';
  return fraction[1] === '-' ? { ...value, numerator: -value.numerator } : value;
}

function decimal(text: string, settings: Settings): Exact | Fault {
  const plain = text.trim();
  const isGrouped = settings.thousands === 'comma' && /^[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(plain);
  const digits = isGrouped ? plain.replaceAll(',', '') : plain;
  const value = exactDecimal(digits);
  if (value === null) return `${JSON.stringify(plain.slice(0, 40))} is not written as one`;
  // As large as a double at most, as small as is written: a tolerance is a double, too.
  if (value === 'too large' || !Number.isFinite(Number(digits)))
    return `${JSON.stringify(plain.slice(0, 40))} is too large`;
  return value;
}
