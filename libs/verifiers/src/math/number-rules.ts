/** What each head of an expression computes from numbers. */
import { type Complex, type ComplexNumbers, I, isReal, real, whole } from './complex.js';
import { NoValue } from './meter.js';
import { type Exact, exact, isExact, isInteger, ONE, type Real, ZERO } from './real-arithmetic.js';

/** Largest n of n!. */
const MAX_FACTORIAL = 20_000n;

type Rule = (c: ComplexNumbers, ...operands: readonly Complex[]) => Complex;

export const C0 = real(ZERO);
export const C1 = real(ONE);
const TWO = whole(2);

export const integer = (a: Complex): bigint => {
  if (!isReal(a) || !isExact(a.re)) throw new NoValue(isReal(a) ? 'undetermined' : 'undefined');
  if (!isInteger(a.re)) throw new NoValue('undefined');
  return a.re.n / a.re.d;
};
const realOnly = (a: Complex): Real => {
  if (!isReal(a)) throw new NoValue('undefined');
  return a.re;
};
const greatest = (a: bigint, b: bigint): bigint => {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y > 0n) [x, y] = [y, x % y];
  return x;
};
const ofIntegers =
  (rule: (a: bigint, b: bigint) => bigint): Rule =>
  (_, first, ...others) =>
    whole(others.reduce((total, each) => rule(total, integer(each)), rule(integer(first), integer(first))));

function product(from: bigint, to: bigint, step: bigint, c: ComplexNumbers): Real {
  const count = (to - from) / step + 1n;
  if (count <= 0n) return ONE;
  if (count <= 8n) {
    let result = from;
    for (let k = from + step; k <= to; k += step) result *= k;
    return exact(result);
  }
  const middle = from + (count / 2n) * step;
  return c.multiply(product(from, middle - step, step, c), product(middle, to, step, c));
}

function factorial(c: ComplexNumbers, a: Complex, step: bigint): Complex {
  const x = realOnly(a);
  if (isExact(x) && step === 1n && x.d === 2n && x.n > -2000n && x.n < 2000n) {
    // (−1/2)! = √π, and x! = x (x − 1)!.
    let [value, k]: [Real, Exact] = [c.sqrt(c.pi), exact(-1, 2)];
    for (; k.n < x.n; ) {
      k = exact(k.n + 2n, 2n);
      value = c.multiply(value, k);
    }
    for (; k.n > x.n; k = exact(k.n - 2n, 2n)) value = c.divide(value, k);
    return real(value);
  }
  const n = integer(a);
  if (n < 0n) throw new NoValue('undefined');
  if (n > MAX_FACTORIAL) throw new NoValue('size');
  return real(product(n % step === 0n ? step : 1n, n, step, c));
}

/** n over k: the product of k factors for every n, and of the smaller k where both are whole. */
function binomial(c: ComplexNumbers, n: Complex, k: Complex): Complex {
  let count = integer(k);
  if (count < 0n) return C0;
  const top = realOnly(n);
  if (isInteger(top)) {
    const t = top.n / top.d;
    if (t >= 0n && count > t) return C0;
    if (t >= 0n && t - count < count) count = t - count;
    if (count > MAX_FACTORIAL) throw new NoValue('size');
    return real(c.divide(product(t - count + 1n, t, 1n, c), product(1n, count, 1n, c)));
  }
  if (count > 500n) throw new NoValue('size');
  let value: Real = ONE;
  for (let i = 0n; i < count; i++) value = c.divide(c.multiply(value, c.subtract(top, exact(i))), exact(i + 1n));
  return real(value);
}

function extreme(c: ComplexNumbers, operands: readonly Complex[], wanted: 1 | -1): Complex {
  const [first, ...others] = operands.map(realOnly);
  if (first === undefined) throw new NoValue('undefined');
  return real(
    others.reduce((best, each) => {
      const order = c.compare(each, best);
      if (order !== null) return order === wanted ? each : best;
      if (c.isNarrow(c.subtract(each, best), Math.max(c.top(each), c.top(best)))) return best;
      throw new NoValue('undetermined');
    }, first),
  );
}

function modulo(c: ComplexNumbers, a: Complex, b: Complex): Complex {
  const [x, y] = [realOnly(a), realOnly(b)];
  return real(c.subtract(x, c.multiply(y, c.floor(c.divide(x, y)))));
}

function signOf(c: ComplexNumbers, a: Complex): Complex {
  const sign = c.sign(realOnly(a));
  if (sign === null) throw new NoValue('undetermined');
  return whole(sign);
}

