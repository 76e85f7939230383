/** Complex numbers over {@link Reals}, with the principal values of their functions. */
import { NoValue } from './meter.js';
import { Reals } from './real.js';
import { exact, isExact, isInteger, ONE, type Real, ZERO } from './real-arithmetic.js';

export interface Complex {
  readonly re: Real;
  readonly im: Real;
}

export const real = (re: Real): Complex => ({ re, im: ZERO });
export const whole = (n: bigint | number): Complex => real(exact(n));
export const I: Complex = { re: ZERO, im: ONE };
const C0 = real(ZERO);
const C1 = real(ONE);
const HALF = exact(1, 2);

const isZero = (x: Real): boolean => isExact(x) && x.n === 0n;
export const isReal = ({ im }: Complex): boolean => isZero(im);

/** Exponents up to which complex numbers are multiplied rather than taken to their logarithm. */
const MAX_REPEATED = 65_536n;

export class ComplexNumbers extends Reals {
  private leftReals = false;

  /** Whether a root or a logarithm of something negative was taken since it was last asked: what holds for positive reals need not hold there. */
  hasLeftReals(): boolean {
    const { leftReals } = this;
    this.leftReals = false;
    return leftReals;
  }

  plus(a: Complex, b: Complex): Complex {
    return { re: this.add(a.re, b.re), im: this.add(a.im, b.im) };
  }

  minus(a: Complex, b: Complex): Complex {
    return { re: this.subtract(a.re, b.re), im: this.subtract(a.im, b.im) };
  }

  opposite(a: Complex): Complex {
    return { re: this.negate(a.re), im: this.negate(a.im) };
  }

  times(a: Complex, b: Complex): Complex {
    if (isReal(a) && isReal(b)) return real(this.multiply(a.re, b.re));
    return {
      re: this.subtract(this.multiply(a.re, b.re), this.multiply(a.im, b.im)),
      im: this.add(this.multiply(a.re, b.im), this.multiply(a.im, b.re)),
    };
  }

  over(a: Complex, b: Complex): Complex {
    if (isReal(b)) return { re: this.divide(a.re, b.re), im: this.divide(a.im, b.re) };
    const size = this.add(this.multiply(b.re, b.re), this.multiply(b.im, b.im));
    const top = this.times(a, { re: b.re, im: this.negate(b.im) });
    return { re: this.divide(top.re, size), im: this.divide(top.im, size) };
  }

  scaled(a: Complex, by: Real): Complex {
    return { re: this.multiply(a.re, by), im: this.multiply(a.im, by) };
  }

  size(a: Complex): Real {
    if (isReal(a)) return this.abs(a.re);
    if (isZero(a.re)) return this.abs(a.im);
    return this.sqrt(this.add(this.multiply(a.re, a.re), this.multiply(a.im, a.im)));
  }

  exponential(a: Complex): Complex {
    if (isReal(a)) return real(this.exp(a.re));
    const { sin, cos } = this.sinCos(a.im);
    return this.scaled({ re: cos, im: sin }, this.exp(a.re));
  }

  logarithm(a: Complex): Complex {
    const b = this.settled(a);
    if (isReal(b) && this.sign(b.re) !== -1) return real(this.ln(b.re));
    this.leftReals = true;
    return { re: this.ln(this.size(b)), im: this.angle(b.im, b.re) };
  }

  /** An imaginary part that cannot be distinguished from zero is zero: the branch of a logarithm depends on it. */
  private settled(a: Complex): Complex {
    if (isReal(a) || this.sign(a.im) !== null) return a;
    if (this.top(a.im) < -this.bits / 2) return real(a.re);
    throw new NoValue('undetermined');
  }

  squareRoot(a: Complex): Complex {
    const b = this.settled(a);
    if (isReal(b)) {
      const sign = this.sign(b.re);
      if (sign !== -1) return real(this.sqrt(b.re));
      this.leftReals = true;
      return { re: ZERO, im: this.sqrt(this.negate(b.re)) };
    }
    this.leftReals = true;
    return this.exponential(this.scaled(this.logarithm(b), HALF));
  }

