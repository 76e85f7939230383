/** At which points two expressions are compared: random values of their variables, of the kinds that the expressions ask for. */
import { Random } from '@seamstream/kernel';
import { hasDecimal, isConstant, type MathJson, variablesOf } from './expression.js';
import { type Exact, exact } from './real-arithmetic.js';

/** Largest whole number that stands for a variable. */
const LARGEST_WHOLE = 10_000;
/** Largest number in an expression at which it may turn; numbers and variables of which so many are looked at. */
const LARGEST_TURN = 10n ** 60n;
const MOST_TURNS = 8;
const MOST_TURNING = 2;
/** Largest end of a series that a variable gives. */
const LARGEST_END = 48;
export type Point = (name: string) => Exact;

const ALWAYS_WHOLE = new Set(['GCD', 'LCM', 'Factorial', 'Factorial2', 'Binomial', 'Choose', 'Sum', 'Product']);
const STEPS = new Set(['Floor', 'Ceil', 'Round', 'Mod']);
const TURNS = new Set(['Abs', 'Max', 'Min', 'Sign']);
const PERIODIC = new Set(['Sin', 'Cos', 'Tan', 'Cot', 'Sec', 'Csc']);
/** What costs much at a large whole number. */
const GROWS = new Set(['Factorial', 'Factorial2', 'Binomial', 'Choose', 'Sum', 'Product', 'LCM']);
const UNDER = new Set(['Sqrt', 'Root', 'Ln', 'Log', 'Lb', 'Lg']);
/** Letters that count, where they stand under a step. */
const COUNTING = /^[i-nNMKpqrs](?:_\w+)?$/;

export class Pair {
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
  private hasGrowth = false;
  private hasRoots = false;
  private hasPeriodicSteps = false;
  /** Heads that turn where no point of {@link points} can be: what they hold is compared, not what they yield. */
  readonly unproven: ReadonlySet<string>;

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
    this.unproven = this.turnsBeyond()
      ? new Set([...STEPS, ...TURNS])
      : this.hasPeriodicSteps
        ? STEPS
        : new Set<string>();
  }

  /** Whether numbers under steps and turns put these where no expression can be evaluated, or are more than are looked at. */
  private turnsBeyond(): boolean {
    const sizes = new Set<bigint>();
    for (const json of [this.wanted, this.given]) turningNumbersOf(json, sizes);
    const large = [...sizes].filter((size) => size >= 4n);
    const farthest = [...sizes]
      .filter((size) => size > 1n)
      .reduce((product, size) => (product > LARGEST_TURN ? product : product * size), 1n);
    return (
      large.length > MOST_TURNS ||
      large.some((size) => size > LARGEST_TURN) ||
      (this.hasGrowth && farthest > BigInt(LARGEST_WHOLE))
    );
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
    if (UNDER.has(head) || (head === 'Power' && operands.length === 2 && isBroken(operands[1]!)))
      this.hasRoots ||= operands.some((operand) => variablesOf(operand).size > 0);
    if (GROWS.has(head) || (head === 'Power' && variablesOf(operands.at(-1)!).size > 0)) this.hasGrowth = true;
    if (ALWAYS_WHOLE.has(head)) {
      this.hasSteps = true;
      if (head === 'Sum' || head === 'Product') this.hasSeries = true;
      const counted = head === 'Sum' || head === 'Product' ? operands.slice(1) : operands;
      for (const operand of operands) this.study(operand, isCounting || counted.includes(operand));
      return;
    }
    if (STEPS.has(head)) {
      this.hasSteps = true;
      this.hasPeriodicSteps ||= operands.some(holdsPeriod);
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

  /**
   * Where an expression may turn or step far from all other points: at the whole numbers that occur in the expressions, next to them and
   * beyond them. |x - 10^6| is 10^6 - x at every smaller x.
   */
  private *turns(): Generator<readonly [bigint, string]> {
    const most = this.hasGrowth ? BigInt(LARGEST_WHOLE) : LARGEST_TURN;
    const sizes = new Set<bigint>();
    for (const json of [this.wanted, this.given]) wholeNumbersOf(json, sizes);
    const largest = [...sizes].filter((size) => size >= 4n && size <= most).sort((a, b) => (a < b ? 1 : -1));
    for (const size of largest.slice(0, MOST_TURNS))
      for (const value of [size, size - 1n, size + 1n, 3n * size, 30n * size, size * size + 1n])
        for (const name of [...this.names].slice(0, MOST_TURNING))
          for (const turn of [value, -value]) if (!this.hasGrowth || value <= most) yield [turn, name];
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
    if (this.hasTurns || this.hasSteps || this.hasRoots)
      for (const [turn, name] of this.turns()) {
        const others = at(sample++, 'near');
        const value = exact(this.onlyWhole.has(name) && turn < 1n ? -turn + 1n : turn);
        yield (each) => (each === name ? value : others(each));
      }
    if (this.hasTurns || this.hasSteps)
      for (const name of [...this.names].filter((each) => !this.onlyWhole.has(each)).slice(0, MOST_TURNING)) {
        const others = at(sample++, 'near');
        for (const value of [exact(0), exact(-1), exact(1)]) yield (each) => (each === name ? value : others(each));
      }
    yield 'more';
    for (let i = 0; i < 40; i++) yield at(sample++, i % 2 === 0 ? 'wide' : 'widely mixed');
    for (let i = 1; i <= 24; i++) yield at(i, 'whole');
  }
}

/** Of one variable 1, 2, 3, … 32; else numbers with common divisors: powers of two and their neighbours, multiples of 12. */
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

/** The sizes of the whole numbers that occur in an expression, including powers: 12, 10^6. */
function wholeNumbersOf(json: MathJson, sizes: Set<bigint>): void {
  const size = wholeOf(json);
  if (size !== null) sizes.add(size < 0n ? -size : size);
  else if (Array.isArray(json)) for (const operand of json.slice(1)) wholeNumbersOf(operand as MathJson, sizes);
}

/** The sizes of the whole numbers that occur together with a variable under a step or a turn. */
function turningNumbersOf(json: MathJson, sizes: Set<bigint>): void {
  if (!Array.isArray(json)) return;
  const [head, ...operands] = json as readonly MathJson[];
  const isTurning = typeof head === 'string' && (STEPS.has(head) || TURNS.has(head)) && variablesOf(json).size > 0;
  for (const operand of operands) (isTurning ? wholeNumbersOf : turningNumbersOf)(operand, sizes);
}

function holdsPeriod(json: MathJson): boolean {
  if (!Array.isArray(json)) return false;
  const [head, ...operands] = json as readonly MathJson[];
  return (typeof head === 'string' && PERIODIC.has(head) && variablesOf(json).size > 0) || operands.some(holdsPeriod);
}

/** A whole number that is written as one, or as a power of small ones. */
function wholeOf(json: MathJson): bigint | null {
  if (typeof json === 'number') return Number.isSafeInteger(json) ? BigInt(json) : null;
  if (typeof json === 'object' && 'num' in json) return /^[-+]?\d{1,60}$/.test(json.num) ? BigInt(json.num) : null;
  if (!Array.isArray(json)) return null;
  const [head, first, second] = json as readonly MathJson[];
  if (first === undefined || (second === undefined) !== (head !== 'Power')) return null;
  const base = wholeOf(first);
  if (base === null) return null;
  if (head === 'Negate') return -base;
  if (head === 'Delimiter') return base;
  const exponent = head === 'Power' ? wholeOf(second!) : null;
  return exponent === null || exponent < 0n || exponent > 200n || base > 1000n || base < -1000n
    ? null
    : base ** exponent;
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
