/**
 * Real numbers that are either exact or enclosed: a fraction of integers, or a ball (m ± r) · 2^e that surely holds the number, as in
 * https://arxiv.org/abs/1611.02831 (Arb). What is exact stays exact while it fits into {@link MAX_EXACT_BITS}; balls have as many bits
 * as their {@link Reals} say. Two numbers whose balls do not meet are different, which no rounding can change.
 *
 * A ball that is narrow relative to its own size may still hide a small summand (2^{9999} + 1) or the tail of a long fraction. `needed`
 * therefore collects how many bits would have kept everything apart that met on the way; who calls two numbers equal compares at that many.
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

const magnitude = (x: bigint): bigint => (x < 0n ? -x : x);

/** Bits of an integer's magnitude. */
function bitsOf(x: bigint): number {
  const digits = (x < 0n ? -x : x).toString(16);
  return digits === '0' ? 0 : (digits.length - 1) * 4 + (32 - Math.clz32(Number.parseInt(digits[0]!, 16)));
}

/** How often two divides what is not zero. */
const trailingZeros = (x: bigint): number => bitsOf(x & -x) - 1;

const shifted = (x: bigint, by: number): bigint => (by >= 0 ? x << BigInt(by) : x >> BigInt(-by));

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

/** Arithmetic with balls of `bits` bits. */
export class Reals {
  /** Bits that would keep apart whatever was added on the way. */
  needed = 0;
  private constants = new Map<string, bigint>();

  constructor(
    readonly bits: number,
    protected readonly meter: Meter,
  ) {}

  private spend(a: number, b: number): void {
    // The product, and in proportion to the length what is copied and counted.
    this.meter.spend(4 + (a * b) / 65_536 + (a + b) / 32);
  }

