/** The value of an expression at a point, in numbers that are exact or enclosed. What has no rule has a value that its name and arguments fix. */
import { Random } from '@seamstream/kernel';
import { type Complex, type ComplexNumbers, I, isReal, real, whole } from './complex.js';
import { FUNCTION_NAMES, isConstant, type MathJson, mixedNumber } from './expression.js';
import { NoValue } from './meter.js';
import { type Exact, exact, isExact, isInteger, ONE, type Real, ZERO } from './real.js';

type Matrix = readonly (readonly Complex[])[];
export type Value = Complex | { readonly rows: Matrix };
export type Bindings = (name: string) => Complex;

/** What an evaluation depends on besides the expression. */
export interface Setting {
  readonly numbers: ComplexNumbers;
  readonly bindings: Bindings;
  /** Letters that are functions where a bracket follows, whatever {@link FUNCTION_NAMES} says: y in y(0). */
  readonly called: ReadonlySet<string>;
}

/** Terms of a series that are added up. */
const MAX_TERMS = 10_000;
/** Largest n of n!. */
const MAX_FACTORIAL = 20_000n;

type Rule = (c: ComplexNumbers, ...operands: readonly Complex[]) => Complex;

const C0 = real(ZERO);
const C1 = real(ONE);
const TWO = whole(2);

