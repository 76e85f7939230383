/** The value of an expression at a point, in numbers that are exact or enclosed. What has no rule has a value that its name and arguments fix. */
import { Random } from '@seamstream/kernel';
import { type Complex, type ComplexNumbers, I, isReal, real, whole } from './complex.js';
import { FUNCTION_NAMES, isConstant, type MathJson, mixedNumber } from './expression.js';
import { NoValue } from './meter.js';
import { C0, C1, integer, LEAST, RULES } from './number-rules.js';
import { type Exact, exact, isInteger, ONE } from './real-arithmetic.js';

type Matrix = readonly (readonly Complex[])[];
export type Value = Complex | { readonly rows: Matrix };
export type Bindings = (name: string) => Complex;

/** What an evaluation depends on besides the expression. */
export interface Setting {
  readonly numbers: ComplexNumbers;
  readonly bindings: Bindings;
  /** Letters that are functions where a bracket follows, regardless of {@link FUNCTION_NAMES}: y in y(0). */
  readonly called: ReadonlySet<string>;
  /** Heads that are not computed where a variable is under them, since no point shows where they turn. */
  readonly unproven?: ReadonlySet<string>;
}

/** Terms of a series that are added up. */
const MAX_TERMS = 10_000;

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
    case 'Conjugate':
      // A bar over a number says something else; over a variable it says that it is not real.
      if (!JSON.stringify(operands).includes('ImaginaryUnit') && !JSON.stringify(operands).includes('"i"'))
        return opaque(head, operands, setting);
      break;
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
  const isUnproven = setting.unproven?.has(head) === true && holdsVariable(json);
  if (isUnproven || operands.length < (LEAST[head] ?? 1)) return opaque(head, operands, setting);
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

/** An arrow from A to B has an order: what stands under it is compared as it is written, no product. */
const ACCENTS: Readonly<Record<string, string>> = { OverVector: 'arrow', OverRightArrow: 'arrow', Angle: 'angle' };
const IN_ANY_ORDER = new Set(['And', 'Or', 'Xor', 'Nand', 'Nor', 'Equivalent']);

/** What has no rule is the same where its operands have the same values: f(2x) is f(x + x), and unlike f(y). */
function opaque(head: string, operands: readonly MathJson[], setting: Setting): Complex {
  const { numbers: c } = setting;
  const accent = ACCENTS[head] ?? (/^(?:Over|Under)/.test(head) ? head : undefined);
  if (accent !== undefined) return setting.bindings(`${accent} ${JSON.stringify(operands)}`);
  const label = ({ re, im }: Complex): string => `${c.label(re)}|${c.label(im)}`;
  const parts = operands.map((operand) => {
    if (isInfinite(operand)) return JSON.stringify(operand);
    const value = evaluate(operand, setting);
    return 're' in value ? label(value) : value.rows.map((row) => row.map(label).join('&')).join(';');
  });
  if (IN_ANY_ORDER.has(head)) parts.sort();
  return setting.bindings(`${head}(${parts.join(',')})`);
}

/** A number between 0.4 and 2.4 that a name fixes. */
export function valueOfName(...name: readonly (string | number)[]): Exact {
  const random = Random.of(...name);
  return exact(BigInt(Math.floor((0.4 + 2 * random.float()) * 2 ** 40)), 1n << 40n);
}
