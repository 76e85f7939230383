import { NoValue } from './meter.js';
import {
  type Ball,
  bitsOf,
  type Exact,
  exact,
  floorDivide,
  isExact,
  magnitude,
  ONE,
  type Real,
  RealArithmetic,
  scaledDouble,
  shifted,
  ZERO,
} from './real-arithmetic.js';

/** Arithmetic with balls of `bits` bits, with logarithms, exponentials and angles. */
export class Reals extends RealArithmetic {
  private readonly constants = new Map<string, bigint>();

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

  protected fail(): never {
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