const integer = (a: Complex): bigint => {
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

const RULES: Readonly<Record<string, Rule>> = {
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
const LEAST: Readonly<Record<string, number>> = {
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

/** Names of constants with their values. */
function constantOf(name: string, c: ComplexNumbers): Complex | null {
  switch (name) {
    case 'Pi':
      return real(c.pi);
    case 'ExponentialE':
    case 'e':
      return real(c.exp(ONE));
    case 'i':
    case 'ImaginaryUnit':
      return I;
    default:
      // Infinity is compared as a sign, never computed with.
      if (isConstant(name)) throw new NoValue('undefined');
      return null;
  }
}

/** @throws NoValue, TooCostly */
export function evaluate(json: MathJson, setting: Setting): Value {
  const { numbers: c, bindings } = setting;
  if (typeof json === 'number') return numberOf(String(json), c);
  if (typeof json === 'string') {
    if (json.startsWith("'")) {
      const text = json.replaceAll(/[\s']/g, '');
      return bindings(text.length === 1 ? text : `text ${text.toLowerCase()}`); // \text{m} is the variable m
    }
    return constantOf(json, c) ?? bindings(json);
  }
  if (!Array.isArray(json))
    return 'num' in json ? numberOf((json as { num: string }).num, c) : bindings(JSON.stringify(json));
  const mixed = mixedNumber(json as readonly MathJson[]);
  if (mixed !== null) return evaluate(mixed, setting);
  const [head, ...operands] = json as readonly MathJson[];
  if (typeof head !== 'string') return opaque(JSON.stringify(head), operands, setting);
  switch (head) {
    case 'Delimiter':
      return operands.length === 1 ? evaluate(operands[0]!, setting) : opaque('Delimiter', operands, setting);
    case 'Matrix':
      return matrixOf(operands[0], setting) ?? opaque('Matrix', operands, setting);
    case 'Apply': {
      const [applied, argument] = operands;
      if (
        Array.isArray(applied) &&
        applied[0] === 'InverseFunction' &&
        typeof applied[1] === 'string' &&
        argument !== undefined
      )
        return evaluate([`Arc${applied[1].toLowerCase()}`, argument], setting);
      return opaque(`Apply ${JSON.stringify(applied)}`, operands.slice(1), setting);
    }
    case 'Root':
      // The real root is meant of a number; of a variable the principal one, as in x^{1/3}.
      if (operands.length === 2 && holdsVariable(operands[0]!))
        return evaluate(['Power', operands[0]!, ['Divide', 1, operands[1]!]], setting);
      break;
    case 'Sum':
    case 'Product':
      return series(head, operands, setting) ?? symbolicSeries(head, operands, setting);
    case 'InvisibleOperator': {
      const at = operands.findIndex((operand, i) => isCall(operand, operands[i + 1], setting.called));
      if (at < 0) break;
      const call: MathJson = [operands[at] as string, (operands[at + 1] as readonly MathJson[])[1] ?? 0];
      const rest = [...operands.slice(0, at), opaqueCall(call), ...operands.slice(at + 2)];
      return evaluate(rest.length === 1 ? rest[0]! : ['InvisibleOperator', ...rest], setting);
    }
    case 'Call':
      return opaque(operands[0] as string, operands.slice(1), setting);
  }
  const rule = RULES[head];
  if (rule === undefined) {
    // x(3) written like a call of an unknown function is a product, f(3) is not.
    const isProduct =
      /^[a-zA-Z](?:_\w+)?$/.test(head) && operands.length === 1 && !isCall(head, operands[0], setting.called);
    return isProduct ? evaluate(['InvisibleOperator', head, operands[0]!], setting) : opaque(head, operands, setting);
  }
  if (operands.length < (LEAST[head] ?? 1)) return opaque(head, operands, setting);
  const values = operands.map((operand) => evaluate(operand, setting));
  if (values.every((value): value is Complex => 're' in value)) return rule(c, ...values);
  return matrixArithmetic(head, values, c) ?? opaque(head, operands, setting);
}

const opaqueCall = ([name, ...operands]: readonly MathJson[]): MathJson => ['Call', name!, ...operands];

/** f(x) always, y(0) and I(t) where the letter is nowhere a value. */
function isCall(name: MathJson, argument: MathJson | undefined, called: ReadonlySet<string>): boolean {
  if (typeof name !== 'string' || argument === undefined) return false;
  const isBracketed = Array.isArray(argument) && argument[0] === 'Delimiter';
  const inner = isBracketed ? ((argument as readonly MathJson[])[1] ?? 0) : argument;
  if (FUNCTION_NAMES.test(name)) return isBracketed || !Array.isArray(argument);
  return (isBracketed || !Array.isArray(argument)) && (called.has(name) || (inner === 0 && /^[a-zA-Z]/.test(name)));
}

function holdsVariable(json: MathJson): boolean {
  if (typeof json === 'string') return !isConstant(json);
  return Array.isArray(json) && (json as readonly MathJson[]).slice(1).some(holdsVariable);
}

function numberOf(literal: string, c: ComplexNumbers): Complex {
  const parts = /^([-+]?)(\d*)(?:\.(\d*))?(?:e([-+]?\d+))?$/i.exec(literal);
  if (parts === null) throw new NoValue('undefined');
  const [, sign, before = '', after = '', exponent = '0'] = parts;
  const power = Number(exponent) - after.length;
  if (before + after === '') throw new NoValue('undefined');
  if (Math.abs(power) > 30_000) throw new NoValue('size');
  const value = BigInt(before + after) * (sign === '-' ? -1n : 1n);
  return real(power >= 0 ? c.fraction(value * 10n ** BigInt(power), 1n) : c.fraction(value, 10n ** BigInt(-power)));
}

function series(head: 'Sum' | 'Product', [body, limits]: readonly MathJson[], setting: Setting): Value | null {
  if (body === undefined || !Array.isArray(limits)) return null;
  const { numbers: c } = setting;
  const [, index, from, to] = limits as readonly MathJson[];
  if (typeof index !== 'string' || from === undefined || to === undefined) return null;
  const ends = [from, to].map((end) => (isInfinite(end) || end === 'Nothing' ? null : evaluate(end, setting)));
  const [first, last] = ends;
  if (first === null || last === null || first === undefined || last === undefined) return null;
  if (!('re' in first) || !('re' in last) || !isReal(first) || !isReal(last)) return null;
  if (!isInteger(first.re) || !isInteger(last.re)) return null;
  const [low, high] = [integer(first), integer(last)];
  if (high - low > BigInt(MAX_TERMS)) return null;
  const indexed = renamed(body, index, INDEX); // so that an index i is not the imaginary unit
  let total = head === 'Sum' ? C0 : C1;
  for (let k = low; k <= high; k++) {
    const bindings: Bindings = (name) => (name === INDEX ? whole(k) : setting.bindings(name));
    const term = evaluate(indexed, { ...setting, bindings });
    if (!('re' in term)) return null;
    total = head === 'Sum' ? c.plus(total, term) : c.times(total, term);
  }
  return total;
}

export function isInfinite(json: MathJson): boolean {
  if (typeof json === 'string') return /^(?:Positive|Negative|Complex)Infinity$/.test(json);
  if (Array.isArray(json)) return (json as readonly MathJson[]).slice(1).some(isInfinite);
  return typeof json === 'object' && 'num' in json && /infinity/i.test(json.num);
}

/** A series whose ends have no number: what its index is called does not matter. */
function symbolicSeries(head: 'Sum' | 'Product', operands: readonly MathJson[], setting: Setting): Complex {
  const [body, limits] = operands;
  const index = Array.isArray(limits) ? (limits as readonly MathJson[])[1] : undefined;
  if (body === undefined || typeof index !== 'string') return opaque(head, operands, setting);
  return opaque(head, [renamed(body, index, INDEX), ...(limits as readonly MathJson[]).slice(2)], setting);
}

const INDEX = 'the index';

function renamed(json: MathJson, from: string, to: string): MathJson {
  if (json === from || (from === 'i' && json === 'ImaginaryUnit')) return to;
  return Array.isArray(json) ? (json as readonly MathJson[]).map((each) => renamed(each, from, to)) : json;
}

function matrixOf(rows: MathJson | undefined, setting: Setting): Value | null {
  if (!Array.isArray(rows)) return null;
  const values = (rows as readonly MathJson[])
    .slice(1)
    .map((row) =>
      Array.isArray(row) ? (row as readonly MathJson[]).slice(1).map((cell) => evaluate(cell, setting)) : [],
    );
  const width = values[0]?.length ?? 0;
  if (width === 0 || values.some((row) => row.length !== width || row.some((cell) => !('re' in cell)))) return null;
  return { rows: values as Complex[][] };
}

function matrixArithmetic(head: string, values: readonly Value[], c: ComplexNumbers): Value | null {
  const combine = (a: Value, b: Value): Value | null => {
    if (head === 'Add' || head === 'Subtract') {
      if ('re' in a || 're' in b || a.rows.length !== b.rows.length || a.rows[0]!.length !== b.rows[0]!.length)
        return null;
      const other = b.rows;
      return {
        rows: a.rows.map((row, i) =>
          row.map((cell, j) => (head === 'Add' ? c.plus(cell, other[i]![j]!) : c.minus(cell, other[i]![j]!))),
        ),
      };
    }
    if ('re' in a)
      return 're' in b ? c.times(a, b) : { rows: b.rows.map((row) => row.map((cell) => c.times(a, cell))) };
    if ('re' in b)
      return {
        rows: a.rows.map((row) => row.map((cell) => (head === 'Divide' ? c.over(cell, b) : c.times(cell, b)))),
      };
    if (head === 'Divide' || a.rows[0]!.length !== b.rows.length) return null;
    const other = b.rows;
    return {
      rows: a.rows.map((row) =>
        other[0]!.map((_, j) =>
          row.map((cell, k) => c.times(cell, other[k]![j]!)).reduce((sum, each) => c.plus(sum, each), C0),
        ),
      ),
    };
  };
  const [first, ...rest] = values;
  if (first === undefined) return null;
  if (head === 'Negate')
    return 're' in first ? null : { rows: first.rows.map((row) => row.map((cell) => c.opposite(cell))) };
  if (!['Add', 'Subtract', 'Multiply', 'InvisibleOperator', 'Divide'].includes(head)) return null;
  return rest.reduce<Value | null>((total, each) => total && combine(total, each), first);
}

/** What has no rule is the same where its operands have the same values: f(2x) is f(x + x), and unlike f(y). */
function opaque(head: string, operands: readonly MathJson[], setting: Setting): Complex {
  const { numbers: c } = setting;
  const label = ({ re, im }: Complex): string => `${c.label(re)}|${c.label(im)}`;
  const parts = operands.map((operand) => {
    if (isInfinite(operand)) return JSON.stringify(operand);
    const value = evaluate(operand, setting);
    return 're' in value ? label(value) : value.rows.map((row) => row.map(label).join('&')).join(';');
  });
  return setting.bindings(`${head}(${parts.join(',')})`);
}

/** A number between 0.4 and 2.4 that a name fixes. */
export function valueOfName(...name: readonly (string | number)[]): Exact {
  const random = Random.of(...name);
  return exact(BigInt(Math.floor((0.4 + 2 * random.float()) * 2 ** 40)), 1n << 40n);
}
