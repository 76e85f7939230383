/**
 * When two expressions are equal. Different is what was proven different: balls that do not meet. Equal is
 * - without variables and functions beyond roots: what a separation bound proves (https://doi.org/10.1007/s00453-007-9132-4, BFMSS: how
 *   near to zero an expression of roots can be without being zero), or what is exactly the same fraction;
 * - without variables: what {@link CONSTANT_BITS} binary digits, and as many more as the expression's own sizes ask for, do not tell apart;
 * - with variables: what is not told apart at points that a hash of both expressions fixes (https://en.wikipedia.org/wiki/Schwartz–Zippel_lemma),
 *   among them whole numbers up to 10^4 where floors, divisors, remainders, factorials or powers of −1 occur.
 *
 * Variables under roots and logarithms are positive reals, unless told otherwise: where a side leaves the reals it is not asked.
 */
import { Random } from '@seamstream/kernel';
import { type Complex, ComplexNumbers, isReal, real } from './complex.js';
import { type Bindings, evaluate, isInfinite, type Value, valueOfName } from './evaluate.js';
import { hasDecimal, isConstant, type MathJson, variablesOf } from './expression.js';
import { type Meter, NoValue } from './meter.js';
import { type Exact, exact, isExact, type Real, ZERO } from './real.js';

export interface EqualityRules {
  /** Places to which a number given as a decimal is compared with another. */
  readonly decimals: number;
  /** Whether variables under roots and logarithms are positive reals. */
  readonly positive: boolean;
  /** Whether expressions written alike are evaluated nevertheless. */
  readonly isThorough?: boolean;
}

/** Bits at which points are compared first. */
const FIRST_BITS = 128;
/** Bits at which constants without a separation bound must agree. */
const CONSTANT_BITS = 2048;
/** Bits at which one of the points must agree. */
const CONFIRMING_BITS = 1024;
/** More bits are not spent on a difference. */
const MAX_BITS = 32_768;
/** Points that must agree. */
const LEAST_POINTS = 3;
/** Largest whole number that stands for a variable. */
const LARGEST_WHOLE = 10_000;
/** Largest end of a series that a variable gives. */
const LARGEST_END = 48;
/** Below this size decimals are compared by their leading digits: as places they would all be alike. */
const SMALL = exact(1, 1000);

type Verdict = 'equal' | 'different' | 'unknown';
type Point = (name: string) => Exact;

/** Compares expressions within one budget of steps. */
export class Equality {
  private readonly pool = new Map<number, ComplexNumbers>();

  constructor(
    private readonly rules: EqualityRules,
    private readonly meter: Meter,
  ) {}

  /** Whether an answer equals what is wanted. @throws TooCostly */
  same(wanted: MathJson, given: MathJson): boolean {
    if (isInfinite(wanted) || isInfinite(given)) {
      const [a, b] = [infiniteSign(wanted), infiniteSign(given)];
      return a !== null && a === b;
    }
    if (this.rules.isThorough !== true && JSON.stringify(wanted) === JSON.stringify(given)) return true;
    const pair = new Pair(wanted, given);
    return pair.names.size === 0 ? this.sameConstants(pair) : this.sameFunctions(pair);
  }

  private sameConstants(pair: Pair): boolean {
    const apart = separationBits(pair.wanted, pair.given);
    // Words and functions without a rule have a value too, which only they have.
    const point: Point = (name) => valueOfName('constant', name);
    return this.compareAt(pair, point, FIRST_BITS, MAX_BITS, apart).verdict === 'equal';
  }

