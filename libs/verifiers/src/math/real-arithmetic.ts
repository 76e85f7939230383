/**
 * Real numbers that are either exact or enclosed: a fraction of integers, or a ball (m ± r) · 2^e that surely holds the number, as in
 * https://arxiv.org/abs/1611.02831 (Arb). What is exact stays exact while it fits into {@link MAX_EXACT_BITS}; balls have as many bits
 * as their {@link RealArithmetic} says. Two numbers whose balls do not meet are different, which no rounding can change.
 *
 * A ball that is narrow relative to its own size may still hide a small summand (2^{9999} + 1) or the tail of a long fraction. `needed`
 * therefore collects how many bits would have kept everything apart that met on the way; a caller that takes two numbers for equal compares at that many.
 */
import { type Meter, NoValue } from './meter.js';

export interface Exact {
  readonly n: bigint;
  /** Positive. */
  readonly d: bigint;
}
export interface Ball {
  readonly m: bigint;
  readonly r: bigint;
  readonly e: number;
}
export type Real = Exact | Ball;

/** Numerators and denominators are followed so far: 3^{80000}, 9 000!. Beyond, balls. */
const MAX_EXACT_BITS = 131_072;
/** Fractions are reduced below this size; Euclid's steps cost too much above. Bits. */
const MAX_REDUCED_BITS = 4096;
/** Exponents of balls beyond which a number is followed no further: its logarithm would need as many bits. */
const MAX_EXPONENT = 2 ** 40;

export const exact = (n: bigint | number, d: bigint | number = 1n): Exact => ({ n: BigInt(n), d: BigInt(d) });
export const isExact = (x: Real): x is Exact => 'n' in x;
export const isInteger = (x: Real): x is Exact => isExact(x) && x.n % x.d === 0n;
export const ZERO = exact(0);
export const ONE = exact(1);

export const magnitude = (x: bigint): bigint => (x < 0n ? -x : x);

/** Bits of an integer's magnitude. */
export function bitsOf(x: bigint): number {
  const digits = (x < 0n ? -x : x).toString(16);
  return digits === '0' ? 0 : (digits.length - 1) * 4 + (32 - Math.clz32(Number.parseInt(digits[0]!, 16)));
}

/** How often two divides what is not zero. */
const trailingZeros = (x: bigint): number => bitsOf(x & -x) - 1;

export const shifted = (x: bigint, by: number): bigint => (by >= 0 ? x << BigInt(by) : x >> BigInt(-by));

/** ⌊√x⌋ by Newton's method. */
function integerRoot(x: bigint, degree = 2n): bigint {
  if (x < 2n) return x;
  const n = degree;
  let guess = 1n << BigInt(Math.ceil(bitsOf(x) / Number(n)));
  for (;;) {
    const next = ((n - 1n) * guess + x / guess ** (n - 1n)) / n;
    if (next >= guess) return guess;
    guess = next;
  }
}

/** Sums, products, powers and roots of balls of `bits` bits. */
export class RealArithmetic {
  /** Bits that would suffice to keep apart all values added so far. */
  needed = 0;

  constructor(
    readonly bits: number,
    protected readonly meter: Meter,
  ) {}

  protected spend(a: number, b: number): void {
    // The product, and in proportion to the length what is copied and counted.
    this.meter.spend(4 + (a * b) / 65_536 + (a + b) / 32);
  }

  protected need(bits: number): void {
    if (bits > this.needed) this.needed = bits;
  }

  /** A fraction in lowest terms, or a ball where it is too long. */
  fraction(n: bigint, d: bigint): Real {
    if (d === 0n) throw new NoValue('undefined');
    if (n === 0n) return ZERO;
    let [top, bottom] = d < 0n ? [-n, -d] : [n, d];
    if (bottom === 1n) {
      const bits = bitsOf(top);
      return bits > MAX_EXACT_BITS ? this.ball(exact(top)) : { n: top, d: 1n };
    }
    const bits = Math.max(bitsOf(top), bitsOf(bottom));
    if ((bottom & (bottom - 1n)) === 0n) {
      // Over a power of two, as all points are: letters in a row, each of which makes the fraction longer, take no divisions.
      this.meter.spend(4 + bits / 16);
      const common = BigInt(Math.min(trailingZeros(top), bitsOf(bottom) - 1));
      if (common > 0n) [top, bottom] = [top >> common, bottom >> common];
    } else if (bits <= MAX_REDUCED_BITS) {
      this.meter.spend(4 + (bits * bits) / 512);
      let [a, b] = [magnitude(top), bottom];
      while (b > 0n) [a, b] = [b, a % b];
      if (a > 1n) [top, bottom] = [top / a, bottom / a];
    } else {
      this.spend(bitsOf(top), bitsOf(bottom));
      if (top % bottom === 0n) [top, bottom] = [top / bottom, 1n];
    }
    const fractionOf = { n: top, d: bottom };
    return bits > MAX_EXACT_BITS ? this.ball(fractionOf) : fractionOf;
  }

