/** Decimals and fractions as exact rational numbers: two answers are equal or they are not, however large, small or near they are. */

/** numerator / denominator, the denominator positive. Not in lowest terms. */
export interface Exact {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Powers of ten beyond this would cost more than they say. */
const MAX_EXPONENT = 1000;
/** Digits that a number is read with. */
const MAX_DIGITS = 40_000;

const DECIMAL = /^([-+]?)(\d*)(?:\.(\d*))?(?:e([-+]?\d{1,6}))?$/i;

/**
 * A decimal such as -12, 1.50, .5, 2e-7; null for a text that is not one.
 * @throws nothing; 'too large' for exponents beyond ±1000 or more than 40 000 digits
 */
export function exactDecimal(text: string): Exact | 'too large' | null {
  const parts = DECIMAL.exec(text);
  if (parts === null) return /^[-+]?(?=\.?\d)\d*(?:\.\d*)?e[-+]?\d+$/i.test(text) ? 'too large' : null;
  const [, sign, whole = '', places = '', exponent = '0'] = parts;
  if (whole === '' && places === '') return null;
  const scale = Number(exponent) - places.length;
  if (Math.abs(Number(exponent)) > MAX_EXPONENT || whole.length + places.length > MAX_DIGITS) return 'too large';
  const size = BigInt(whole + places);
  const numerator = sign === '-' ? -size : size;
  return scale >= 0
    ? { numerator: numerator * 10n ** BigInt(scale), denominator: 1n }
    : { numerator, denominator: 10n ** BigInt(-scale) };
}

/** The decimal that a double is written as: 0.1 is a tenth. */
export function exactOf(value: number): Exact {
  const exact = exactDecimal(String(value));
  return exact === null || exact === 'too large' ? { numerator: 0n, denominator: 1n } : exact;
}

/** a / b; null where b is zero. */
export function quotient(a: Exact, b: Exact): Exact | null {
  if (b.numerator === 0n) return null;
  const sign = b.numerator < 0n ? -1n : 1n;
  return {
    numerator: sign * a.numerator * b.denominator,
    denominator: sign * a.denominator * b.numerator,
  };
}

export const product = (a: Exact, b: Exact): Exact => ({
  numerator: a.numerator * b.numerator,
  denominator: a.denominator * b.denominator,
});

/** |a − b| */
export function distance(a: Exact, b: Exact): Exact {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator;
  return { numerator: absolute(difference), denominator: a.denominator * b.denominator };
}

export const magnitude = ({ numerator, denominator }: Exact): Exact => ({
  numerator: absolute(numerator),
  denominator,
});

/** Negative, zero or positive as a is less than, equal to or greater than b. */
export function compareExact(a: Exact, b: Exact): number {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

const absolute = (value: bigint): bigint => (value < 0n ? -value : value);