  private sameFunctions(pair: Pair): boolean {
    let [equal, equalComplex, differentComplex, missing] = [0, 0, 0, 0];
    let confirming: Point | null = null;
    for (const point of pair.points()) {
      if (point === 'more') {
        if (equal >= LEAST_POINTS) break;
        continue;
      }
      const { verdict, isExactly, hasLeft, isWantedDefined } = this.compareAt(pair, point, FIRST_BITS, 4096);
      if (verdict === 'unknown') {
        if (isWantedDefined) missing++;
        continue;
      }
      if (hasLeft === 'no') {
        if (verdict === 'different') return false;
        equal++;
        if (!isExactly) confirming ??= point;
      } else if (verdict === 'equal') equalComplex++;
      else if (hasLeft === 'without excuse' || !this.rules.positive) return false;
      else differentComplex++;
    }
    const agrees =
      equal >= LEAST_POINTS
        ? missing <= equal
        : equal + equalComplex >= LEAST_POINTS && differentComplex === 0 && missing <= equal + equalComplex;
    if (!agrees) return false;
    return confirming === null || this.compareAt(pair, confirming, CONFIRMING_BITS, MAX_BITS).verdict === 'equal';
  }

  private numbers(bits: number): ComplexNumbers {
    let numbers = this.pool.get(bits);
    if (numbers === undefined) {
      numbers = new ComplexNumbers(bits, this.meter);
      this.pool.set(bits, numbers);
    }
    numbers.needed = 0;
    numbers.hasLeftReals();
    return numbers;
  }

  /**
   * @param from bits to begin with, taken four at a time as long as nothing is decided
   * @param apart bits that decide for certain, or infinitely many
   */
  private compareAt(
    pair: Pair,
    point: Point,
    from: number,
    most: number,
    apart?: number,
  ): {
    readonly verdict: Verdict;
    readonly isExactly: boolean;
    readonly hasLeft: 'no' | 'with excuse' | 'without excuse';
    readonly isWantedDefined: boolean;
  } {
    for (let bits = from; ; ) {
      const numbers = this.numbers(bits);
      let isWantedDefined = false;
      let next = bits * 4;
      try {
        const bindings = bindingsAt(point);
        const setting = { numbers, bindings, called: pair.called };
        const wanted = cells(evaluate(pair.wanted, setting));
        isWantedDefined = true;
        const wantedLeft = numbers.hasLeftReals();
        const given = cells(evaluate(pair.given, setting));
        const givenLeft = numbers.hasLeftReals();
        const hasLeft =
          !wantedLeft && !givenLeft ? 'no' : wantedLeft || pair.hasExcuse ? 'with excuse' : 'without excuse';
        const { outcome, top } = this.compareCells(wanted, given, numbers, pair.isDecimal);
        const told = { isExactly: outcome === 'exactly', hasLeft, isWantedDefined } as const;
        if (outcome === 'exactly') return { ...told, verdict: 'equal' };
        if (outcome === 'different') return { ...told, verdict: 'different' };
        if (outcome === 'near') return { ...told, isExactly: true, verdict: 'equal' };
        const isProven = apart !== undefined && top < -apart;
        const isEnough = isProven || apart === undefined || (apart > MAX_BITS / 2 && bits >= CONSTANT_BITS);
        if (outcome === 'narrow' && isEnough) return { ...told, verdict: 'equal' };
        if (apart !== undefined && apart <= MAX_BITS / 2) next = Math.max(bits + 64, bits + apart + top + 64);
        next = Math.max(next, numbers.needed + 64);
      } catch (error) {
        if (!(error instanceof NoValue)) throw error;
        const isFinal = error.reason === 'undefined' || (error.reason === 'size' && bits * 4 > 4096);
        if (isFinal)
          return {
            verdict: 'unknown',
            isExactly: false,
            hasLeft: 'no',
            isWantedDefined: isWantedDefined && error.reason === 'undefined',
          };
      }
      if (next > most) return { verdict: 'unknown', isExactly: false, hasLeft: 'no', isWantedDefined: false };
      bits = next;
    }
  }