  power(a: Complex, b: Complex): Complex {
    if (isReal(b) && isInteger(b.re)) {
      const exponent = b.re.n / b.re.d;
      if (isReal(a)) return real(this.whole(a.re, exponent));
      if ((exponent < 0n ? -exponent : exponent) <= MAX_REPEATED) return this.repeated(a, exponent);
    }
    if (isReal(a) && isZero(a.re)) {
      const sign = this.sign(b.re);
      if (sign === 1) return C0;
      throw new NoValue('undefined');
    }
    if (isReal(a) && isReal(b) && isExact(b.re)) {
      const sign = this.sign(a.re);
      if (sign === null) throw new NoValue('undetermined');
      if (sign > 0) {
        const root = isExact(a.re) ? this.rootOfExact(a.re, b.re.d) : null;
        if (root !== null) return real(this.whole(root, b.re.n));
        if (b.re.d === 2n) return real(this.whole(this.sqrt(a.re), b.re.n));
      } else if (b.re.d === 2n) {
        return this.repeated(this.squareRoot(a), b.re.n);
      }
    }
    return this.exponential(this.times(b, this.logarithm(a)));
  }

  private repeated(a: Complex, exponent: bigint): Complex {
    if (exponent < 0n) return this.over(C1, this.repeated(a, -exponent));
    let [result, factor, left] = [C1, a, exponent];
    for (; left > 0n; left >>= 1n) {
      if (left & 1n) result = this.times(result, factor);
      if (left > 1n) factor = this.times(factor, factor);
    }
    return result;
  }

  /** The principal root; of a negative number the real one where the degree is odd. */
  root(a: Complex, degree: Complex): Complex {
    if (isReal(a) && isReal(degree) && isInteger(degree.re) && this.sign(a.re) === -1) {
      const n = degree.re.n / degree.re.d;
      if (n % 2n !== 0n) return this.opposite(this.root(this.opposite(a), degree));
    }
    return this.power(a, this.over(C1, degree));
  }

  /** The logarithm of a to the base b, exact where it is a fraction of small integers. */
  logarithmTo(a: Complex, b: Complex): Complex {
    if (isReal(a) && isReal(b) && isExact(a.re) && isExact(b.re) && a.re.n > 0n && b.re.n > 0n) {
      const known = this.exactLogarithm(a.re, b.re);
      if (known !== null) return real(known);
    }
    return this.over(this.logarithm(a), this.logarithm(b));
  }

  private exactLogarithm(a: Real, b: Real): Real | null {
    if (!isExact(a) || !isExact(b) || this.compare(b, ONE) === 0) return null;
    if (this.compare(a, ONE) === 0) return ZERO;
    const ratio = this.toNumber(this.divide(this.ln(a), this.ln(b)));
    for (let q = 1; q <= 12; q++) {
      const p = Math.round(ratio * q);
      if (Math.abs(ratio * q - p) > 1e-9 * Math.max(1, Math.abs(p)) || Math.abs(p) > 100_000) continue;
      const [left, right] = [this.whole(b, BigInt(p)), this.whole(a, BigInt(q))];
      if (isExact(left) && isExact(right) && this.compare(left, right) === 0) return exact(p, q);
    }
    return null;
  }

  sine(a: Complex): Complex {
    if (isReal(a)) return real(this.sinCos(a.re).sin);
    const [up, down] = [this.exponential(this.times(I, a)), this.exponential(this.times(this.opposite(I), a))];
    return this.over(this.minus(up, down), { re: ZERO, im: exact(2) });
  }

  cosine(a: Complex): Complex {
    if (isReal(a)) return real(this.sinCos(a.re).cos);
    const [up, down] = [this.exponential(this.times(I, a)), this.exponential(this.times(this.opposite(I), a))];
    return this.scaled(this.plus(up, down), HALF);
  }

  arcsine(a: Complex): Complex {
    if (isReal(a)) {
      const rest = this.subtract(ONE, this.multiply(a.re, a.re));
      const sign = this.sign(rest);
      if (sign === null) throw new NoValue('undetermined');
      if (sign >= 0) return real(this.angle(a.re, this.sqrt(rest)));
    }
    const rest = this.squareRoot(this.minus(C1, this.times(a, a)));
    const log = this.logarithm(this.plus(this.times(I, a), rest));
    return this.times(this.opposite(I), log);
  }

  arctangent(a: Complex): Complex {
    if (isReal(a)) return real(this.arctan(a.re));
    const turned = this.times(I, a);
    const log = this.minus(this.logarithm(this.minus(C1, turned)), this.logarithm(this.plus(C1, turned)));
    return this.times({ re: ZERO, im: HALF }, log);
  }

  hyperbolicSine(a: Complex): Complex {
    return this.scaled(this.minus(this.exponential(a), this.exponential(this.opposite(a))), HALF);
  }

  hyperbolicCosine(a: Complex): Complex {
    return this.scaled(this.plus(this.exponential(a), this.exponential(this.opposite(a))), HALF);
  }
}