  /** The number as a ball. */
  ball(x: Real): Ball {
    if (!isExact(x)) return x;
    const [top, bottom] = [bitsOf(x.n), bitsOf(x.d)];
    if (x.d === 1n && top <= this.bits) return { m: x.n, r: 0n, e: 0 };
    this.need(Math.max(top, bottom));
    const shift = this.bits + bottom - top;
    this.spend(this.bits + top, bottom);
    return { m: shifted(x.n, shift) / x.d, r: 2n, e: -shift };
  }

  /** A ball cut to the bits of this arithmetic. */
  protected cut(m: bigint, r: bigint, e: number): Ball {
    const excess = Math.max(bitsOf(m), bitsOf(r)) - this.bits;
    if (Math.abs(e) > MAX_EXPONENT) throw new NoValue('size');
    if (excess <= 0) return { m, r, e };
    const by = BigInt(excess);
    return { m: m >> by, r: (r >> by) + 2n, e: e + excess };
  }

  /** Power of two above the magnitude. */
  top(x: Real): number {
    if (isExact(x)) return x.n === 0n ? Number.NEGATIVE_INFINITY : bitsOf(x.n) - bitsOf(x.d) + 1;
    const widest = magnitude(x.m) + x.r;
    return widest === 0n ? Number.NEGATIVE_INFINITY : bitsOf(widest) + x.e;
  }

  /** −1, 0 or 1; null where the ball holds zero and more. */
  sign(x: Real): -1 | 0 | 1 | null {
    if (isExact(x)) return x.n > 0n ? 1 : x.n < 0n ? -1 : 0;
    if (x.m > x.r) return 1;
    if (-x.m > x.r) return -1;
    return x.m === 0n && x.r === 0n ? 0 : null;
  }

  negate(x: Real): Real {
    return isExact(x) ? { n: -x.n, d: x.d } : { ...x, m: -x.m };
  }

  abs(x: Real): Real {
    const sign = this.sign(x);
    if (sign === 1 || sign === 0) return x;
    if (sign === -1) return this.negate(x);
    const { m, r, e } = this.ball(x);
    const high = magnitude(m) + r;
    return { m: high >> 1n, r: (high >> 1n) + 1n, e };
  }

  add(x: Real, y: Real): Real {
    if (isExact(x) && isExact(y)) {
      if (x.n === 0n) return y;
      if (y.n === 0n) return x;
      const [a, b] = [bitsOf(x.n) + bitsOf(x.d), bitsOf(y.n) + bitsOf(y.d)];
      if (a + b <= 2 * MAX_EXACT_BITS) {
        this.spend(a, b);
        return x.d === y.d ? this.fraction(x.n + y.n, x.d) : this.fraction(x.n * y.d + y.n * x.d, x.d * y.d);
      }
    }
    if (isExact(x) && x.n === 0n) return y;
    if (isExact(y) && y.n === 0n) return x;
    const [topX, topY] = [this.top(x), this.top(y)];
    if (topX === Number.NEGATIVE_INFINITY) return y;
    if (topY === Number.NEGATIVE_INFINITY) return x;
    // What cancels may leave the smaller one, and what is left of two small ones is smaller still.
    this.need(Math.abs(topX - topY));
    const least = Math.min(topX, topY);
    if (least < 0 && this.sign(topX < topY ? x : y) !== null) this.need(-least);
    const [a, b] = topX >= topY ? [this.ball(x), this.ball(y)] : [this.ball(y), this.ball(x)];
    const [high, low] = [Math.max(topX, topY), Math.min(topX, topY)];
    this.meter.spend(8);
    if (high - low > 2 * this.bits + 16) {
      // Beyond the last bit of the larger one: it widens the ball and no more.
      const by = Math.max(0, this.bits + 8 - bitsOf(a.m));
      const [m, r, e] = [a.m << BigInt(by), a.r << BigInt(by), a.e - by];
      return this.cut(m, r + 1n + (low > e ? 1n << BigInt(low - e) : 0n), e);
    }
    const e = Math.min(a.e, b.e);
    const [up, down] = [BigInt(a.e - e), BigInt(b.e - e)];
    return this.cut((a.m << up) + (b.m << down), (a.r << up) + (b.r << down), e);
  }

  subtract(x: Real, y: Real): Real {
    return this.add(x, this.negate(y));
  }