  private compareCells(
    wanted: readonly Complex[],
    given: readonly Complex[],
    c: ComplexNumbers,
    isDecimal: boolean,
  ): { readonly outcome: 'exactly' | 'narrow' | 'near' | 'different' | 'open'; readonly top: number } {
    if (wanted.length !== given.length) return { outcome: 'different', top: 0 };
    let [isExactly, isNarrow, isNear] = [true, true, false];
    let top = Number.NEGATIVE_INFINITY; // power of two above the differences
    for (const [i, a] of wanted.entries()) {
      const b = given[i]!;
      const scale = Math.max(c.top(a.re), c.top(a.im), c.top(b.re), c.top(b.im));
      const gaps = [c.subtract(a.re, b.re), c.subtract(a.im, b.im)];
      if (gaps.some((gap) => c.sign(gap) === 1 || c.sign(gap) === -1)) {
        if (!isDecimal || !this.isRounded(a, b, gaps, c)) return { outcome: 'different', top: 0 };
        isNear = true;
      } else {
        isExactly &&= gaps.every((gap) => isExact(gap));
        isNarrow &&= gaps.every((gap) => c.isNarrow(gap, scale));
        top = Math.max(top, ...gaps.map((gap) => c.top(gap)));
      }
    }
    if (isExactly) return { outcome: isNear ? 'near' : 'exactly', top };
    return { outcome: isNarrow ? (isNear ? 'near' : 'narrow') : 'open', top };
  }

  /** Within half a unit of the last place; of small numbers as many leading digits. */
  private isRounded(a: Complex, b: Complex, gaps: readonly Real[], c: ComplexNumbers): boolean {
    const unit = exact(1n, 10n ** BigInt(this.rules.decimals));
    const half = exact(1n, 2n * unit.d);
    const isWithin = (x: Real, limit: Real): boolean => {
      const order = c.compare(c.abs(x), limit);
      return order === -1 || order === 0;
    };
    if (!gaps.every((gap) => isWithin(gap, half))) return false;
    const [p, q] = [c.size(a), c.size(b)];
    const size = c.compare(p, q) === 1 ? p : q;
    if (c.compare(size, SMALL) !== -1) return true;
    const relative = this.rules.decimals < 2 ? exact(1, 100) : unit;
    return gaps.every((gap) => isWithin(gap, c.multiply(size, relative)));
  }

  /**
   * The sign of the constant c ≠ 0 with a = c · b wherever both have a value: 1, −1, or 'none' where it is not real. Null where there is
   * no such constant.
   */
  factor(a: MathJson, b: MathJson): 1 | -1 | 'none' | null {
    const pair = new Pair(a, b);
    let first: { readonly p: Complex; readonly q: Complex; readonly bits: number } | null = null;
    let compared = 0;
    const bits = 256;
    const c = this.numbers(bits);
    let sign: 1 | -1 | 'none' | null = null;
    for (const point of pair.points()) {
      if (point === 'more') {
        if (compared >= LEAST_POINTS) break;
        continue;
      }
      try {
        const setting = { numbers: c, bindings: bindingsAt(point), called: pair.called };
        const [p, q] = [evaluate(a, setting), evaluate(b, setting)];
        if (!('re' in p) || !('re' in q)) return null;
        const [isP, isQ] = [this.isZero(p, c), this.isZero(q, c)];
        if (isP !== isQ) return null;
        if (isP) continue;
        if (first === null) {
          first = { p, q, bits };
          const ratio = c.over(p, q);
          const known = c.sign(ratio.re);
          sign = this.isZero({ re: ratio.im, im: ZERO }, c) && known !== 0 && known !== null ? known : 'none';
          continue;
        }
        if (!this.isZero(c.minus(c.times(p, first.q), c.times(q, first.p)), c)) return null;
        compared++;
      } catch (error) {
        if (!(error instanceof NoValue)) throw error;
      }
    }
    return compared >= LEAST_POINTS - 1 ? sign : null;
  }

  private isZero({ re, im }: Complex, c: ComplexNumbers): boolean {
    return [re, im].every((x) => {
      const sign = c.sign(x);
      return sign === 0 || (sign === null && c.top(x) < -c.bits / 4);
    });
  }

  /** The real number that an expression without variables is; null for any other. */
  real(json: MathJson): Real | null {
    return this.realAt(json, new Map());
  }

  /** The real value of an expression where one variable is replaced and all others are at one point; null where it has none. */
  realWhere(json: MathJson, variable: string, x: Real): Real | null {
    return this.realAt(json, new Map([[variable, x]]));
  }

