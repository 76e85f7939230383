/**
 * Expressions as values. Compute Engine parses the LaTeX; its own evaluation is not asked, for two reasons: it is exact and therefore
 * unbounded (9^{9^{9^9}} takes it most of a minute), and what its simplifier can prove changes with its versions, while a verdict must not.
 * Two expressions are equal when exact rational arithmetic says so or, where there are roots, functions or variables, when they agree at
 * seeded points of every variable, in complex numbers (https://en.wikipedia.org/wiki/Schwartz–Zippel_lemma is why that suffices).
 */
import { ComputeEngine } from '@cortex-js/compute-engine';

/** MathJSON (https://mathlive.io/math-json/) as the parser writes it before canonicalisation. */
export type MathJson = number | string | { readonly num: string } | { readonly str: string } | readonly MathJson[];

export interface Complex {
  readonly re: number;
  readonly im: number;
}
type Matrix = readonly (readonly Complex[])[];
type Value = Complex | { readonly rows: Matrix };

/** A fraction in lowest terms with a positive denominator. */
interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Points at which variables are tried. Positive ones first, where roots and logarithms are real; then both signs. */
const SAMPLES = 5;
/** Relative difference of equal values: far above the rounding of doubles, far below a chance hit. */
const SAMPLE_TOLERANCE = 1e-8;
/** Exact integers are followed up to so many bits; beyond, doubles decide. */
const MAX_BITS = 32_768;
const MAX_TERMS = 10_000;
/** Brackets that an expression may leave open. */
const MAX_OPEN = 4;
/** Bars of absolute values in an expression: eight of them. */
const MAX_BARS = 16;

let engine: ComputeEngine | undefined;

/** The expression, or null where the text is none. */
export function parseExpression(latex: string): MathJson | null {
  engine ??= new ComputeEngine();
  // An angle in degrees is a number of its own; inside of a function it is what the function takes.
  const isArgument = /\\(?:sin|cos|tan|cot|sec|csc)(?![a-zA-Z])/.test(latex);
  const exact = exactDecimals(latex.replaceAll('\\degrees', isArgument ? '\\cdot\\frac{\\pi}{180} ' : ' ').trim());
  if (exact.trim() === '' || !isClosed(exact)) return null;
  const grouped = withParentheses(exact);
  let json: MathJson;
  try {
    json = engine.parse(grouped, { form: 'raw' }).json as MathJson;
  } catch {
    return null; // nested beyond the parser's stack
  }
  return isFaulty(json) ? null : json;
}

/**
 * Each bracket that is left open takes the parser twice as long, and so does each pair of bars: braces must match, of other brackets
 * hardly any may be open, and bars must be few.
 */
