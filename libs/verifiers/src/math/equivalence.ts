/** Whether an answer says the same as a reference, whatever form either has. */
import { type Comparison, type Form, type Readings, readAnswer, spelled } from './answer-form.js';
import { Equality } from './equality.js';
import { hasDecimal, type MathJson, parseExpression, variablesOf } from './expression.js';
import { Meter } from './meter.js';
import { type Exact, exact, type Real, ZERO } from './real.js';
import {
  ALL_REALS,
  contains,
  difference,
  intersection,
  point,
  type RealSet,
  sameSet,
  segment,
  union,
} from './real-set.js';

export interface EquivalenceRules {
  /** Places to which decimals are compared. */
  readonly decimals: number;
  /** 50% is 50, 0.5, or (either) both. */
  readonly percent: 'either' | 'number' | 'fraction';
  /** Whether variables under roots and logarithms are positive reals. */
  readonly positive: boolean;
  readonly isThorough?: boolean;
}

/** Steps of one comparison, see {@link Meter}: some two seconds where nothing else runs. An honest one takes a thousandth of it. */
const STEPS = 100_000_000;

/**
 * Whether the answer, as it was taken from a response, equals the reference.
 * @throws TooCostly
 */
export function equivalent(reference: string, answer: string, rules: EquivalenceRules): boolean {
  return sameText(reference, answer) || new Equivalence(rules, new Meter(STEPS)).compares(reference, answer);
}

/**
 * Whether a reference can be compared at all: it is, with itself, and by its value even where the same text would do.
 * @throws TooCostly
 */
export function compareWithItself(reference: string, rules: EquivalenceRules): boolean {
  return new Equivalence({ ...rules, isThorough: true }, new Meter(STEPS)).compares(reference, reference);
}

function sameText(a: string, b: string): boolean {
  const [p, q] = [squeezed(a), squeezed(b)];
  return p !== '' && p === q;
}

/** Without white space and what only sets formulas, but for one blank between digits: 3 1/2 is not 31/2. */
const squeezed = (text: string): string =>
  text
    .replaceAll(/[$]|\[,;:!]/g, ' ')
    .replaceAll(/(?<=\d)\s+(?=\d)/g, '\u0001')
    .replaceAll(/\s/g, '')
    .replace(/\.$/, '');

class Equivalence {
  private readonly parsed = new Map<string, MathJson | null>();
  private readonly equality: Equality;
  private readonly line: RealLine;

  constructor(
    private readonly rules: EquivalenceRules,
    meter: Meter,
  ) {
    this.equality = new Equality(rules, meter);
    this.line = new RealLine(this.equality);
  }

  /** Whether the texts, read as answers, say the same. A reference's own links are believed, an answer's are checked. */
  compares(reference: string, answer: string): boolean {
    const wanted = readAnswer(reference, { agree: () => true });
    const given = readAnswer(answer, { agree: (a, b, isApproximate) => this.agree(a, b, isApproximate) });
    return this.same(wanted, given, true);
  }

  /**
   * Whether two numbers in digits are one, or one the other rounded or cut to the places it is given with. Of sides that compute
   * something only the last counts: a mistake on the way is not an answer.
   */
  private agree(left: string, right: string, isApproximate: boolean): boolean {
    const [a, b] = [this.parse(left.trim()), this.parse(right.trim())];
    if (a === null || b === null || variablesOf(a).size + variablesOf(b).size > 0) return true;
    if (this.equality.same(a, b)) return true;
    const [p, q] = [this.equality.real(a), this.equality.real(b)];
    if (p === null || q === null) return true;
    const [first, second] = [lastPlace(left), lastPlace(right)];
    if (first === null || second === null) return true;
    const unit = this.equality.order(first, second) > 0 ? first : second;
    if (!isApproximate && !hasDecimal(a) && !hasDecimal(b)) return false;
    const gap = this.equality.combined(p, q, exact(-1));
    return [gap, this.equality.combined(ZERO, gap, exact(-1))].every((each) => this.equality.order(each, unit) < 0);
  }

  same(wanted: Readings, given: Readings, isWhole = false): boolean {
    return wanted.some((a) => given.some((b) => this.sameForm(a, b, isWhole)));
  }

