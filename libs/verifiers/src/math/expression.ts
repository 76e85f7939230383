/**
 * Expressions as trees. Compute Engine parses the LaTeX; its own evaluation is not asked, for two reasons: it is exact and therefore
 * unbounded (9^{9^{9^9}} takes it most of a minute), and what its simplifier can prove changes with its versions, while a verdict must not.
 * What a tree is worth: `evaluate.ts`; when two are equal: `equality.ts`.
 */
import { ComputeEngine } from '@cortex-js/compute-engine';

/** MathJSON (https://mathlive.io/math-json/) as the parser writes it before canonicalisation. */
export type MathJson = number | string | { readonly num: string } | { readonly str: string } | readonly MathJson[];

/** Brackets that an expression may leave open. */
const MAX_OPEN = 4;
/** Bars of absolute values in an expression: eight of them. */
const MAX_BARS = 16;

/** What the parser passes over although it changes what is said, or what is read elsewhere. */
const UNREAD = /\\pmod|\\equiv|\\[bx]?cancel|\\cancelto|\\(?:sout|st|strike)(?![a-zA-Z])|\?/;

let engine: ComputeEngine | undefined;

/** The expression, or null where the text is not one. */
export function parseExpression(latex: string): MathJson | null {
  if (hasDigitsApart(latex) || UNREAD.test(latex)) return null;
  engine ??= new ComputeEngine();
  // An angle in degrees is a plain number; inside a function it is converted to what the function takes.
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

/** 3 1 is neither 31 nor a product; after \\frac and \\binom digits may stand apart. */
function hasDigitsApart(latex: string): boolean {
  return /(?<![_^\d.])\d[\d.]*\s+\d/.test(latex.replaceAll(/\\(?:frac|binom)\s*\d\s+\d/g, ' '));
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
    if (!json.startsWith("'") && !isConstant(json)) names.add(json);
  } else if (Array.isArray(json))
    for (const operand of (json as readonly MathJson[]).slice(1)) variablesOf(operand, names);
  return names;
}

/** Whether it contains an inexact number. */
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

/** Letters that stand for functions where a bracket follows: f(x) is not f · x. */
export const FUNCTION_NAMES = /^[fghFGHPQTWφϕ](?:_\w+)?$/;

const CONSTANTS = new Set(
  'Pi ExponentialE e i ImaginaryUnit PositiveInfinity NegativeInfinity ComplexInfinity'.split(' '),
);
export const isConstant = (name: string): boolean => CONSTANTS.has(name);

/** 2\frac{1}{2} and 2 1/2: a whole number before a proper fraction is added to it, with its sign. */
export function mixedNumber(json: readonly MathJson[]): MathJson | null {
  const [head, whole, part, ...rest] = json;
  if (head !== 'InvisibleOperator' || rest.length > 0 || !Array.isArray(part) || part[0] !== 'Divide') return null;
  const [, top, bottom] = part as readonly MathJson[];
  if (typeof top !== 'number' || typeof bottom !== 'number' || !(top > 0 && top < bottom)) return null;
  if (typeof whole === 'number' && Number.isInteger(whole)) return ['Add', whole, part];
  if (Array.isArray(whole) && whole[0] === 'Negate' && typeof whole[1] === 'number')
    return ['Negate', ['Add', whole[1], part]];
  return null;
}