  multiply(x: Real, y: Real): Real {
    if (isExact(x) && isExact(y)) {
      if (x.n === 0n || y.n === 0n) return ZERO;
      const [a, b] = [Math.max(bitsOf(x.n), bitsOf(x.d)), Math.max(bitsOf(y.n), bitsOf(y.d))];
      if (a + b <= MAX_EXACT_BITS) {
        this.spend(a, b);
        return this.fraction(x.n * y.n, x.d * y.d);
      }
    }
    if ((isExact(x) && x.n === 0n) || (isExact(y) && y.n === 0n)) return ZERO;
    const [a, b] = [this.ball(x), this.ball(y)];
    this.spend(this.bits, this.bits);
    return this.cut(a.m * b.m, magnitude(a.m) * b.r + magnitude(b.m) * a.r + a.r * b.r, a.e + b.e);
  }

  divide(x: Real, y: Real): Real {
    const sign = this.sign(y);
    if (sign === 0) throw new NoValue('undefined');
    if (isExact(x) && isExact(y)) return this.multiply(x, y.n < 0n ? { n: -y.d, d: -y.n } : { n: y.d, d: y.n });
    if (sign === null) throw new NoValue('undetermined');
    if (isExact(x) && x.n === 0n) return ZERO;
    const [a, b] = [this.ball(x), this.ball(y)];
    const shift = Math.max(0, this.bits + bitsOf(b.m) - bitsOf(a.m) + 8);
    this.spend(2 * this.bits, this.bits);
    const quotient = (a.m << BigInt(shift)) / b.m;
    const smallest = magnitude(b.m) - b.r;
    const error = ((a.r << BigInt(shift)) + (magnitude(quotient) + 1n) * b.r) / smallest + 3n;
    return this.cut(quotient, error, a.e - b.e - shift);
  }

  compare(x: Real, y: Real): -1 | 0 | 1 | null {
    if (isExact(x) && isExact(y)) {
      const [a, b] = [x.n * y.d, y.n * x.d];
      return a > b ? 1 : a < b ? -1 : 0;
    }
    return this.sign(this.subtract(x, y));
  }

  /** The whole power of a number. */
  whole(x: Real, exponent: bigint): Real {
    if (exponent < 0n) return this.divide(ONE, this.whole(x, -exponent));
    if (exponent === 0n) return ONE;
    if (isExact(x)) {
      if (x.n === 0n) return ZERO;
      if (x.d === 1n && magnitude(x.n) === 1n) return x.n === 1n || exponent % 2n === 0n ? ONE : x;
      const bits = BigInt(Math.max(bitsOf(x.n), bitsOf(x.d)));
      if (bits * exponent <= BigInt(MAX_EXACT_BITS)) {
        this.spend(Number(bits * exponent), 4096);
        return { n: x.n ** exponent, d: x.d ** exponent };
      }
    }
    if (exponent > 1n << 48n) throw new NoValue('size');
    let [result, factor, left]: [Real, Real, bigint] = [ONE, this.ball(x), exponent];
    for (;;) {
      if (left & 1n) result = this.multiply(result, factor);
      left >>= 1n;
      if (left === 0n) return result;
      factor = this.multiply(factor, factor);
    }
  }

  /** The square root of what is not negative. */
  sqrt(x: Real): Real {
    if (isExact(x)) return this.rootOfExact(x, 2n) ?? this.sqrt(this.ball(x));
    const { m, r, e } = x;
    if (m + r < 0n) throw new NoValue('undefined');
    const room = Math.max(0, 2 * this.bits + 4 - bitsOf(m));
    const by = BigInt(room + ((room + e) & 1 ? 1 : 0));
    const [middle, radius] = [m << by, r << by];
    const half = (e - Number(by)) / 2;
    this.spend(2 * this.bits, 2 * this.bits);
    if (m <= r) {
      const high = integerRoot(middle + radius) + 1n;
      return this.cut(high >> 1n, (high >> 1n) + 1n, half);
    }
    return this.cut(integerRoot(middle), radius / integerRoot(middle - radius) + 2n, half);
  }

  /** The exact root of a fraction that is not negative; null where it has none. */
  rootOfExact(x: Exact, degree: bigint): Exact | null {
    if (degree > 4096n) return null;
    this.spend(bitsOf(x.n) + bitsOf(x.d), 4096);
    const [n, d] = [integerRoot(x.n, degree), integerRoot(x.d, degree)];
    return n ** degree === x.n && d ** degree === x.d ? { n, d } : null;
  }
}

/** value · 2^power, without a power that is out of range by itself. */
export function scaledDouble(value: number, power: number): number {
  const half = Math.max(-1100, Math.min(1000, Math.trunc(power / 2)));
  return value * 2 ** half * 2 ** Math.max(-1100, Math.min(1000, power - half));
}

export function floorDivide(n: bigint, d: bigint): bigint {
  const quotient = n / d;
  return n % d !== 0n && n < 0n !== d < 0n ? quotient - 1n : quotient;
}