  private realAt(json: MathJson, values: ReadonlyMap<string, Real>): Real | null {
    const c = this.numbers(512);
    try {
      const bindings: Bindings = (name) => real(values.get(name) ?? valueOfName('set', name));
      const value = evaluate(json, { numbers: c, bindings, called: new Set() });
      if (!('re' in value)) return null;
      if (isReal(value)) return value.re;
      return c.sign(value.im) === null && c.top(value.im) < -c.bits / 2 ? value.re : null;
    } catch (error) {
      if (error instanceof NoValue) return null;
      throw error;
    }
  }

  /** −1, 0 or 1 as x is below, at or above y. What 512 bits do not tell apart is one number. */
  order(x: Real, y: Real): -1 | 0 | 1 {
    return this.numbers(512).compare(x, y) ?? 0;
  }

  /** Whether numbers, one of which was given as a decimal, are the same to the places that count. */
  isRoundedTo(x: Real, y: Real): boolean {
    const c = this.numbers(512);
    return this.isRounded(real(x), real(y), [c.subtract(x, y)], c);
  }

  /** x + y · factor. */
  combined(x: Real, y: Real, factor: Exact): Real {
    const c = this.numbers(512);
    return c.add(x, c.multiply(y, factor));
  }

  quotient(x: Real, y: Real): Real {
    return this.numbers(512).divide(x, y);
  }

  toNumber(x: Real): number {
    return this.numbers(512).toNumber(x);
  }
}

const bindingsAt =
  (point: Point): Bindings =>
  (name) =>
    real(point(name));

/** A matrix gives its cells, with its shape before them. */
const cells = (value: Value): readonly Complex[] =>
  're' in value ? [value] : [real(exact(value.rows.length)), real(exact(value.rows[0]!.length)), ...value.rows.flat()];

/** 1 for ∞, −1 for −∞, null for what is not just that. */
function infiniteSign(json: MathJson): 1 | -1 | null {
  if (json === 'PositiveInfinity') return 1;
  if (json === 'NegativeInfinity') return -1;
  if (Array.isArray(json) && json.length === 2) {
    const inner = infiniteSign(json[1] as MathJson);
    if (json[0] === 'Delimiter') return inner;
    if (json[0] === 'Negate' && inner !== null) return inner === 1 ? -1 : 1;
  }
  if (typeof json === 'object' && 'num' in json)
    return /^\+?infinity$/i.test(json.num) ? 1 : /^-infinity$/i.test(json.num) ? -1 : null;
  return null;
}

// ——— what a pair of expressions asks for ———

const ALWAYS_WHOLE = new Set(['GCD', 'LCM', 'Factorial', 'Factorial2', 'Binomial', 'Choose', 'Sum', 'Product']);
const STEPS = new Set(['Floor', 'Ceil', 'Round', 'Mod']);
const TURNS = new Set(['Abs', 'Max', 'Min', 'Sign']);
const UNDER = new Set(['Sqrt', 'Root', 'Ln', 'Log', 'Lb', 'Lg']);
/** Letters that count, where they stand under a step. */
const COUNTING = /^[i-nNMKpqrs](?:_\w+)?$/;

class Pair {
  readonly names: ReadonlySet<string>;
  /** Letters that are functions of what follows them in brackets. */
  readonly called: ReadonlySet<string>;
  readonly isDecimal: boolean;
  /** Whether the answer may leave the reals where the reference does not: the same variables are under roots in both. */
  readonly hasExcuse: boolean;
  private readonly onlyWhole = new Set<string>();
  private hasSteps = false;
  private hasSeries = false;
  private hasTurns = false;

  constructor(
    readonly wanted: MathJson,
    readonly given: MathJson,
  ) {
    const [bare, calls] = [new Set<string>(), new Set<string>()];
    for (const json of [wanted, given]) usesOf(json, bare, calls);
    this.called = new Set([...calls].filter((name) => !bare.has(name)));
    this.names = variablesOf(given, variablesOf(wanted));
    this.isDecimal = hasDecimal(wanted) || hasDecimal(given);
    const [inWanted, inGiven] = [underRoots(wanted), underRoots(given)];
    const all = variablesOf(wanted);
    this.hasExcuse = [...inGiven].some((name) => inWanted.has(name) || !all.has(name));
    for (const json of [wanted, given]) this.study(json, false);
  }