  private sameForm(a: Form, b: Form, isWhole: boolean): boolean {
    const [p, q] = [valuesByName(a), valuesByName(b)];
    if (p !== null && q !== null && p.size === q.size && [...p.keys()].every((name) => q.has(name)))
      return [...p].every(([name, value]) => this.same(value, q.get(name)!));
    if (a.kind === 'congruence' || b.kind === 'congruence')
      return a.kind === 'congruence' && b.kind === 'congruence' && this.sameCongruence(a, b);
    if (a.kind === 'named' || b.kind === 'named') return this.sameNamed(a, b, isWhole);
    if (a.kind === 'words' || b.kind === 'words') {
      if (a.kind === 'words' && b.kind === 'words') return a.words === b.words;
      const [words, other] = a.kind === 'words' ? [a, b] : [b as Form & { kind: 'words' }, a];
      return other.kind === 'expression' && /^[a-zA-Z]{2,}$/.test(other.latex) && spelled(other.latex) === words.words;
    }
    if (a.kind === 'percent' || b.kind === 'percent') return this.samePercent(a, b);
    if (a.kind === 'expression' && b.kind === 'expression') return this.sameExpression(a.latex, b.latex);
    if (a.kind === 'ratio' && b.kind === 'ratio') return !(a.isClock && b.isClock) && this.sameRatio(a.parts, b.parts);
    if (a.kind === 'ratio' || b.kind === 'ratio') {
      // 1:2 is also the number 1/2.
      const [ratio, other] = a.kind === 'ratio' ? [a, b] : [b as Form & { kind: 'ratio' }, a];
      return other.kind === 'expression' && ratio.parts.length === 2 && this.sameRatio(ratio.parts, [other.latex, '1']);
    }
    if (a.kind === 'tuple' && b.kind === 'tuple') return this.sameTuple(a, b);
    if (a.kind === 'tuple' && a.open === 'matrix' && b.kind === 'expression') return this.sameMatrix(a, b.latex);
    if (b.kind === 'tuple' && b.open === 'matrix' && a.kind === 'expression') return this.sameMatrix(b, a.latex);
    if (a.kind === 'list' && b.kind === 'list') {
      if (this.sameList(a.parts, b.parts)) return true;
    } else if (a.kind === 'list' || b.kind === 'list') {
      const [list, other] = a.kind === 'list' ? [a, b] : [b as Form & { kind: 'list' }, a];
      if (list.parts.length === 1 && this.same(list.parts[0]!, [other])) return true;
      // "1, 2" without brackets may be meant as (1, 2): in its order.
      const isOrdered = list.by === 'comma' && other.kind === 'tuple' && other.open !== 'matrix' && !isHalfOpen(other);
      if (isOrdered && this.sameInOrder(inOrderOfNames(list), other.parts)) return true;
    }
    if (a.kind === 'relation' && b.kind === 'relation' && this.sameRelation(a, b)) return true;
    if (a.kind === 'relation' && isWhole) {
      const solved = this.realSet(b);
      if (solved !== null && this.isSolutionOf(a, solved)) return true;
    }
    const [left, right] = [this.realSet(a), this.realSet(b)];
    if (left !== null && right !== null) return sameSet(left, right);
    return a.kind === 'setOperation' && b.kind === 'setOperation' && a.op === b.op && this.sameList(a.parts, b.parts);
  }

  private sameNamed(a: Form, b: Form, isWhole: boolean): boolean {
    if (a.kind === 'named' && b.kind === 'named') {
      if (argumentOf(a.name) !== argumentOf(b.name)) return false;
      const isNamedAlike = a.name === b.name || headOf(a.name) === headOf(b.name);
      return (isNamedAlike || isWhole) && this.same(a.value, b.value);
    }
    const [named, other] = a.kind === 'named' ? [a, b] : [b as Form & { kind: 'named' }, a];
    return other.kind !== 'relation' && this.same(named.value, [other], isWhole);
  }

  private samePercent(a: Form, b: Form): boolean {
    if (a.kind === 'percent' && b.kind === 'percent') return this.sameExpression(a.latex, b.latex);
    const [percent, other] = a.kind === 'percent' ? [a, b] : [b as Form & { kind: 'percent' }, a];
    if (other.kind !== 'expression') return false;
    const { percent: rule } = this.rules;
    return (
      (rule !== 'fraction' && this.sameExpression(percent.latex, other.latex)) ||
      (rule !== 'number' && this.sameExpression(`\\frac{${percent.latex}}{100}`, other.latex))
    );
  }