  private need(bits: number): void {
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
  private cut(m: bigint, r: bigint, e: number): Ball {
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

  /** The number as an integer times 2^−bits with its error in the same unit. */
  private fixed(x: Real, bits: number): { readonly m: bigint; readonly r: bigint } {
    const { m, r, e } = isExact(x) ? { m: (x.n << BigInt(bits)) / x.d, r: 1n, e: -bits } : x;
    const by = e + bits;
    if (bitsOf(m) + by > 4 * bits + 128) throw new NoValue('size');
    return { m: shifted(m, by), r: shifted(r, by) + 2n };
  }

  private constant(name: string, bits: number, of: (bits: number) => bigint): bigint {
    const key = `${name}${bits}`;
    let value = this.constants.get(key);
    if (value === undefined) {
      this.spend(bits * 8, bits);
      value = of(bits);
      this.constants.set(key, value);
    }
    return value;
  }

  /** π · 2^bits, off by less than 2^20. Machin's formula. */
  private piOf(bits: number): bigint {
    return this.constant('pi', bits, (b) => 4n * (4n * arctanOfInverse(5n, b) - arctanOfInverse(239n, b)));
  }

  /** ln 2 · 2^bits, off by less than 2^20. */
  private ln2Of(bits: number): bigint {
    return this.constant(
      'ln2',
      bits,
      (b) => 18n * artanhOfInverse(26n, b) - 2n * artanhOfInverse(4801n, b) + 8n * artanhOfInverse(8749n, b),
    );
  }

  get pi(): Ball {
    return this.cut(this.piOf(this.bits + 32), 1n << 20n, -this.bits - 32);
  }

  exp(x: Real): Real {
    if (isExact(x) && x.n === 0n) return ONE;
    const size = this.top(x);
    if (size > 40) throw new NoValue('size');
    const work = this.bits + 64 + Math.max(0, size);
    const { m, r } = this.fixed(x, work);
    if (r >= 1n << BigInt(work - 2)) throw new NoValue('undetermined');
    const ln2 = this.ln2Of(work);
    const turns = (m + (ln2 >> 1n)) / ln2;
    const halvings = 8;
    const rest = (m - turns * ln2) >> BigInt(halvings);
    let [sum, term] = [1n << BigInt(work), 1n << BigInt(work)];
    for (let k = 1n; term !== 0n; k++) {
      term = ((term * rest) >> BigInt(work)) / k;
      sum += term;
      this.spend(work, work);
    }
    for (let i = 0; i < halvings; i++) sum = (sum * sum) >> BigInt(work);
    // Cut terms and the remainder modulo ln 2 are off by less than 2^28 units, the argument by r.
    const error = (1n << 28n) + magnitude(turns) * (1n << 21n) + ((sum * r) >> BigInt(work - 2)) + 1n;
    return this.cut(sum, error, Number(turns) - work);
  }

  /** The natural logarithm of what is positive. */
  ln(x: Real): Real {
    const sign = this.sign(x);
    if (sign === null) throw new NoValue('undetermined');
    if (sign <= 0) throw new NoValue('undefined');
    if (isExact(x) && x.n === x.d) return ZERO;
    const { m, r, e } = this.ball(x);
    const top = bitsOf(m);
    // Near 1 the logarithm is as small as the distance: more bits keep it apart from zero.
    const work = this.bits + 64;
    let scale = top + e;
    let value = shifted(m, work - top); // in [1/2, 1)
    if (value < 3n << BigInt(work - 2)) {
      value <<= 1n;
      scale--;
    }
    const one = 1n << BigInt(work);
    const z = ((value - one) << BigInt(work)) / (value + one);
    const square = (z * z) >> BigInt(work);
    let [sum, term] = [0n, z];
    for (let k = 1n; term !== 0n; k += 2n) {
      sum += term / k;
      term = (term * square) >> BigInt(work);
      this.spend(work, work);
      if (magnitude(term) <= 1n) break;
    }
    const total = 2n * sum + BigInt(scale) * this.ln2Of(work);
    const error = BigInt(work * 4) + magnitude(BigInt(scale)) * (1n << 20n) + (r << BigInt(work + 1)) / (m - r) + 8n;
    return this.cut(total, error, -work);
  }

  /** Sine and cosine together. */
  sinCos(x: Real): { readonly sin: Real; readonly cos: Real } {
    if (isExact(x) && x.n === 0n) return { sin: ZERO, cos: ONE };
    const size = this.top(x);
    if (size > 16 * this.bits + 4096) throw new NoValue('size');
    const work = this.bits + 64 + Math.max(0, size);
    const { m, r } = this.fixed(x, work);
    if (r >= 1n << BigInt(work)) throw new NoValue('undetermined');
    const quarter = this.piOf(work) >> 1n;
    const turns = floorDivide(m + (quarter >> 1n), quarter);
    const rest = m - turns * quarter;
    const error = r + (magnitude(turns) + 1n) * (1n << 21n) + BigInt(work);
    const unit = BigInt(work);
    const square = (rest * rest) >> unit;
    let [sin, cos, term] = [0n, 0n, 1n << unit];
    for (let k = 1n; term !== 0n; k += 2n) {
      cos += term;
      const odd = ((term * rest) >> unit) / k;
      sin += odd;
      term = -((term * square) >> unit) / (k * (k + 1n));
      this.spend(2 * work, work);
    }
    const [s, c] = [this.cut(sin, error, -work), this.cut(cos, error, -work)];
    const negative = (b: Ball): Ball => ({ ...b, m: -b.m });
    switch (Number(((turns % 4n) + 4n) % 4n)) {
      case 0:
        return { sin: s, cos: c };
      case 1:
        return { sin: c, cos: negative(s) };
      case 2:
        return { sin: negative(s), cos: negative(c) };
      default:
        return { sin: negative(c), cos: s };
    }
  }

  arctan(x: Real): Real {
    if (isExact(x) && x.n === 0n) return ZERO;
    const sign = this.sign(x);
    if (sign !== null && this.sign(this.subtract(this.abs(x), ONE)) === 1) {
      const half = this.multiply(this.pi, exact(sign, 2));
      return this.subtract(half, this.arctan(this.divide(ONE, x)));
    }
    // Three halvings of the angle: arctan x = 2 arctan(x / (1 + √(1 + x²))).
    let value = x;
    for (let i = 0; i < 3; i++)
      value = this.divide(value, this.add(ONE, this.sqrt(this.add(ONE, this.multiply(value, value)))));
    const small = this.ball(value);
    if (small.m === 0n && small.r === 0n) return ZERO;
    const work = this.bits + 32 + Math.max(0, -this.top(small));
    const { m, r } = this.fixed(small, work);
    const unit = BigInt(work);
    const square = (m * m) >> unit;
    let [sum, term] = [0n, m];
    for (let k = 1n; magnitude(term) > 1n; k += 2n) {
      sum += term / k;
      term = -((term * square) >> unit);
      this.spend(work, work);
    }
    return this.multiply(exact(8), this.cut(sum, r + BigInt(work), -work));
  }

  /** The angle of (x, y) in (−π, π]. */
  angle(y: Real, x: Real): Real {
    const [signY, signX] = [this.sign(y), this.sign(x)];
    if (signX === 0 && signY === 0) throw new NoValue('undefined');
    if (signY === 0) return signX === 1 ? ZERO : this.pi;
    if (signX === 0) return this.multiply(this.pi, exact(signY ?? this.fail(), 2));
    if (signX === null) {
      if (signY === null) throw new NoValue('undetermined');
      return this.subtract(this.multiply(this.pi, exact(signY, 2)), this.arctan(this.divide(x, y)));
    }
    const slope = this.arctan(this.divide(y, x));
    if (signX === 1) return slope;
    if (signY === null) throw new NoValue('undetermined');
    return signY === 1 ? this.add(slope, this.pi) : this.subtract(slope, this.pi);
  }

  private fail(): never {
    throw new NoValue('undetermined');
  }

  /** ⌊x⌋. A ball that is far narrower than its distance to every other integer is taken for the one that it holds. */
  floor(x: Real): Exact {
    if (isExact(x)) return { n: floorDivide(x.n, x.d), d: 1n };
    const { m, r, e } = x;
    if (this.top(x) > this.bits) throw new NoValue('size');
    const [low, high] = [shifted(m - r, e), shifted(m + r, e)];
    if (low === high) return { n: low, d: 1n };
    if (this.bits >= 1024 && e < -this.bits / 2 && bitsOf(r) + e < -this.bits / 2) return { n: high, d: 1n };
    throw new NoValue('undetermined');
  }

  /** Whether a ball that holds zero is so narrow that it can be taken for it, given the sizes of what was compared. */
  isNarrow(x: Real, scale: number): boolean {
    if (isExact(x)) return x.n === 0n;
    if (this.bits < this.needed + 48) return false;
    return this.top(x) <= Math.max(scale, -this.bits / 4) - this.bits / 2;
  }

  /** A double near the number; infinite or 0 where it is out of their range. */
  toNumber(x: Real): number {
    if (isExact(x)) {
      const by = bitsOf(x.n) - bitsOf(x.d) - 64;
      return scaledDouble(Number(shifted(x.n, -by) / x.d), by);
    }
    const by = bitsOf(x.m) - 64;
    const whole = Number(shifted(x.m, -by));
    const power = by + x.e;
    return scaledDouble(whole, power);
  }

  /** A text that equal numbers share, however they were computed. */
  label(x: Real): string {
    if (isExact(x)) return `${x.n}/${x.d}`;
    const top = this.top(x);
    if (top === Number.NEGATIVE_INFINITY) return '0/1';
    const keep = Math.floor(this.bits / 3);
    const by = x.e - top + keep;
    const half = by < 0 ? 1n << BigInt(-by - 1) : 0n;
    return `${shifted(x.m + half, by)}·2^${top}`;
  }
}

/** value · 2^power, without a power that is out of range by itself. */
function scaledDouble(value: number, power: number): number {
  const half = Math.max(-1100, Math.min(1000, Math.trunc(power / 2)));
  return value * 2 ** half * 2 ** Math.max(-1100, Math.min(1000, power - half));
}

function floorDivide(n: bigint, d: bigint): bigint {
  const quotient = n / d;
  return n % d !== 0n && n < 0n !== d < 0n ? quotient - 1n : quotient;
}

/** arctan(1/q) · 2^bits. */
function arctanOfInverse(q: bigint, bits: number): bigint {
  let power = (1n << BigInt(bits)) / q;
  let sum = power;
  const square = q * q;
  for (let k = 3n, sign = -1n; power !== 0n; k += 2n, sign = -sign) {
    power /= square;
    sum += sign * (power / k);
  }
  return sum;
}

/** artanh(1/q) · 2^bits. */
function artanhOfInverse(q: bigint, bits: number): bigint {
  let power = (1n << BigInt(bits)) / q;
  let sum = power;
  const square = q * q;
  for (let k = 3n; power !== 0n; k += 2n) {
    power /= square;
    sum += power / k;
  }
  return sum;
}