  private study(json: MathJson, isCounting: boolean): void {
    if (typeof json === 'string') {
      if (isCounting && !isConstant(json)) this.onlyWhole.add(json);
      return;
    }
    if (!Array.isArray(json)) return;
    const [head, ...operands] = json as readonly MathJson[];
    if (typeof head !== 'string') return;
    if (TURNS.has(head)) this.hasTurns = true;
    if (ALWAYS_WHOLE.has(head)) {
      this.hasSteps = true;
      if (head === 'Sum' || head === 'Product') this.hasSeries = true;
      const counted = head === 'Sum' || head === 'Product' ? operands.slice(1) : operands;
      for (const operand of operands) this.study(operand, isCounting || counted.includes(operand));
      return;
    }
    if (STEPS.has(head)) {
      this.hasSteps = true;
      for (const operand of operands)
        for (const name of variablesOf(operand)) if (COUNTING.test(name)) this.onlyWhole.add(name);
    }
    if (head === 'Power' && operands.length === 2 && isNegative(operands[0]!)) {
      const exponents = variablesOf(operands[1]!);
      if (exponents.size > 0) this.hasSteps = true;
      for (const name of exponents) this.onlyWhole.add(name);
    }
    for (const operand of operands) this.study(operand, isCounting && head !== 'Sqrt');
  }

  /** Values of all variables, many times. After 'more' come points that are asked only where the others had too few values. */
  *points(): Generator<Point | 'more'> {
    const seed = JSON.stringify([this.wanted, this.given]);
    const single = this.names.size === 1;
    const at = (sample: number, kind: 'near' | 'mixed' | 'wide' | 'widely mixed' | 'whole'): Point => {
      const known = new Map<string, Exact>();
      return (name) => {
        let value = known.get(name);
        if (value === undefined) {
          const random = Random.of(seed, sample, kind, name);
          if (kind === 'whole')
            value = wholeNumber(random, sample, single, this.hasSeries ? LARGEST_END : LARGEST_WHOLE);
          else if (this.onlyWhole.has(name)) value = exact(1 + random.int(kind === 'near' ? 6 : 12));
          else {
            const size = kind.startsWith('wide') ? 10 ** (-1 + 5 * random.float()) : 0.4 + 2 * random.float();
            const isNegative = kind.endsWith('mixed') && random.float() < 0.5;
            value = exact(BigInt(Math.floor((isNegative ? -size : size) * 2 ** 24)), 1n << 24n);
          }
          known.set(name, value);
        }
        return value;
      };
    };
    let sample = 0;
    for (let i = 0; i < 4; i++) yield at(sample++, 'near');
    for (let i = 0; i < 4; i++) yield at(sample++, 'mixed');
    if (this.isDecimal) {
      // Rounded coefficients are compared where they weigh little.
      yield 'more';
      for (let i = 0; i < 24; i++) yield at(sample++, 'near');
      return;
    }
    for (let i = 0; i < 3; i++) yield at(sample++, 'wide');
    for (let i = 0; i < 3; i++) yield at(sample++, 'widely mixed');
    if (this.hasTurns || this.hasSteps) {
      for (let i = 0; i < 40; i++) yield at(sample++, 'widely mixed');
      for (let i = 1; i <= 64; i++) yield at(i, 'whole');
    }
    yield 'more';
    for (let i = 0; i < 40; i++) yield at(sample++, i % 2 === 0 ? 'wide' : 'widely mixed');
    for (let i = 1; i <= 24; i++) yield at(i, 'whole');
  }
}

