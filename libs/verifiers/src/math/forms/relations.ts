/** Answers that say how things relate: equations, inequalities, memberships, congruences. */
import { splitTopLevel } from '../scan.js';
import { type Comparison, type Form, MAX_PARTS, type Readings, type Scope } from './form.js';
import { leafReadings } from './leaves.js';
import { isName, nameOf } from './names.js';

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  '=': '=',
  '<': '<',
  '>': '>',
  '\\le': '≤',
  '\\ge': '≥',
  '\\ne': '≠',
  '\\equiv': '=',
};

export function relationReadings(text: string, scope: Scope): Readings | null {
  // What an approximation follows is what is meant: 1/3 ≈ 0.33.
  const approximate = splitTopLevel(text, (token) => token === '\\approx' || token === '\\sim');
  if (approximate.parts.length > 1) {
    const [first, ...rest] = approximate.parts;
    const exact = splitTopLevel(first!, (token) => token === '=');
    if (exact.parts.length > 1) return scope.read(first!);
    if (isName(first!.trim())) return scope.read(rest[0]!);
    return approximate.separators.every((sign) => sign === '\\approx') && !scope.rules.agree(first!, rest[0]!, true)
      ? []
      : scope.read(first!);
  }
  const member = splitTopLevel(text, (token) => token === '\\in');
  if (member.parts.length === 2) return scope.read(member.parts[1]!);
  const { parts, separators } = splitTopLevel(text, (token) => token in COMPARISONS);
  if (parts.length < 2) return null;
  const sides = parts.map((part) => part.trim());
  const ops = separators.map((separator) => COMPARISONS[separator]!);
  if (ops.every((op) => op === '=')) {
    // 43 = 42 is no answer; of x = 43 = 42 the last link is.
    const isTrue =
      isName(sides[0]!) || sides.every((side, i) => i === 0 || scope.rules.agree(sides[i - 1]!, side, false));
    if (!isTrue)
      return [{ kind: 'relation', sides: sides.map((side) => leafReadings(side, scope)), latex: sides, ops }];
    if (sides.length > 2)
      return isName(sides[0]!)
        ? [{ kind: 'named', name: nameOf(sides[0]!), value: scope.read(sides.at(-1)!) }]
        : scope.read(sides.at(-1)!);
    const [left, right] = sides as [string, string];
    const relation: Form = {
      kind: 'relation',
      sides: sides.map((side) => leafReadings(side, scope)),
      latex: sides,
      ops,
    };
    if (isName(left)) return [{ kind: 'named', name: nameOf(left), value: scope.read(right) }, relation];
    if (isName(right) && !/[a-zA-Z]/.test(left))
      return [{ kind: 'named', name: nameOf(right), value: scope.read(left) }, relation];
    // 5 + 6 = 11: a calculation with its result. 1 = 1 calculates nothing.
    const hasLetters = /[a-zA-Z]/.test(`${left} ${right}`.replaceAll(/\\[a-zA-Z]+/g, ''));
    return hasLetters || left.replaceAll(/\s/g, '') === right.replaceAll(/\s/g, '')
      ? [relation]
      : [...scope.read(right), relation];
  }
  return [{ kind: 'relation', sides: sides.map((side) => leafReadings(side, scope)), latex: sides, ops }];
}

const MODULUS =
  /(?:\\pmod\s*(?:\{([^{}]*)\}|(\w))|\(\s*(?:\\[bp]?mod|\\text\{\s*mod\s*\}|mod)(?![a-zA-Z])\s*([^()]*)\))$/;
const BARE_MODULUS = /\\[bp]?mod(?![a-zA-Z])\s*(?:\{([^{}]*)\}|(\w+))$/;

/** x ≡ 1, 3 (mod 8), also without what is congruent. Several moduli are a list of congruences. */
export function congruenceReading(text: string): Form | null {
  if (!text.includes('mod')) return null;
  const sides = splitTopLevel(text, (token) => token === '\\equiv').parts;
  const found = MODULUS.exec(text) ?? (sides.length === 2 ? BARE_MODULUS.exec(text) : null);
  if (found === null || sides.length > 2 || (text.match(/\\?[bp]?mod(?![a-zA-Z])/g) ?? []).length > 1) return null;
  const modulus = (found[1] ?? found[2] ?? found[3] ?? '').trim();
  const residue = text.slice(sides.length === 2 ? sides[0]!.length + '\\equiv'.length : 0, found.index);
  const residues = residue
    .split(/,|\\text\{\s*(?:and|or)\s*\}|(?<![a-zA-Z\\])(?:and|or)(?![a-zA-Z])/)
    .map((each) => each.trim());
  if (modulus === '' || residues.length > MAX_PARTS || residues.some((each) => each === '')) return null;
  return { kind: 'congruence', left: sides.length === 2 ? sides[0]!.trim() : null, residues, modulus };
}