const ratio =
  (top: Rule, bottom: Rule): Rule =>
  (c, ...all) =>
    c.over(top(c, ...all), bottom(c, ...all));
const one: Rule = () => C1;
const sine: Rule = (c, a) => c.sine(a);
const cosine: Rule = (c, a) => c.cosine(a);
const ten = whole(10);

export const RULES: Readonly<Record<string, Rule>> = {
  Negate: (c, a) => c.opposite(a),
  Add: (c, ...all) => all.reduce((sum, each) => c.plus(sum, each), C0),
  Subtract: (c, a, ...rest) => rest.reduce((sum, each) => c.minus(sum, each), a),
  Multiply: (c, ...all) => all.reduce((total, each) => c.times(total, each), C1),
  InvisibleOperator: (c, ...all) => all.reduce((total, each) => c.times(total, each), C1),
  Divide: (c, a, b) => c.over(a, b),
  Rational: (c, a, b) => c.over(a, b),
  Power: (c, a, b) => c.power(a, b),
  Square: (c, a) => c.power(a, TWO),
  Sqrt: (c, a) => c.squareRoot(a),
  Root: (c, a, n) => c.root(a, n),
  Complex: (c, a, b) => c.plus(a, c.times(I, b)),
  BaseForm: (_, a) => a,
  Exp: (c, a) => c.exponential(a),
  Ln: (c, ...all) => (all.length < 2 ? c.logarithm(all[0]!) : c.logarithmTo(all[0]!, all[1]!)),
  Log: (c, ...all) => c.logarithmTo(all[0]!, all[1] ?? ten),
  Lb: (c, a) => c.logarithmTo(a, TWO),
  Lg: (c, a) => c.logarithmTo(a, ten),
  Sin: sine,
  Cos: cosine,
  Tan: ratio(sine, cosine),
  Cot: ratio(cosine, sine),
  Sec: ratio(one, cosine),
  Csc: ratio(one, sine),
  Arcsin: (c, a) => c.arcsine(a),
  Arccos: (c, a) => c.minus(real(c.multiply(c.pi, exact(1, 2))), c.arcsine(a)),
  Arctan: (c, a) => c.arctangent(a),
  Arccot: (c, a) => c.arctangent(c.over(C1, a)),
  Sinh: (c, a) => c.hyperbolicSine(a),
  Cosh: (c, a) => c.hyperbolicCosine(a),
  Tanh: (c, a) => c.over(c.hyperbolicSine(a), c.hyperbolicCosine(a)),
  Arsinh: (c, a) => c.logarithm(c.plus(a, c.squareRoot(c.plus(c.times(a, a), C1)))),
  Arcosh: (c, a) => c.logarithm(c.plus(a, c.times(c.squareRoot(c.plus(a, C1)), c.squareRoot(c.minus(a, C1))))),
  Artanh: (c, a) => c.scaled(c.minus(c.logarithm(c.plus(C1, a)), c.logarithm(c.minus(C1, a))), exact(1, 2)),
  Abs: (c, a) => real(c.size(a)),
  Sign: (c, a) => signOf(c, a),
  Conjugate: (c, a) => ({ re: a.re, im: c.negate(a.im) }),
  Floor: (c, a) => real(c.floor(realOnly(a))),
  Ceil: (c, a) => real(c.negate(c.floor(c.negate(realOnly(a))))),
  Round: (c, a) => real(c.floor(c.add(realOnly(a), exact(1, 2)))),
  Factorial: (c, a) => factorial(c, a, 1n),
  Factorial2: (c, a) => factorial(c, a, 2n),
  Gamma: (c, a) => factorial(c, c.minus(a, C1), 1n),
  Binomial: (c, n, k) => binomial(c, n, k),
  Choose: (c, n, k) => binomial(c, n, k),
  Mod: (c, a, b) => modulo(c, a, b),
  Max: (c, ...all) => extreme(c, all, 1),
  Min: (c, ...all) => extreme(c, all, -1),
  GCD: ofIntegers(greatest),
  LCM: ofIntegers((a, b) => (a * b === 0n ? 0n : (a * b < 0n ? -(a * b) : a * b) / greatest(a, b))),
};

/** How many operands a rule reads; with fewer it does not apply. */
export const LEAST: Readonly<Record<string, number>> = {
  Subtract: 1,
  Divide: 2,
  Rational: 2,
  Power: 2,
  Root: 2,
  Complex: 2,
  Binomial: 2,
  Choose: 2,
  Mod: 2,
};