  private sameExpression(a: string, b: string): boolean {
    if (this.rules.isThorough !== true && sameText(a, b)) return true;
    const [left, right] = [this.parse(a), this.parse(b)];
    return left !== null && right !== null && this.equality.same(left, right);
  }

  /** x ≡ 1 (mod 4) is x ≡ 5 (mod 4); the letter may be left out. */
  private sameCongruence(a: Form & { kind: 'congruence' }, b: Form & { kind: 'congruence' }): boolean {
    if (!this.sameExpression(a.modulus, b.modulus)) return false;
    if (a.left !== null && b.left !== null && !this.sameExpression(a.left, b.left)) return false;
    const [modulus, left] = [this.parse(a.modulus), this.parse(a.left ?? '0')];
    const alike = (x: string, y: string): boolean => {
      const [p, q] = [this.parse(x), this.parse(y)];
      if (p === null || q === null || modulus === null || left === null) return sameText(x, y);
      return this.equality.same(p, q) || this.equality.same(['Mod', ['Subtract', p, q], modulus], 0);
    };
    const covers = (these: readonly string[], those: readonly string[]): boolean =>
      these.every((x) => those.some((y) => alike(x, y)));
    return covers(a.residues, b.residues) && covers(b.residues, a.residues);
  }

  private sameRatio(a: readonly string[], b: readonly string[]): boolean {
    if (a.length !== b.length) return false;
    const cross = (x: string, y: string): string => `(${x})\\cdot(${y})`;
    return a.slice(1).every((part, i) => this.sameExpression(cross(a[0]!, b[i + 1]!), cross(b[0]!, part)));
  }

  private sameTuple(a: Form & { kind: 'tuple' }, b: Form & { kind: 'tuple' }): boolean {
    if (a.parts.length !== b.parts.length || (a.open === 'matrix') !== (b.open === 'matrix')) return false;
    if (a.shape !== undefined && b.shape !== undefined && a.shape !== b.shape) return false;
    const isVector = a.open === '<' || b.open === '<' || a.open === 'matrix';
    const isAlike =
      (a.open === b.open && a.close === b.close) || (a.parts.length > 2 && !isHalfOpen(a) && !isHalfOpen(b));
    return (isVector || isAlike) && this.sameInOrder(a.parts, b.parts);
  }

  private sameInOrder(a: readonly Readings[], b: readonly Readings[]): boolean {
    return a.length === b.length && a.every((part, i) => this.same(part, b[i]!));
  }

  /** A matrix that is written as a product or a sum of matrices. */
  private sameMatrix(matrix: Form & { kind: 'tuple' }, latex: string): boolean {
    if (!latex.includes('\\begin')) return false;
    const written = matrix.parts
      .map((row) => row[0])
      .map((row) => (row?.kind === 'tuple' ? row.parts.map((cell) => latexOf(cell)) : [null]));
    if (written.flat().includes(null)) return false;
    return this.sameExpression(
      `\\begin{pmatrix}${written.map((row) => row.join('&')).join('\\\\')}\\end{pmatrix}`,
      latex,
    );
  }

  /** Each of one side has its own on the other; things said twice count once. */
  private sameList(a: readonly Readings[], b: readonly Readings[]): boolean {
    const [wanted, given] = [this.distinct(a), this.distinct(b)];
    if (wanted.length !== given.length) return false;
    const open = [...given];
    return wanted.every((each) => {
      const at = open.findIndex((other) => this.same(each, other));
      if (at >= 0) open.splice(at, 1);
      return at >= 0;
    });
  }

  private distinct(parts: readonly Readings[]): readonly Readings[] {
    const kept: Readings[] = [];
    for (const part of parts) if (!kept.some((each) => this.same(each, part))) kept.push(part);
    return kept;
  }

  private sameRelation(a: Form & { kind: 'relation' }, b: Form & { kind: 'relation' }): boolean {
    const mirrored = { latex: [...b.latex].reverse(), ops: [...b.ops].reverse().map((op) => MIRRORED[op]) };
    if (
      [b, mirrored].some(
        ({ latex, ops }) =>
          a.ops.length === ops.length &&
          a.ops.every((op, i) => op === ops[i]) &&
          a.latex.every((side, i) => this.sameExpression(side, latex[i]!)),
      )
    )
      return true;
    if (a.ops.length !== 1 || b.ops.length !== 1) return false;
    const [p, q] = [this.oriented(a), this.oriented(b)];
    if (p === null || q?.op !== p.op) return false;
    // x = 3 is not answered by 2x = 6: that is the question.
    if (this.isSolved(a) !== this.isSolved(b)) return false;
    // 2 + 2 = 4 and 1 + 1 = 2 are both true, which does not make them one.
    if (variablesOf(p.difference).size + variablesOf(q.difference).size === 0) return false;
    const factor = this.equality.factor(p.difference, q.difference);
    return factor !== null && (p.op === '=' || p.op === '≠' || factor === 1);
  }