/** Of one variable 1, 2, 3, … 32; beyond, and of several, whatever shares divisors: powers of two and their neighbours, multiples of 12. */
function wholeNumber(random: Random, sample: number, isSingle: boolean, largest: number): Exact {
  if (sample <= 32) return exact(isSingle ? sample : 1 + random.int(24));
  const power = 2 ** (1 + random.int(Math.floor(Math.log2(largest))));
  switch (random.int(4)) {
    case 0:
      return exact(12 * (1 + random.int(Math.floor(largest / 12))));
    case 1:
      return exact(Math.max(1, power - 1 + random.int(3)));
    default:
      return exact(Math.max(1, Math.floor(largest ** random.float())));
  }
}

function isNegative(json: MathJson): boolean {
  if (typeof json === 'number') return json < 0;
  if (!Array.isArray(json)) return false;
  if (json[0] === 'Delimiter') return isNegative(json[1] as MathJson);
  return json[0] === 'Negate' || json[0] === 'Divide' ? json[0] === 'Negate' || isNegative(json[1] as MathJson) : false;
}

/** Which letters stand alone, and which before a bracket with a number or a letter in it. */
function usesOf(json: MathJson, bare: Set<string>, calls: Set<string>): void {
  if (typeof json === 'string') {
    bare.add(json);
    return;
  }
  if (!Array.isArray(json)) return;
  const [head, ...operands] = json as readonly MathJson[];
  if (typeof head === 'string' && /^[a-zA-Z](?:_\w+)?$/.test(head)) calls.add(head);
  for (const [i, operand] of operands.entries()) {
    const next = operands[i + 1];
    const isBefore =
      head === 'InvisibleOperator' &&
      typeof operand === 'string' &&
      Array.isArray(next) &&
      next[0] === 'Delimiter' &&
      next.length === 2 &&
      !Array.isArray(next[1]);
    if (isBefore) calls.add(operand);
    else usesOf(operand, bare, calls);
  }
}

function underRoots(json: MathJson, names = new Set<string>()): Set<string> {
  if (!Array.isArray(json)) return names;
  const [head, ...operands] = json as readonly MathJson[];
  const isPower = head === 'Power' && operands.length === 2 && isBroken(operands[1]!);
  if (typeof head === 'string' && (UNDER.has(head) || isPower)) variablesOf(operands[0]!, names);
  for (const operand of operands) underRoots(operand, names);
  return names;
}

/** An exponent that is no whole number. */
const isBroken = (json: MathJson): boolean =>
  typeof json === 'number'
    ? !Number.isInteger(json)
    : typeof json === 'string' ||
      (Array.isArray(json) &&
        (['Divide', 'Rational'].includes(json[0] as string) ||
          json.slice(1).some((each) => isBroken(each as MathJson))));

// ——— how near to zero a difference of roots can be ———

/**
 * Bits b such that |a − b| ≥ 2^−b wherever the difference is not zero, for expressions of whole numbers, +, −, ·, /, roots and i. Infinite
 * for all others. BFMSS: with u and l bounds of the numerator's and denominator's conjugates and D the product of the roots' degrees,
 * E ≠ 0 implies |E| ≥ 1 / (u^{D−1} l).
 */
function separationBits(a: MathJson, b: MathJson): number {
  const roots = new Map<string, number>();
  const bound = boundOf(['Subtract', a, b], roots);
  if (bound === null) return Number.POSITIVE_INFINITY;
  let degree = 1;
  for (const each of roots.values()) degree *= each;
  return Math.ceil((degree - 1) * Math.max(0, bound.u) + Math.max(0, bound.l)) + 2;
}

/** Logarithms to base 2 of u and l. */
interface Bound {
  readonly u: number;
  readonly l: number;
}

const sumOfLogs = (a: number, b: number): number => Math.max(a, b) + 1;

