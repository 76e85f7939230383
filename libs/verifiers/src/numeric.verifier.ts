/**
 * Equality of numbers. An answer is one number as people write it: sign, thousands separators, a decimal point, an exponent,
 * a fraction (3/4, \frac{3}{4}), a currency sign before or a percent sign after it. Anything else around it makes it no number,
 * unless units are to be ignored.
 */

import type { VerifierSpec } from '@seamstream/events';
import { finalAnswer, judgeOfFinalAnswers } from './final-answer.js';
import { badReference, OptionReader } from './options.js';
import type { Verifier } from './verifier.types.js';

interface Reading {
  readonly value: number;
  /** Exact digits of a whole number, which may exceed what `value` can hold. */
  readonly whole: bigint | null;
}

type Fault = string;

interface Settings {
  readonly tolerance: number;
  readonly relativeTolerance: number;
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
    units: 'refuse (default) or ignore words after the number',
  },
  prepare(reference, options) {
    const settings = settingsOf(options);
    const wanted = read(reference.includes('####') ? (finalAnswer(reference) ?? '') : reference, settings);
    if (typeof wanted === 'string')
      throw badReference('numeric@1', 'a number', reference, `${wanted}. Publish the problem with its numeric answer.`);
    return judgeOfFinalAnswers((answer) => {
      const got = read(answer, settings);
      if (typeof got === 'string') return { success: false, detail: `the answer is no number: ${got}` };
      if (got.whole !== null && wanted.whole !== null && got.whole === wanted.whole)
        return { success: true, detail: 'equal to the reference' };
      const isExact = settings.tolerance === 0 && settings.relativeTolerance === 0;
      if (isExact && got.whole !== null && wanted.whole !== null)
        return { success: false, detail: 'another number than the reference' };
      const difference = Math.abs(got.value - wanted.value);
      const success =
        difference <= settings.tolerance || difference <= settings.relativeTolerance * Math.abs(wanted.value);
      if (!success) return { success, detail: 'another number than the reference' };
      return { success, detail: difference === 0 ? 'equal to the reference' : 'within the tolerance of the reference' };
    });
  },
};

function settingsOf(options: VerifierSpec['options']): Settings {
  const given = new OptionReader('numeric@1', options);
  return {
    tolerance: given.size('tolerance'),
    relativeTolerance: given.size('relativeTolerance'),
    percent: given.choice('percent', ['number', 'fraction', 'refuse']),
    fractions: given.choice('fractions', ['accept', 'refuse']),
    thousands: given.choice('thousands', ['comma', 'none']),
    units: given.choice('units', ['refuse', 'ignore']),
  };
}

/** A number, or why the text is none. */
function read(text: string, settings: Settings): Reading | Fault {
  let rest = text
    .trim()
    .replaceAll('−', '-')
    .replaceAll('\\%', '%')
    .replaceAll('\\$', '$')
    .replaceAll(/\\[,!]/g, '');
  if (settings.units === 'ignore') rest = rest.replace(/(?<=[\d%)}])\s*[\p{L}°][^\d]*$/u, '');
  rest = rest.replace(/^([-+]?)\s*[$€£¥]\s*/, '$1').replace(/\s*[€£¥]$/, '');
  let scale = 1;
  if (rest.endsWith('%')) {
    if (settings.percent === 'refuse') return 'percent signs are refused';
    if (settings.percent === 'fraction') scale = 100;
    rest = rest.slice(0, -1).trimEnd();
  }
  const fraction = /^([-+]?)\s*\\[dt]?frac\{([^{}]+)\}\{([^{}]+)\}$/.exec(rest) ?? /^()([^/]+)\/([^/]+)$/.exec(rest);
  if (fraction !== null) {
    if (settings.fractions === 'refuse') return 'fractions are refused';
    const [numerator, denominator] = [decimal(fraction[2]!, settings), decimal(fraction[3]!, settings)];
    if (typeof numerator === 'string') return numerator;
    if (typeof denominator === 'string') return denominator;
    if (denominator.value === 0) return 'its denominator is zero';
    const value = ((fraction[1] === '-' ? -1 : 1) * numerator.value) / denominator.value / scale;
    return { value, whole: Number.isSafeInteger(value) ? BigInt(value) : null };
  }
  const number = decimal(rest, settings);
  return typeof number === 'string' || scale === 1 ? number : { value: number.value / scale, whole: null };
}

function decimal(text: string, settings: Settings): Reading | Fault {
  const plain = text.trim();
  const grouped = settings.thousands === 'comma' && /^[-+]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(plain);
  const digits = grouped ? plain.replaceAll(',', '') : plain;
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(digits))
    return `${JSON.stringify(plain.slice(0, 40))} is not written as one`;
  const value = Number(digits);
  if (!Number.isFinite(value)) return `${JSON.stringify(plain.slice(0, 40))} is too large`;
  const whole = /^([-+]?\d+)(\.0*)?$/.exec(digits)?.[1];
  return { value, whole: whole === undefined ? null : BigInt(whole.replace('+', '')) };
}
