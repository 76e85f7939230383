/** Which real numbers a form stands for, and whether a set solves a relation in one variable. */
import { type Equality } from './equality.js';
import { hasDecimal, type MathJson, variablesOf } from './expression.js';
import type { Comparison, Form, Readings } from './forms/form.js';
import { type Exact, exact, type Real, ZERO } from './real-arithmetic.js';
import { ALL_REALS, contains, difference, intersection, point, type RealSet, segment, union } from './real-set.js';

/** Sets of real numbers as answers say them: intervals, lists, operations and relations in one variable. */
export class RealSets {
  private readonly line: RealLine;

  /** @param parse gives an expression's structure; null for what is not one */
  constructor(
    private readonly equality: Equality,
    private readonly parse: (latex: string) => MathJson | null,
  ) {
    this.line = new RealLine(equality);
  }

  /** The set of real numbers that a form says; null for what says none. */
  realSet(form: Form): RealSet | null {
    switch (form.kind) {
      case 'expression': {
        const latex = form.latex.replaceAll(/\s/g, '');
        if (latex === '\\mathbb{R}') return ALL_REALS;
        if (latex === '\\emptyset') return [];
        return null;
      }
      case 'tuple': {
        if (form.parts.length !== 2 || !/^[[(]$/.test(form.open)) return null;
        const [low, high] = form.parts.map((part) => this.real(part));
        if (low === null || high === null || low === undefined || high === undefined) return null;
        const found = segment(low, high, form.open === '[', form.close === ']');
        // (1, 1) is a pair, and no interval without a number in it.
        return found === null || (low === high && form.open + form.close !== '[]') ? null : [found];
      }
      case 'list': {
        if (form.by === 'braces') {
          const points = form.parts.map((part) => this.real(part));
          return points.every((x): x is number => x !== null && Number.isFinite(x)) ? union([points.map(point)]) : null;
        }
        const sets = form.parts.map((part) => this.firstSet(part));
        if (
          form.by === 'and' &&
          sets.every((set) => set !== null) &&
          form.parts.every((part) => part[0]?.kind === 'relation')
        )
          return sets.reduce<RealSet>((a, b) => intersection(a, b), ALL_REALS);
        if (
          form.by === 'comma' &&
          sets.every((set) => set !== null) &&
          form.parts.every((part) => part[0]?.kind === 'relation')
        ) {
          // "x > 2, x < 3" holds both; "x < 2, x > 3", which nothing could hold, names two cases.
          const both = sets.reduce<RealSet>((a, b) => intersection(a, b), ALL_REALS);
          return both.length > 0 ? both : union(sets);
        }
        return form.by === 'or' && sets.every((set) => set !== null) ? union(sets) : null;
      }
      case 'setOperation': {
        const sets = form.parts.map((part) => this.firstSet(part));
        if (!sets.every((set): set is RealSet => set !== null)) return null;
        const [first, ...rest] = sets;
        if (form.op === 'union') return union(sets);
        return rest.reduce(form.op === 'difference' ? difference : intersection, first!);
      }
      case 'relation':
        return this.solutions(form);
      case 'named':
        return this.firstSet(form.value);
      default:
        return null;
    }
  }

  private firstSet(readings: Readings): RealSet | null {
    for (const form of readings) {
      const set = this.realSet(form);
      if (set !== null) return set;
    }
    return null;
  }

  private real(readings: Readings): number | null {
    for (const form of readings) {
      if (form.kind !== 'expression') continue;
      const json = this.parse(form.latex.replace(/^\+/, ''));
      const value = json === null ? null : this.end(json);
      if (value !== null) return value;
    }
    return null;
  }

  /** An end of a segment as a double that stands for it; null for what is no real number. */
  private end(json: MathJson): number | null {
    if (variablesOf(json).size > 0) return null;
    if (this.equality.same(json, 'PositiveInfinity')) return Number.POSITIVE_INFINITY;
    if (this.equality.same(json, ['Negate', 'PositiveInfinity'])) return Number.NEGATIVE_INFINITY;
    const value = this.equality.real(json);
    return value === null ? null : this.line.place(value, hasDecimal(json));
  }

  /**
   * Whether a set is what a reference's relation in one variable allows, tried at and around the set's ends and far off. Only this way
   * round: an answer that repeats the relation to be solved does not solve it.
   */
  isSolutionOf({ latex, ops }: Form & { kind: 'relation' }, set: RealSet): boolean {
    const sides = latex.map((side) => this.parse(side));
    if (!sides.every((side): side is MathJson => side !== null)) return false;
    const [name, ...others] = variablesOf(['Add', ...sides]);
    if (name === undefined || others.length > 0) return false;
    const holds = (x: Real): boolean => {
      const values = sides.map((side) => this.equality.realWhere(side, name, x));
      return ops.every((op, i) => {
        const [p, q] = [values[i], values[i + 1]];
        return p != null && q != null && isTrue(this.equality.order(p, q), op);
      });
    };
    const ends = set.flatMap(({ low, high }) => [low, high]).filter((x) => Number.isFinite(x));
    const at = (x: number): Real => this.line.valueAt(x);
    const shifts = [exact(0), exact(-1, 1000), exact(1, 1000), exact(-1), exact(1), exact(-50), exact(50)];
    const tried: Real[] = [exact(-1_000_000), exact(1_000_000)];
    for (const x of ends) for (const shift of shifts) tried.push(this.equality.combined(at(x), shift, exact(1)));
    for (const [i, x] of ends.entries())
      if (i > 0) {
        const sum = this.equality.combined(at(x), at(ends[i - 1]!), exact(1));
        tried.push(this.equality.combined(ZERO, sum, exact(1, 2)));
      }
    return ends.length > 0 && tried.every((x) => holds(x) === contains(set, this.line.place(x, false)));
  }

  /** Of a < x ≤ b and of linear inequalities in one variable. */
  private solutions({ latex, ops }: Form & { kind: 'relation' }): RealSet | null {
    const sides = latex.map((side) => this.parse(side));
    if (!sides.every((side): side is MathJson => side !== null)) return null;
    if (ops.length === 2) {
      const [low, , high] = sides.map((side) => this.end(side));
      if (low === null || high === null || low === undefined || high === undefined) return null;
      const [first, second] = ops as [Comparison, Comparison];
      const isUp = /[<≤]/.test(first) && /[<≤]/.test(second);
      const isDown = /[>≥]/.test(first) && /[>≥]/.test(second);
      if (!isUp && !isDown) return null;
      const found = isUp
        ? segment(low, high, first === '≤', second === '≤')
        : segment(high, low, second === '≥', first === '≥');
      return found === null ? null : [found];
    }
    if (ops.length !== 1) return null;
    const [left, right] = sides as [MathJson, MathJson];
    const names = [...variablesOf(['Subtract', left, right])];
    const [name] = names;
    if (name === undefined || names.length > 1) return null;
    const isDecimal = hasDecimal(left) || hasDecimal(right);
    const at = (x: Exact): Real | null => this.equality.realWhere(['Subtract', left, right], name, x);
    const [f0, f1] = [at(ZERO), at(exact(1))];
    if (f0 === null || f1 === null) return null;
    const slope = this.equality.combined(f1, f0, exact(-1));
    const rises = this.equality.order(slope, ZERO);
    if (rises === 0) return null;
    for (const x of [exact(3), exact(-7, 3), exact(1_000_003, 7), exact(-99_991)]) {
      const [there, straight] = [at(x), this.equality.combined(f0, slope, x)];
      if (there === null || this.equality.order(there, straight) !== 0) return null;
    }
    const root = this.line.place(this.equality.combined(ZERO, this.equality.quotient(f0, slope), exact(-1)), isDecimal);
    const op = rises > 0 ? ops[0]! : MIRRORED[ops[0]!];
    const found = {
      '<': segment(Number.NEGATIVE_INFINITY, root, false, false),
      '≤': segment(Number.NEGATIVE_INFINITY, root, false, true),
      '>': segment(root, Number.POSITIVE_INFINITY, false, false),
      '≥': segment(root, Number.POSITIVE_INFINITY, true, false),
      '=': null, // an equation names what it is about; see sameNamed
      '≠': null,
    }[op];
    if (op === '≠') return difference(ALL_REALS, [point(root)]);
    return found === null ? null : [found];
  }
}

export const MIRRORED: Readonly<Record<Comparison, Comparison>> = {
  '=': '=',
  '≠': '≠',
  '<': '>',
  '>': '<',
  '≤': '≥',
  '≥': '≤',
};

function isTrue(order: -1 | 0 | 1, op: Comparison): boolean {
  switch (op) {
    case '=':
      return order === 0;
    case '≠':
      return order !== 0;
    case '<':
      return order < 0;
    case '>':
      return order > 0;
    case '≤':
      return order <= 0;
    case '≥':
      return order >= 0;
  }
}

/**
 * Real numbers as doubles in their order, for the ends of segments: equal numbers have one double, different ones two, however near they
 * are. A double says where a number stands among those that were placed, and only about how large it is.
 */
class RealLine {
  private readonly placed: { readonly value: Real; readonly at: number; readonly isDecimal: boolean }[] = [];

  constructor(private readonly equality: Equality) {}

  place(value: Real, isDecimal: boolean): number {
    let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const other of this.placed) {
      const order = this.equality.order(value, other.value);
      if (order === 0 || ((isDecimal || other.isDecimal) && this.equality.isRoundedTo(value, other.value)))
        return other.at;
      if (order > 0) low = Math.max(low, other.at);
      else high = Math.min(high, other.at);
    }
    let at = Math.max(-1e300, Math.min(1e300, this.equality.toNumber(value)));
    const step = (x: number): number => Math.max(Math.abs(x) * 2 ** -45, 1e-300);
    if (at <= low) at = Number.isFinite(high) ? low + (high - low) / 2 : low + step(low);
    else if (at >= high) at = Number.isFinite(low) ? low + (high - low) / 2 : high - step(high);
    this.placed.push({ value, at, isDecimal });
    return at;
  }

  /** The number that was placed there. */
  valueAt(at: number): Real {
    return this.placed.find((each) => each.at === at)?.value ?? ZERO;
  }
}
