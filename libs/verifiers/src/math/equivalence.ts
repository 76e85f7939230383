/** Whether an answer says the same as a reference, in any form of either. */
import { readAnswer } from './answer-form.js';
import { Equality } from './equality.js';
import { hasDecimal, type MathJson, parseExpression, variablesOf } from './expression.js';
import type { Comparison, Form, Readings } from './forms/form.js';
import { spelled } from './forms/words.js';
import { Meter } from './meter.js';
import { type Exact, exact, ZERO } from './real-arithmetic.js';
import { sameSet } from './real-set.js';
import { MIRRORED, RealSets } from './real-solutions.js';

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
  // A question states nothing.
  if (answer.includes('?') && !reference.includes('?')) return false;
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
  private readonly sets: RealSets;

  constructor(
    private readonly rules: EquivalenceRules,
    meter: Meter,
  ) {
    this.equality = new Equality(rules, meter);
    this.sets = new RealSets(this.equality, (latex) => this.parse(latex));
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
      if (!areOtherCases(a, b) && this.sameList(a.parts, b.parts)) return true;
    } else if (a.kind === 'list' || b.kind === 'list') {
      const [list, other] = a.kind === 'list' ? [a, b] : [b as Form & { kind: 'list' }, a];
      // {3} may be meant as 3, but {∅} is not ∅, and within a set or pair {3} is not 3.
      const isOne = list.parts.length === 1 && (list.by !== 'braces' || (isWhole && !isSet(other)));
      if (isOne && this.same(list.parts[0]!, [other])) return true;
      // "1, 2" without brackets may be meant as (1, 2): in its order.
      const isOrdered = list.by === 'comma' && other.kind === 'tuple' && other.open !== 'matrix' && !isHalfOpen(other);
      if (isOrdered && this.sameInOrder(inOrderOfNames(list), other.parts)) return true;
    }
    if (a.kind === 'relation' && b.kind === 'relation' && this.sameRelation(a, b)) return true;
    if (a.kind === 'relation' && isWhole) {
      const solved = this.sets.realSet(b);
      if (solved !== null && this.sets.isSolutionOf(a, solved)) return true;
    }
    const [left, right] = [this.sets.realSet(a), this.sets.realSet(b)];
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

  private parse(latex: string): MathJson | null {
    let json = this.parsed.get(latex);
    if (json === undefined) {
      json = parseExpression(latex);
      this.parsed.set(latex, json);
    }
    return json;
  }
}

const isSet = (form: Form): boolean =>
  form.kind === 'setOperation' || (form.kind === 'expression' && /\\emptyset|\\mathbb/.test(form.latex));

/** x > 1 and x < 3 is not x > 1 or x < 3; of values "and" and "or" say the same. */
const areOtherCases = (a: Form & { kind: 'list' }, b: Form & { kind: 'list' }): boolean =>
  a.by !== b.by &&
  [a.by, b.by].every((by) => by === 'and' || by === 'or') &&
  a.parts.some(([first]) => first?.kind === 'relation' && first.ops.some((op) => op !== '='));

const isHalfOpen = ({ open, close }: Form & { kind: 'tuple' }): boolean =>
  open + close === '[)' || open + close === '(]';
const headOf = (name: string): string => (/^([a-zA-Z])\(/.exec(name)?.[1] ?? name) + (name.includes('(') ? '()' : '');

/** 0 of f(0); '' of x and f(x), whose argument is only a name. */
const argumentOf = (name: string): string => /^[a-zA-Z]\w*\((-?[\d.]+)\)$/.exec(name)?.[1] ?? '';

/** The values of x = 1, y = 2 and of (x, y) = (1, 2) by their names; null unless each part has its own name. */
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
