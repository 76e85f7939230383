/**
 * When two expressions are equal. Different is what was proven different: balls that do not meet. Equal is
 * - without variables and functions beyond roots: what a separation bound proves (https://doi.org/10.1007/s00453-007-9132-4, BFMSS: how
 *   near to zero an expression of roots can be without being zero), or what is exactly the same fraction;
 * - without variables: what {@link CONSTANT_BITS} binary digits, and as many more as the expression's own sizes ask for, do not tell apart;
 * - with variables: what is not told apart at points that a hash of both expressions fixes (https://en.wikipedia.org/wiki/Schwartz–Zippel_lemma),
 *   among them whole numbers up to 10^4 where floors, divisors, remainders, factorials or powers of −1 occur.
 *
 * Variables under roots and logarithms are positive reals unless stated otherwise: nothing is compared where a side leaves the reals.
 */
import { type Complex, ComplexNumbers, isReal, real } from './complex.js';
import { type Bindings, evaluate, isInfinite, type Value, valueOfName } from './evaluate.js';
import type { MathJson } from './expression.js';
import { type Meter, NoValue } from './meter.js';
import { type Exact, exact, isExact, type Real, ZERO } from './real-arithmetic.js';
import { Pair, type Point } from './sample-points.js';
import { separationBits } from './separation-bound.js';

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
/** Below this size decimals are compared by their leading digits: as places they would all be alike. */
const SMALL = exact(1, 1000);

type Verdict = 'equal' | 'different' | 'unknown';

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
        const setting = { numbers, bindings, called: pair.called, unproven: pair.unproven };
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
        const setting = { numbers: c, bindings: bindingsAt(point), called: pair.called, unproven: pair.unproven };
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