  /** A variable alone on one side, a number on the other. */
  private isSolved({ latex }: Form & { kind: 'relation' }): boolean {
    const sides = latex.map((side) => this.parse(side));
    return (
      sides.some((side) => typeof side === 'string') &&
      sides.some((side) => side !== null && variablesOf(side).size === 0)
    );
  }

  /** left op right as left − right op 0, with > turned into <. */
  private oriented({ latex, ops }: Form & { kind: 'relation' }): { op: Comparison; difference: MathJson } | null {
    const [left, right] = [this.parse(latex[0]!), this.parse(latex[1]!)];
    if (left === null || right === null) return null;
    const op = ops[0]!;
    return op === '>' || op === '≥'
      ? { op: MIRRORED[op], difference: ['Subtract', right, left] }
      : { op, difference: ['Subtract', left, right] };
  }

  // ——— sets of reals ———

  private realSet(form: Form): RealSet | null {
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
  private isSolutionOf({ latex, ops }: Form & { kind: 'relation' }, set: RealSet): boolean {
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

  private parse(latex: string): MathJson | null {
    let json = this.parsed.get(latex);
    if (json === undefined) {
      json = parseExpression(latex);
      this.parsed.set(latex, json);
    }
    return json;
  }
}

const MIRRORED: Readonly<Record<Comparison, Comparison>> = {
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

const isHalfOpen = ({ open, close }: Form & { kind: 'tuple' }): boolean =>
  open + close === '[)' || open + close === '(]';
const headOf = (name: string): string => (/^([a-zA-Z])\(/.exec(name)?.[1] ?? name) + (name.includes('(') ? '()' : '');

/** 0 of f(0); '' of x and f(x), whose argument is only a name. */
const argumentOf = (name: string): string => /^[a-zA-Z]\w*\((-?[\d.]+)\)$/.exec(name)?.[1] ?? '';

/** The values of x = 1, y = 2 and of (x, y) = (1, 2) by their names; null where not every part has one of its own. */
function valuesByName(form: Form): ReadonlyMap<string, Readings> | null {
  if (form.kind === 'named') {
    const names = /^\((.*)\)$/.exec(form.name)?.[1]?.split(',');
    const [value] = form.value;
    if (names === undefined || value?.kind !== 'tuple' || value.parts.length !== names.length) return null;
    return new Map(names.map((name, i) => [name, value.parts[i]!]));
  }
  if (form.kind !== 'list' && form.kind !== 'tuple') return null;
  const values = new Map<string, Readings>();
  for (const part of form.parts) {
    const named = part[0];
    if (named?.kind !== 'named' || values.has(named.name)) return null;
    values.set(named.name, named.value);
  }
  return values.size > 1 ? values : null;
}

/** y = 2, x = 1 as a pair is (1, 2): in the order of the alphabet. */
function inOrderOfNames(list: Form & { kind: 'list' }): readonly Readings[] {
  const values = valuesByName(list);
  return values === null ? list.parts : [...values].sort(([p], [q]) => (p < q ? -1 : 1)).map(([, value]) => value);
}

/** A unit of the last place of a number as it is written, 0.01 of 3.14; null for what is no number in digits. */
function lastPlace(latex: string): Exact | null {
  const found = /^\s*-?(\d+)(?:\.(\d+))?(?:\s*(?:\\times|\\cdot)\s*10\s*\^\s*(?:\{\s*(-?\d{1,4})\s*\}|(\d)))?\s*$/.exec(
    latex,
  );
  if (found === null) return null;
  const power = Number(found[3] ?? found[4] ?? 0) - (found[2] ?? '').length;
  return power >= 0 ? exact(10n ** BigInt(power)) : exact(1n, 10n ** BigInt(-power));
}

function latexOf(readings: Readings): string | null {
  const form = readings.find((each) => each.kind === 'expression');
  return form?.kind === 'expression' ? form.latex : null;
}