function isClosed(latex: string): boolean {
  let braces = 0;
  let others = 0;
  for (const [bracket] of latex.matchAll(/\\[{}]|[{}()[\]]/g)) {
    if (bracket === '{') braces++;
    else if (bracket === '}' && --braces < 0) return false;
    else if (/[([]|\\\{/.test(bracket)) others++;
    else if (bracket !== '}') others--;
  }
  const bars = latex.split('|').length - 1;
  return braces === 0 && Math.abs(others) <= MAX_OPEN && bars <= MAX_BARS;
}

/** 2[x+1]\{x-1\}: within an expression all brackets group, but for the degree of a root. */
function withParentheses(latex: string): string {
  const open: { readonly at: number; readonly isKept: boolean }[] = [];
  const tokens = latex.split(/(\\[{}]|[[\],])/);
  let hasComma = false;
  for (const [at, token] of tokens.entries()) {
    if (token === '[') open.push({ at, isKept: /\\(?:sqrt|\\|begin\{\w+\})\s*$/.test(tokens[at - 1]!) });
    else if (token === '\\{') open.push({ at, isKept: false });
    else if (token === ',') hasComma = true;
    else if (token === ']' || token === '\\}') {
      const from = open.pop();
      if (from === undefined) return latex;
      if (!from.isKept) [tokens[from.at], tokens[at]] = ['(', ')'];
    }
  }
  return hasComma || open.length > 0 ? latex : tokens.join('');
}

/** Keeps long decimals exact: the parser reads them as doubles. */
function exactDecimals(latex: string): string {
  return latex.replaceAll(
    /(?<![\d.])(\d*)\.(\d+)(?![\d.])(?!\\overline)/g,
    (literal: string, whole: string, digits: string) =>
      literal.length < 16 ? literal : `\\frac{${BigInt(whole + digits)}}{${10n ** BigInt(digits.length)}}`,
  );
}

function isFaulty(json: MathJson): boolean {
  if (!Array.isArray(json)) return false;
  const [head, ...operands] = json as readonly MathJson[];
  if (head === 'Error' || head === 'Sequence' || head === 'LatexString') return true;
  return operands.some(isFaulty);
}

/** Names of the variables, in no order. */
export function variablesOf(json: MathJson, names = new Set<string>()): Set<string> {
  if (typeof json === 'string') {
    if (!json.startsWith("'") && !(json in CONSTANTS)) names.add(json);
  } else if (Array.isArray(json))
    for (const operand of (json as readonly MathJson[]).slice(1)) variablesOf(operand, names);
  return names;
}

/** Whether an inexact number stands in it. */
export function hasDecimal(json: MathJson): boolean {
  if (typeof json === 'number') return !Number.isInteger(json);
  if (Array.isArray(json) && json[0] === 'Divide' && isLongDecimal(json[2] as MathJson)) return true;
  if (Array.isArray(json)) return (json as readonly MathJson[]).slice(1).some(hasDecimal);
  return typeof json === 'object' && 'num' in json && /[.e]/i.test(json.num);
}

/** The denominator of what {@link exactDecimals} wrote. */
const isLongDecimal = (denominator: MathJson): boolean =>
  typeof denominator === 'number'
    ? denominator >= 1e7 && /^1(?:0+|e\+\d+)$/.test(String(denominator))
    : typeof denominator === 'object' && 'num' in denominator && /^10{7,}$/.test(denominator.num);

// ——— exact ———

const fraction = (numerator: bigint, denominator = 1n): Fraction | null => {
  if (denominator === 0n) return null;
  let [a, b] = [numerator < 0n ? -numerator : numerator, denominator < 0n ? -denominator : denominator];
  if (a.toString(16).length * 4 > MAX_BITS || b.toString(16).length * 4 > MAX_BITS) return null;
  while (b > 0n) [a, b] = [b, a % b];
  const sign = denominator < 0n ? -1n : 1n;
  return a === 0n
    ? { numerator: 0n, denominator: 1n }
    : { numerator: (sign * numerator) / a, denominator: (sign * denominator) / a };
};

function fractionOf(literal: string): Fraction | null {
  const parts = /^([-+]?)(\d*)(?:\.(\d*))?(?:e([-+]?\d+))?$/i.exec(literal);
  if (parts === null) return null;
  const [, sign, whole = '', digits = '', exponent = '0'] = parts;
  const power = Number(exponent) - digits.length;
  if (Math.abs(power) > 400 || whole + digits === '') return null;
  const value = BigInt(whole + digits) * (sign === '-' ? -1n : 1n);
  return power >= 0 ? fraction(value * 10n ** BigInt(power)) : fraction(value, 10n ** BigInt(-power));
}

/** The rational number that an expression of +, −, ·, / and whole powers is; null for any other. */
function exactValue(json: MathJson): Fraction | null {
  if (typeof json === 'number') return fractionOf(String(json));
  if (typeof json === 'string') return null;
  if (!Array.isArray(json)) return 'num' in json ? fractionOf((json as { num: string }).num) : null;
  const [head, ...operands] = json as readonly MathJson[];
  const mixed = mixedNumber(json as readonly MathJson[]);
  if (mixed !== null) return exactValue(mixed);
  const values: Fraction[] = [];
  if (typeof head !== 'string' || !EXACT_HEADS.has(head)) return null;
  for (const operand of operands) {
    const value = exactValue(operand);
    if (value === null) return null;
    values.push(value);
  }
  const [a, b] = values;
  if (a === undefined) return null;
  switch (head) {
    case 'Delimiter':
      return values.length === 1 ? a : null;
    case 'BaseForm':
      return a;
    case 'Negate':
      return { numerator: -a.numerator, denominator: a.denominator };
    case 'Add':
      return values.reduce<Fraction | null>(
        (sum, each) =>
          sum &&
          fraction(
            sum.numerator * each.denominator + each.numerator * sum.denominator,
            sum.denominator * each.denominator,
          ),
        { numerator: 0n, denominator: 1n },
      );
    case 'Subtract':
      return b
        ? fraction(a.numerator * b.denominator - b.numerator * a.denominator, a.denominator * b.denominator)
        : null;
    case 'Multiply':
    case 'InvisibleOperator':
      return values.reduce<Fraction | null>(
        (product, each) =>
          product && fraction(product.numerator * each.numerator, product.denominator * each.denominator),
        { numerator: 1n, denominator: 1n },
      );
    case 'Divide':
    case 'Rational':
      return b ? fraction(a.numerator * b.denominator, a.denominator * b.numerator) : null;
    case 'Power': {
      if (b?.denominator !== 1n || b.numerator > 4096n || b.numerator < -4096n) return null;
      const size = b.numerator < 0n ? -b.numerator : b.numerator;
      const bits = Math.max(a.numerator.toString(2).length, a.denominator.toString(2).length);
      if (BigInt(bits) * size > BigInt(MAX_BITS)) return null;
      const [top, bottom] = [a.numerator ** size, a.denominator ** size];
      return b.numerator < 0n ? fraction(bottom, top) : fraction(top, bottom);
    }
    case 'Factorial': {
      if (a.denominator !== 1n || a.numerator < 0n || a.numerator > 2500n) return null;
      let product = 1n;
      for (let i = 2n; i <= a.numerator; i++) product *= i;
      return fraction(product);
    }
    case 'Binomial': {
      if (b === undefined || a.denominator !== 1n || b.denominator !== 1n) return null;
      if (b.numerator < 0n || b.numerator > 500n || a.numerator < b.numerator) return null;
      let product = 1n;
      for (let i = 1n; i <= b.numerator; i++) product = (product * (a.numerator - b.numerator + i)) / i;
      return fraction(product);
    }
    default:
      return null;
  }
}

const EXACT_HEADS = new Set(
  'Delimiter BaseForm Negate Add Subtract Multiply InvisibleOperator Divide Rational Power Factorial Binomial'.split(
    ' ',
  ),
);

/** 2\frac{1}{2} and 2 1/2: a whole number before a proper fraction is added to it, with its sign. */
function mixedNumber(json: readonly MathJson[]): MathJson | null {
  const [head, whole, part, ...rest] = json;
  if (head !== 'InvisibleOperator' || rest.length > 0 || !Array.isArray(part) || part[0] !== 'Divide') return null;
  const [, top, bottom] = part as readonly MathJson[];
  if (typeof top !== 'number' || typeof bottom !== 'number' || !(top > 0 && top < bottom)) return null;
  if (typeof whole === 'number' && Number.isInteger(whole)) return ['Add', whole, part];
  if (Array.isArray(whole) && whole[0] === 'Negate' && typeof whole[1] === 'number')
    return ['Negate', ['Add', whole[1], part]];
  return null;
}

// ——— in complex numbers ———

const complex = (re: number, im = 0): Complex => ({ re, im });
const ZERO = complex(0);
const ONE = complex(1);
const add = (a: Complex, b: Complex): Complex => complex(a.re + b.re, a.im + b.im);
const subtract = (a: Complex, b: Complex): Complex => complex(a.re - b.re, a.im - b.im);
const multiply = (a: Complex, b: Complex): Complex =>
  a.im === 0 && b.im === 0 ? complex(a.re * b.re) : complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
const divide = (a: Complex, b: Complex): Complex => {
  if (a.im === 0 && b.im === 0) return complex(a.re / b.re);
  const size = b.re * b.re + b.im * b.im;
  return complex((a.re * b.re + a.im * b.im) / size, (a.im * b.re - a.re * b.im) / size);
};
const exp = (a: Complex): Complex =>
  a.im === 0 ? complex(Math.exp(a.re)) : complex(Math.exp(a.re) * Math.cos(a.im), Math.exp(a.re) * Math.sin(a.im));
const ln = (a: Complex): Complex => complex(Math.log(Math.hypot(a.re, a.im)), Math.atan2(a.im === 0 ? 0 : a.im, a.re)); // never −0: √−4 is 2i
const power = (a: Complex, b: Complex): Complex => {
  if (a.im === 0 && b.im === 0 && (a.re >= 0 || Number.isInteger(b.re))) return complex(a.re ** b.re);
  if (a.re === 0 && a.im === 0) return ZERO;
  return exp(multiply(b, ln(a)));
};
const sqrt = (a: Complex): Complex => (a.im === 0 && a.re >= 0 ? complex(Math.sqrt(a.re)) : power(a, complex(0.5)));
const I = complex(0, 1);
const scale = (a: Complex, factor: number): Complex => complex(a.re * factor, a.im * factor);
const sin = (a: Complex): Complex =>
  a.im === 0 ? complex(Math.sin(a.re)) : complex(Math.sin(a.re) * Math.cosh(a.im), Math.cos(a.re) * Math.sinh(a.im));
const cos = (a: Complex): Complex =>
  a.im === 0 ? complex(Math.cos(a.re)) : complex(Math.cos(a.re) * Math.cosh(a.im), -Math.sin(a.re) * Math.sinh(a.im));
const arcsin = (a: Complex): Complex => {
  if (a.im === 0 && Math.abs(a.re) <= 1) return complex(Math.asin(a.re));
  return multiply(complex(0, -1), ln(add(multiply(I, a), sqrt(subtract(ONE, multiply(a, a))))));
};
const arctan = (a: Complex): Complex =>
  a.im === 0
    ? complex(Math.atan(a.re))
    : multiply(complex(0, 0.5), subtract(ln(subtract(ONE, multiply(I, a))), ln(add(ONE, multiply(I, a)))));
const sinh = (a: Complex): Complex => scale(subtract(exp(a), exp(scale(a, -1))), 0.5);
const cosh = (a: Complex): Complex => scale(add(exp(a), exp(scale(a, -1))), 0.5);
const NOT_A_NUMBER = complex(Number.NaN);
const ofReal =
  (rule: (x: number) => number) =>
  (a: Complex): Complex =>
    a.im === 0 ? complex(rule(a.re)) : NOT_A_NUMBER;

/** Lanczos' approximation, g = 7, n = 9 (https://en.wikipedia.org/wiki/Lanczos_approximation), 15 digits. */
function gamma(x: number): number {
  if (x < 0.5) return Math.PI / (Math.sin(Math.PI * x) * gamma(1 - x));
  const coefficients = [
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
    12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
  ];
  const z = x - 1;
  const t = z + 7.5;
  const sum = coefficients.slice(1).reduce((total, c, i) => total + c / (z + i + 1), coefficients[0]!);
  return Math.sqrt(2 * Math.PI) * t ** (z + 0.5) * Math.exp(-t) * sum;
}
const factorial = ofReal((x) => {
  if (!Number.isInteger(x)) return gamma(x + 1);
  if (x < 0) return Number.NaN;
  let product = 1;
  for (let i = 2; i <= x && product < Number.POSITIVE_INFINITY; i++) product *= i;
  return product;
});
const gcd = (a: number, b: number): number => (b === 0 ? Math.abs(a) : gcd(b, a % b));

const CONSTANTS: Readonly<Record<string, Complex>> = {
  Pi: complex(Math.PI),
  ExponentialE: complex(Math.E),
  e: complex(Math.E),
  i: I,
  ImaginaryUnit: I,
  PositiveInfinity: complex(Number.POSITIVE_INFINITY),
  NegativeInfinity: complex(Number.NEGATIVE_INFINITY),
  ComplexInfinity: NOT_A_NUMBER,
};

const FUNCTIONS: Readonly<Record<string, (...operands: readonly Complex[]) => Complex>> = {
  Negate: (a) => scale(a, -1),
  Add: (...all) => all.reduce(add, ZERO),
  Subtract: (a, b) => subtract(a, b),
  Multiply: (...all) => all.reduce(multiply, ONE),
  InvisibleOperator: (...all) => all.reduce(multiply, ONE),
  Divide: (a, b) => divide(a, b),
  Rational: (a, b) => divide(a, b),
  Power: (a, b) => power(a, b),
  Sqrt: (a) => sqrt(a),
  // A real number has its real odd root; everything else the principal one.
  Root: (a, n) =>
    a.im === 0 && a.re < 0 && n.im === 0 && Math.abs(n.re % 2) === 1
      ? complex(-((-a.re) ** (1 / n.re)))
      : power(a, divide(ONE, n)),
  Complex: (a, b) => add(a, multiply(I, b)),
  BaseForm: (a) => a,
  Exp: (a) => exp(a),
  Ln: (...all) => (all.length < 2 ? ln(all[0]!) : divide(ln(all[0]!), ln(all[1]!))),
  Log: (...all) => divide(ln(all[0]!), all.length < 2 ? complex(Math.LN10) : ln(all[1]!)),
  Lb: (a) => divide(ln(a), complex(Math.LN2)),
  Lg: (a) => divide(ln(a), complex(Math.LN10)),
  Sin: (a) => sin(a),
  Cos: (a) => cos(a),
  Tan: (a) => divide(sin(a), cos(a)),
  Cot: (a) => divide(cos(a), sin(a)),
  Sec: (a) => divide(ONE, cos(a)),
  Csc: (a) => divide(ONE, sin(a)),
  Arcsin: (a) => arcsin(a),
  Arccos: (a) => subtract(complex(Math.PI / 2), arcsin(a)),
  Arctan: (a) => arctan(a),
  Arccot: (a) => arctan(divide(ONE, a)),
  Sinh: (a) => sinh(a),
  Cosh: (a) => cosh(a),
  Tanh: (a) => divide(sinh(a), cosh(a)),
  Arsinh: (a) => ln(add(a, sqrt(add(multiply(a, a), ONE)))),
  Arcosh: (a) => ln(add(a, multiply(sqrt(add(a, ONE)), sqrt(subtract(a, ONE))))),
  Artanh: (a) => scale(subtract(ln(add(ONE, a)), ln(subtract(ONE, a))), 0.5),
  Abs: (a) => complex(Math.hypot(a.re, a.im)),
  Floor: (a) => ofReal(Math.floor)(a),
  Ceil: (a) => ofReal(Math.ceil)(a),
  Factorial: (a) => factorial(a),
  Gamma: (a) => ofReal(gamma)(a),
  Binomial: (n, k) => divide(factorial(n), multiply(factorial(k), factorial(subtract(n, k)))),
  Mod: (a, b) => complex(a.re - b.re * Math.floor(a.re / b.re), a.im + b.im),
  Max: (...all) => complex(Math.max(...all.map(({ re }) => re))),
  Min: (...all) => complex(Math.min(...all.map(({ re }) => re))),
  GCD: (...all) => complex(all.map(({ re }) => re).reduce(gcd, 0)),
  LCM: (...all) =>
    complex(all.map(({ re }) => re).reduce((a, b) => (a * b === 0 ? 0 : Math.abs(a * b) / gcd(a, b)), 1)),
};

/** Letters that stand for functions where a bracket follows: f(x) is not f · x. */
const FUNCTION_NAMES = /^[fghFGHPQTWφϕ](?:_\w+)?$/;

type Bindings = (name: string) => Complex;

function evaluate(json: MathJson, bindings: Bindings): Value {
  if (typeof json === 'number') return complex(json);
  if (typeof json === 'string') {
    if (json.startsWith("'")) {
      const text = json.replaceAll(/[\s']/g, '');
      return bindings(text.length === 1 ? text : `text ${text.toLowerCase()}`); // \text{m} is the variable m
    }
    return CONSTANTS[json] ?? bindings(json);
  }
  if (!Array.isArray(json))
    return 'num' in json ? numberOf((json as { num: string }).num) : bindings(JSON.stringify(json));
  const mixed = mixedNumber(json as readonly MathJson[]);
  if (mixed !== null) return evaluate(mixed, bindings);
  const [head, ...operands] = json as readonly MathJson[];
  if (typeof head !== 'string') return opaque(JSON.stringify(head), operands, bindings);
  switch (head) {
    case 'Delimiter':
      return operands.length === 1 ? evaluate(operands[0]!, bindings) : opaque('Delimiter', operands, bindings);
    case 'Matrix':
      return matrixOf(operands[0], bindings) ?? opaque('Matrix', operands, bindings);
    case 'Apply': {
      const [applied, argument] = operands;
      if (
        Array.isArray(applied) &&
        applied[0] === 'InverseFunction' &&
        typeof applied[1] === 'string' &&
        argument !== undefined
      )
        return evaluate([`Arc${applied[1].toLowerCase()}`, argument], bindings);
      return opaque('Apply', operands, bindings);
    }
    case 'Root':
      // The real root is meant of a number; of a variable the principal one, as in x^{1/3}.
      if (operands.length === 2 && variablesOf(operands[0]!).size > 0)
        return evaluate(['Power', operands[0]!, ['Divide', 1, operands[1]!]], bindings);
      break;
    case 'Sum':
    case 'Product':
      return series(head, operands, bindings) ?? symbolicSeries(head, operands, bindings);
    case 'InvisibleOperator': {
      const at = operands.findIndex(
        (operand, i) =>
          typeof operand === 'string' &&
          FUNCTION_NAMES.test(operand) &&
          Array.isArray(operands[i + 1]) &&
          (operands[i + 1] as readonly MathJson[])[0] === 'Delimiter',
      );
      if (at < 0) break;
      const call: MathJson = [operands[at] as string, (operands[at + 1] as readonly MathJson[])[1] ?? 0];
      const rest = [...operands.slice(0, at), call, ...operands.slice(at + 2)];
      return evaluate(rest.length === 1 ? call : ['InvisibleOperator', ...rest], bindings);
    }
  }
  const rule = FUNCTIONS[head];
  if (rule === undefined) {
    // x(3) written like a call of an unknown function is a product, f(3) is not.
    if (/^[a-zA-Z](?:_\w+)?$/.test(head) && !FUNCTION_NAMES.test(head) && operands.length === 1)
      return evaluate(['InvisibleOperator', head, operands[0]!], bindings);
    return opaque(head, operands, bindings);
  }
  const values = operands.map((operand) => evaluate(operand, bindings));
  if (values.every((value): value is Complex => 're' in value))
    return values.length === 0 ? NOT_A_NUMBER : rule(...values);
  return matrixArithmetic(head, values) ?? opaque(head, operands, bindings);
}

function numberOf(literal: string): Complex {
  if (/^\+?infinity$/i.test(literal)) return complex(Number.POSITIVE_INFINITY);
  if (/^-infinity$/i.test(literal)) return complex(Number.NEGATIVE_INFINITY);
  return complex(Number(literal));
}

function series(head: 'Sum' | 'Product', [body, limits]: readonly MathJson[], bindings: Bindings): Value | null {
  if (body === undefined || !Array.isArray(limits)) return null;
  const [, index, from, to] = limits as readonly MathJson[];
  if (typeof index !== 'string' || from === undefined || to === undefined) return null;
  const [first, last] = [evaluate(from, bindings), evaluate(to, bindings)];
  if (!('re' in first) || !('re' in last) || !Number.isInteger(first.re) || !Number.isInteger(last.re)) return null;
  if (last.re - first.re > MAX_TERMS) return null;
  const indexed = renamed(body, index, INDEX); // so that an index i is not the imaginary unit
  let total = head === 'Sum' ? ZERO : ONE;
  for (let k = first.re; k <= last.re; k++) {
    const term = evaluate(indexed, (name) => (name === INDEX ? complex(k) : bindings(name)));
    if (!('re' in term)) return null;
    total = head === 'Sum' ? add(total, term) : multiply(total, term);
  }
  return total;
}

/** A series whose ends have no number: what its index is called does not matter. */
function symbolicSeries(head: 'Sum' | 'Product', operands: readonly MathJson[], bindings: Bindings): Complex {
  const [body, limits] = operands;
  const index = Array.isArray(limits) ? (limits as readonly MathJson[])[1] : undefined;
  if (body === undefined || typeof index !== 'string') return opaque(head, operands, bindings);
  return opaque(head, [renamed(body, index, INDEX), ...(limits as readonly MathJson[]).slice(2)], bindings);
}

const INDEX = 'the index';

function renamed(json: MathJson, from: string, to: string): MathJson {
  if (json === from || (from === 'i' && json === 'ImaginaryUnit')) return to;
  return Array.isArray(json) ? (json as readonly MathJson[]).map((each) => renamed(each, from, to)) : json;
}

function matrixOf(rows: MathJson | undefined, bindings: Bindings): Value | null {
  if (!Array.isArray(rows)) return null;
  const values = (rows as readonly MathJson[])
    .slice(1)
    .map((row) =>
      Array.isArray(row) ? (row as readonly MathJson[]).slice(1).map((cell) => evaluate(cell, bindings)) : [],
    );
  const width = values[0]?.length ?? 0;
  if (width === 0 || values.some((row) => row.length !== width || row.some((cell) => !('re' in cell)))) return null;
  return { rows: values as Complex[][] };
}

function matrixArithmetic(head: string, values: readonly Value[]): Value | null {
  const combine = (a: Value, b: Value): Value | null => {
    if (head === 'Add' || head === 'Subtract') {
      if ('re' in a || 're' in b || a.rows.length !== b.rows.length || a.rows[0]!.length !== b.rows[0]!.length)
        return null;
      return {
        rows: a.rows.map((row, i) => row.map((cell, j) => (head === 'Add' ? add : subtract)(cell, b.rows[i]![j]!))),
      };
    }
    if ('re' in a)
      return 're' in b ? multiply(a, b) : { rows: b.rows.map((row) => row.map((cell) => multiply(a, cell))) };
    if ('re' in b)
      return { rows: a.rows.map((row) => row.map((cell) => (head === 'Divide' ? divide : multiply)(cell, b))) };
    if (head === 'Divide' || a.rows[0]!.length !== b.rows.length) return null;
    return {
      rows: a.rows.map((row) =>
        b.rows[0]!.map((_, j) => row.map((cell, k) => multiply(cell, b.rows[k]![j]!)).reduce(add, ZERO)),
      ),
    };
  };
  const [first, ...rest] = values;
  if (first === undefined) return null;
  if (head === 'Negate')
    return 're' in first ? null : { rows: first.rows.map((row) => row.map((cell) => scale(cell, -1))) };
  if (!['Add', 'Subtract', 'Multiply', 'InvisibleOperator', 'Divide'].includes(head)) return null;
  return rest.reduce<Value | null>((total, each) => total && combine(total, each), first);
}

/** What has no rule is the same where its operands have the same values: f(2x) is f(x + x), and unlike f(y). */
function opaque(head: string, operands: readonly MathJson[], bindings: Bindings): Complex {
  const parts = operands.map((operand) => {
    const value = evaluate(operand, bindings);
    return 're' in value ? rounded(value) : value.rows.flat().map(rounded).join(';');
  });
  return bindings(`${head}(${parts.join(',')})`);
}

const rounded = ({ re, im }: Complex): string => `${re.toPrecision(9)}|${im.toPrecision(9)}`;

/** FNV-1a, mixed (https://en.wikipedia.org/wiki/Fowler–Noll–Vo_hash_function): a number in [0, 1) that a name fixes. */
function unit(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}

/** The values of all variables at one point: positive at the first two, of either sign at the others. */
function pointAt(sample: number): Bindings {
  return (name) => {
    const size = 0.4 + 2 * unit(`${sample}:${name}`);
    return complex(sample >= 2 && unit(`${sample}±${name}`) < 0.5 ? -size : size);
  };
}

/** The value at a point; a matrix gives its cells, with its shape before them. */
function valuesAt(json: MathJson, sample: number): readonly Complex[] {
  const value = evaluate(json, pointAt(sample));
  return 're' in value ? [value] : [complex(value.rows.length), complex(value.rows[0]!.length), ...value.rows.flat()];
}

/** The value with one variable replaced, and all others at the first point. */
export function valueWhere(json: MathJson, variable: string, x: number): Complex | null {
  const point = pointAt(0);
  const value = evaluate(json, (name) => (name === variable ? complex(x) : point(name)));
  return 're' in value ? value : null;
}

/** The real number that an expression without variables is; null for any other. ±∞ is a number here. */
export function realValue(json: MathJson): number | null {
  const value = evaluate(json, () => NOT_A_NUMBER);
  if (!('re' in value) || Number.isNaN(value.re) || Math.abs(value.im) > 1e-12) return null;
  return value.re;
}

/**
 * Whether two expressions are equal.
 * @param decimals places to which a number given as a decimal is compared with another
 */
export function equalExpressions(a: MathJson, b: MathJson, decimals: number): boolean {
  const [left, right] = [exactValue(a), exactValue(b)];
  const isDecimal = hasDecimal(a) || hasDecimal(b);
  if (left !== null && right !== null) {
    if (left.numerator * right.denominator === right.numerator * left.denominator) return true;
    return isDecimal && nearFractions(left, right, decimals);
  }
  const hasVariables = variablesOf(a).size > 0 || variablesOf(b).size > 0;
  let compared = 0;
  for (let sample = 0; sample < (hasVariables ? SAMPLES : 1); sample++) {
    const [p, q] = [valuesAt(a, sample), valuesAt(b, sample)];
    if (p.length !== q.length) return false;
    for (let at = 0; at < p.length; at++) {
      if (!near(p[at]!, q[at]!, isDecimal ? decimals : null)) return false;
      if (Number.isFinite(p[at]!.re)) compared++;
      else if (!Number.isNaN(p[at]!.re)) compared++;
    }
  }
  return compared > 0;
}

/** Within half a unit of the last place, and within a hundredth: numbers far below that place are not all alike. */
function nearFractions(a: Fraction, b: Fraction, decimals: number): boolean {
  const magnitude = (x: bigint): bigint => (x < 0n ? -x : x);
  const [p, q] = [magnitude(a.numerator * b.denominator), magnitude(b.numerator * a.denominator)];
  const gap = magnitude(a.numerator * b.denominator - b.numerator * a.denominator);
  return 2n * gap * 10n ** BigInt(decimals) <= a.denominator * b.denominator && 100n * gap <= (p > q ? p : q);
}

/** NaN on both sides says nothing about either; infinities are equal to themselves. */
function near(a: Complex, b: Complex, decimals: number | null): boolean {
  if (Number.isNaN(a.re) || Number.isNaN(b.re)) return Number.isNaN(a.re) && Number.isNaN(b.re);
  if (!Number.isFinite(a.re) || !Number.isFinite(b.re)) return a.re === b.re;
  const difference = Math.hypot(a.re - b.re, a.im - b.im);
  const size = Math.max(Math.hypot(a.re, a.im), Math.hypot(b.re, b.im));
  if (difference <= SAMPLE_TOLERANCE * Math.min(1, size) || difference <= 1e-13 || difference <= 1e-13 * size)
    return true;
  if (size > 1 && difference <= SAMPLE_TOLERANCE * size && decimals === null) return true;
  // A rounded decimal: half a unit of the last place, and never so coarse that small numbers are all alike.
  return decimals !== null && difference <= 0.5 * 10 ** -decimals + 1e-12 && difference <= 1e-2 * size;
}

/** The constant c with a = c · b at every point; null where there is none. */
export function factorBetween(a: MathJson, b: MathJson): number | null {
  let factor: number | null = null;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const [[p, ...more], [q, ...others]] = [valuesAt(a, sample), valuesAt(b, sample)];
    if (p === undefined || q === undefined || more.length > 0 || others.length > 0) return null;
    if (Number.isNaN(p.re) || Number.isNaN(q.re)) {
      if (Number.isNaN(p.re) !== Number.isNaN(q.re)) return null;
      continue;
    }
    const ratio = divide(p, q);
    // A difference that is nothing but rounding is zero.
    const isZero = Math.abs(ratio.re) < SAMPLE_TOLERANCE || Math.abs(ratio.re) > 1 / SAMPLE_TOLERANCE;
    if (!Number.isFinite(ratio.re) || Math.abs(ratio.im) > SAMPLE_TOLERANCE || isZero) return null;
    if (factor !== null && Math.abs(ratio.re - factor) > SAMPLE_TOLERANCE * Math.abs(factor)) return null;
    factor ??= ratio.re;
  }
  return factor;
}