function boundOf(json: MathJson, roots: Map<string, number>): Bound | null {
  if (typeof json === 'number' || (typeof json === 'object' && 'num' in json)) {
    const text = typeof json === 'number' ? String(json) : json.num;
    const parts = /^-?(\d*)(?:\.(\d*))?(?:e([-+]?\d+))?$/i.exec(text);
    if (parts === null) return null;
    const after = parts[2] ?? '';
    const power = Number(parts[3] ?? 0) - after.length;
    const digits = (parts[1]! + after).length * 3.33;
    return { u: digits + 3.33 * Math.max(0, power) + 1, l: 3.33 * Math.max(0, -power) + 1 };
  }
  if (typeof json === 'string') {
    if (json !== 'i' && json !== 'ImaginaryUnit') return null;
    roots.set('i', 2);
    return { u: 0, l: 0 };
  }
  const [head, ...operands] = json as readonly MathJson[];
  const parts: Bound[] = [];
  if (typeof head !== 'string' || !ALGEBRAIC.has(head)) return null;
  const inner = head === 'Power' || head === 'Root' ? operands.slice(0, 1) : operands;
  for (const operand of inner) {
    const part = boundOf(operand, roots);
    if (part === null) return null;
    parts.push(part);
  }
  const [first] = parts;
  if (first === undefined) return null;
  switch (head) {
    case 'Delimiter':
      return parts.length === 1 ? first : null;
    case 'Negate':
      return first;
    case 'Add':
    case 'Subtract':
      return parts.slice(1).reduce((x, y) => ({ u: sumOfLogs(x.u + y.l, x.l + y.u), l: x.l + y.l }), first);
    case 'InvisibleOperator': // also a mixed number, which is a sum
      return parts
        .slice(1)
        .reduce((x, y) => ({ u: sumOfLogs(sumOfLogs(x.u + y.l, x.l + y.u), x.u + y.u), l: x.l + y.l }), first);
    case 'Multiply':
      return parts.slice(1).reduce((x, y) => ({ u: x.u + y.u, l: x.l + y.l }), first);
    case 'Divide':
    case 'Rational':
      return parts.length === 2 ? { u: first.u + parts[1]!.l, l: first.l + parts[1]!.u } : null;
    case 'Sqrt':
      return rootBound(first, 2, operands[0]!, roots);
    case 'Root':
      return typeof operands[1] === 'number' && Number.isInteger(operands[1]) && operands[1] > 1
        ? rootBound(first, operands[1], operands[0]!, roots)
        : null;
    case 'Power':
      return powerBound(first, operands, roots);
    default:
      return null;
  }
}

function rootBound({ u, l }: Bound, degree: number, radicand: MathJson, roots: Map<string, number>): Bound {
  roots.set(`${degree} ${JSON.stringify(radicand)}`, degree);
  return u >= l ? { u: (u + (degree - 1) * l) / degree, l } : { u, l: ((degree - 1) * u + l) / degree };
}

function powerBound({ u, l }: Bound, [base, exponent]: readonly MathJson[], roots: Map<string, number>): Bound | null {
  const power = exponentOf(exponent!);
  if (power === null || Math.abs(power.n) > 4096 || power.d > 64) return null;
  const size = Math.abs(power.n);
  const raised = power.n < 0 ? { u: l * size, l: u * size } : { u: u * size, l: l * size };
  return power.d === 1 ? raised : rootBound(raised, power.d, ['Power', base!, power.n], roots);
}

function exponentOf(json: MathJson): { readonly n: number; readonly d: number } | null {
  if (typeof json === 'number')
    return Number.isInteger(json)
      ? { n: json, d: 1 }
      : json * 2 === Math.round(json * 2)
        ? { n: json * 2, d: 2 }
        : null;
  if (!Array.isArray(json)) return null;
  const [head, a, b] = json as readonly MathJson[];
  if (head === 'Delimiter' && a !== undefined && b === undefined) return exponentOf(a);
  if (head === 'Negate' && a !== undefined) {
    const inner = exponentOf(a);
    return inner === null ? null : { n: -inner.n, d: inner.d };
  }
  if (
    (head === 'Divide' || head === 'Rational') &&
    typeof a === 'number' &&
    typeof b === 'number' &&
    Number.isInteger(a) &&
    Number.isInteger(b) &&
    b > 0
  )
    return { n: a, d: b };
  return null;
}

const ALGEBRAIC = new Set(
  'Delimiter Negate Add Subtract Multiply InvisibleOperator Divide Rational Power Sqrt Root'.split(' '),
);
