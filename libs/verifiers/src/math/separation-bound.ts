/** How many bits tell two algebraic numbers apart that are not equal. */
import type { MathJson } from './expression.js';

/**
 * Bits b such that |a − b| ≥ 2^−b wherever the difference is not zero, for expressions of whole numbers, +, −, ·, /, roots and i. Infinite
 * for all others. BFMSS: with u and l bounds of the numerator's and denominator's conjugates and D the product of the roots' degrees,
 * E ≠ 0 implies |E| ≥ 1 / (u^{D−1} l).
 */
export function separationBits(a: MathJson, b: MathJson): number {
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
