/**
 * What kind of thing an answer is: a number or expression, words, a list, a tuple or interval, a set, a relation, a value with a name.
 * A text may be read in several ways (1,234 is a number or a list of two); each reading is a {@link Form}.
 */

import { TooCostly } from './meter.js';
import { plainNotation } from './notation.js';
import { bracketed, splitTopLevel, topLevel } from './scan.js';

export type Form =
  | { readonly kind: 'expression'; readonly latex: string }
  | { readonly kind: 'percent'; readonly latex: string }
  | { readonly kind: 'words'; readonly words: string }
  /** Parts without an order: what commas, "and", "or" or a set's braces hold together. */
  | { readonly kind: 'list'; readonly parts: readonly Readings[]; readonly by: 'comma' | 'and' | 'or' | 'braces' }
  /** Parts in an order within brackets; of two parts it may be an interval. */
  | {
      readonly kind: 'tuple';
      readonly parts: readonly Readings[];
      readonly open: string;
      readonly close: string;
      readonly shape?: 'row' | 'column';
    }
  /** `op` is ∪, ∩ or ∖. */
  | { readonly kind: 'setOperation'; readonly op: SetOperator; readonly parts: readonly Readings[] }
  /** latexs[0] ops[0] latexs[1] ops[1] … */
  | {
      readonly kind: 'relation';
      readonly sides: readonly Readings[];
      readonly latex: readonly string[];
      readonly ops: readonly Comparison[];
    }
  /** x = 3, f(x) = 3, (p, q) = (3, 2): what it is called matters less than what it is. */
  | { readonly kind: 'named'; readonly name: string; readonly value: Readings }
  /** left ≡ residues (mod modulus); null where nothing stands before the sign, or no sign. */
  | {
      readonly kind: 'congruence';
      readonly left: string | null;
      readonly residues: readonly string[];
      readonly modulus: string;
    }
  /** 3:10 may be a time of day, which only equals itself. */
  | { readonly kind: 'ratio'; readonly parts: readonly string[]; readonly isClock: boolean };

export type Readings = readonly Form[];
export type Comparison = '=' | '<' | '>' | '≤' | '≥' | '≠';
type SetOperator = 'union' | 'intersection' | 'difference';

const MAX_DEPTH = 12;
/** Texts that one answer is taken apart into. An honest one has some dozens. */
const MAX_READ = 5000;
const MAX_PARTS = 64;

const CHOICE =
  /^\s*(?:\\(?:text|textbf|mathrm|mathbf|textrm|bf)\s*\{\s*)?\(?([A-J])(?:\)|\.|:)\s*\}?(?:\s|~|\\[ ,;:]|\\q?quad)+\S/;

/** What a reading asks about numbers. */
export interface ReadingRules {
  /** Whether the sides of "a = b" or "a ≈ b" can both be meant; asked of sides without variables. */
  readonly agree: (left: string, right: string, isApproximate: boolean) => boolean;
}

/** How deep a reading is, and how much it has read. */
interface Scope {
  readonly depth: number;
  readonly rules: ReadingRules;
  readonly count: { read: number };
}

function deeper({ depth, rules, count }: Scope): Scope {
  count.read++;
  if (count.read > MAX_READ) throw new TooCostly('an answer of more parts than are read');
  return { depth: depth + 1, rules, count };
}

/**
 * Every reading of a text as an answer, the likeliest first. Empty for a text without content or of more than 64 parts.
 * @throws TooCostly
 */
export function readAnswer(text: string, rules: ReadingRules): Readings {
  // "C. x = 42" and "(C) 42" are choices with their wording.
  const choice = CHOICE.exec(text)?.[1];
  const readings = read(plainNotation(text), { depth: 0, rules, count: { read: 0 } });
  return choice === undefined
    ? readings
    : [...readings, { kind: 'words', words: choice }, { kind: 'expression', latex: choice }];
}

const CONCLUDES = new Set(['\\Rightarrow', '\\Leftrightarrow', '\\therefore']);
/** A relation or a number: without either, connectives join propositions, and which they are is what the text says. */
const SAYS_MORE = /[=<>\d]|\\(?:le|ge|ne|in|approx|equiv|text)(?![a-zA-Z])/;

function read(given: string, scope: Scope): Readings {
  const text = trimmed(given);
  if (text === '' || scope.depth > MAX_DEPTH) return [];
  const inner = deeper(scope);

  const concluded = splitTopLevel(text, (token) => CONCLUDES.has(token));
  if (concluded.parts.length > 1 && SAYS_MORE.test(text)) return read(concluded.parts.at(-1)!, inner);

  const general = QUALIFIER.exec(text);
  if (general !== null && general.index > 0 && !isName(text.slice(0, general.index).trim()))
    return read(text.slice(0, general.index), inner);

  const unqualified = withoutQualifier(text);
  if (unqualified !== text) return read(unqualified, inner);

  const congruence = congruenceReading(text);
  if (congruence !== null) return [congruence];

  const numbers = numberReadings(text);
  const list = listReading(text, inner);
  if (list !== null || numbers.length > 0) {
    const words = isPlainWords(text) ? [wordsOf(text)] : [];
    return [...numbers, ...(list === null ? [] : [list]), ...words];
  }

  // \text{2 and 3}, "the value is 3": what is said is within.
  const said = saidWithin(text);
  if (said !== null) return [...read(said, inner), ...leafReadings(text, inner)];

  const relation = relationReadings(text, inner);
  if (relation !== null) return relation;

  const set = setOperationReading(text, inner);
  if (set !== null) return [set];

  const interval = frenchInterval(text, inner) ?? mixedBrackets(text, inner);
  if (interval !== null) return [interval];

  const bracket = bracketed(text);
  if (bracket !== null) {
    const reading = bracketReadings(bracket, inner);
    if (reading !== null) return reading;
  }
  return leafReadings(text, inner);
}

const KIND =
  '(?:(?:real|integer|natural|positive|negative|non-?negative|whole|rational|complex|arbitrary) )*(?:numbers?|integers?|constants?|reals?)';
const QUALIFIERS: readonly RegExp[] = [
  new RegExp(`[,;]? ?(?:(?:for|where|with) )?(?:(?:all|any|every|some|each|an?|arbitrary) )+${KIND} [a-zA-Z]$`),
  new RegExp(`[,;]? ?(?:for|where|with) [a-zA-Z] (?:is|being) (?:(?:any|an?|some|arbitrary) )*${KIND}$`),
  /[,;]? ?(?:for|where|with) (?:(?:all|any|every|some) )?[a-zA-Z] ?\\in ?\\(?:mathbb ?\{ ?[ZNQR] ?\}|[ZNQR])$/,
];

/** The text without a phrase at its end that says of what kind a letter is: "for all real numbers t", "any integer n", "where k is an integer". */
export function withoutQualifier(text: string): string {
  const tail = text.slice(-120);
  const plain = tail
    .replaceAll(/\\text\{([^{}]*)\}/g, ' $1 ')
    .replaceAll(/[$ ]+/g, ' ')
    .replace(/[ .)]+$/, '');
  for (const qualifier of QUALIFIERS) {
    const found = qualifier.exec(plain);
    if (found === null || found.index === 0) continue;
    const head = `${text.slice(0, -120)}${plain.slice(0, found.index)}`.trim();
    // What is left must stand for itself: brackets that were cut in two do not.
    if (head !== '' && !isName(head) && isBalanced(head)) return head;
  }
  return text;
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const bracket of text) {
    if ('([{'.includes(bracket)) depth++;
    else if (')]}'.includes(bracket)) depth--;
  }
  return depth === 0;
}

const MODULUS =
  /(?:\\pmod\s*(?:\{([^{}]*)\}|(\w))|\(\s*(?:\\[bp]?mod|\\text\{\s*mod\s*\}|mod)(?![a-zA-Z])\s*([^()]*)\))$/;
const BARE_MODULUS = /\\[bp]?mod(?![a-zA-Z])\s*(?:\{([^{}]*)\}|(\w+))$/;

/** x ≡ 1, 3 (mod 8), also without what is congruent. Several moduli are a list of congruences. */
function congruenceReading(text: string): Form | null {
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

/** "…, k ∈ ℤ" says of what kind a letter of the answer is. */
const QUALIFIER =
  /(?:,\s*|\(\s*|\\text\{\s*,?\s*(?:for|where|with)[a-z\s]*\}\s*|(?:,\s*)?\b(?:for|where|with)(?:\s+(?:all|any|some|every))?\s+)(?:\\forall\s*)?[a-zA-Z]\s*\\in\s*\\mathbb\{[ZNQ]\}(?:\s*[\^_]\s*\{?[+*\d]\}?)?\s*\)?$/;

const SENTENCE =
  /^(?=[^\\=<>]*[a-zA-Z]{2})[a-zA-Z][a-zA-Z\s,'()-]*?\b(?:is|are|equals|equal to)(?![a-zA-Z])[:\s]*(?!not?\b)(\S.*)$/s;

function saidWithin(text: string): string | null {
  const quoted = /^\\text\{([^{}]*)\}$/.exec(text)?.[1];
  if (quoted !== undefined) return /[,;=\d]|\b(?:and|or|is|are)\b/.test(quoted) ? plainNotation(quoted) : null;
  const unwrapped = text.replace(/^\\text\{([^{}]*)\}/, '$1 ');
  return SENTENCE.exec(unwrapped)?.[1] ?? null;
}

/** Without what ends a sentence, braces that only group, and a leading "about". */
function trimmed(given: string): string {
  let text = given.trim();
  for (;;) {
    const before = text;
    text = text
      .replace(/(?:\\\\|\\)$/, '')
      .replace(/[.;:]+$/, (end) => (end.endsWith('...') ? end : ''))
      .replace(/^(?:\\approx|=|≈|~|:|,)\s*/, '')
      .replace(/[,\s]+$/, '')
      .trim();
    const bracket = bracketed(text);
    if (bracket?.open === '{') text = bracket.inner.trim();
    if (text === before) return text;
  }
}

const GROUPED = /^-?\s?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?/;

/** 1,234 and 12,50 as numbers; with any other comma the text is a list. */
function numberReadings(text: string): Form[] {
  const plain = stripUnit(text).text;
  const isPercent = /%$|percent/.test(text);
  const kind = isPercent ? ('percent' as const) : ('expression' as const);
  const grouped = GROUPED.exec(plain)?.[0];
  if (grouped === plain) return [{ kind, latex: plain.replaceAll(/[,\s]/g, '') }];
  // A decimal comma, where it cannot be one of thousands: 12,50 and 0,125 and 3,1416.
  if (/^-?(?:\d+,\d\d|0,\d+|\d+,\d{4,})$/.test(plain)) return [{ kind, latex: plain.replace(',', '.') }];
  return [];
}

const WORD_AND = /^(?:and|or)$/;

function listReading(text: string, scope: Scope): Form | null {
  // "and", "or" between things, also glued to them: (1,2)or(2,1).
  const connected = SAYS_MORE.test(text)
    ? text
        .replaceAll(/\\(?:land|wedge)(?![a-zA-Z])/g, ' \u0001and ')
        .replaceAll(/\\(?:lor|vee)(?![a-zA-Z])/g, ' \u0001or ')
    : text;
  const spaced = connected
    .replaceAll(/\\text\{\s*(?:,\s*)?(and|or)\s*(?:,\s*)?\}/g, ' \u0001$1 ')
    .replaceAll(/\\text\{\s*,\s*\}/g, ' , ')
    .replaceAll(/(?<![a-zA-Z\\\u0001])(and|or)(?![a-z])/g, ' \u0001$1 ');
  const byWord = splitByWord(spaced);
  const outer = splitTopLevel(spaced, (token) => token === ';');
  const groups = byWord.parts.length > 1 ? byWord.parts : outer.parts;
  if (groups.length > 1) {
    // "p=5, q=2; p=7, q=2": within parts that are kept apart by a stronger sign, commas make tuples of named values.
    const named = groups.map((group) => commaParts(group));
    const areTuples = named.every(
      (parts) => parts.length > 1 && parts.length === named[0]!.length && parts.every((each) => each.includes('=')),
    );
    if (areTuples) {
      const parts = named.map(
        (each): Readings => [{ kind: 'tuple', parts: each.map((part) => read(part, scope)), open: '(', close: ')' }],
      );
      return { kind: 'list', parts, by: 'or' };
    }
  }
  const parts = groups
    .flatMap((group) => outerSplit(group))
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const isSplit = groups.length > 1 || parts.length > 1;
  if (!isSplit || parts.length > MAX_PARTS) return null;
  if (parts.length === 1) return null;
  const by = byWord.separators.includes('or') ? 'or' : byWord.parts.length > 1 ? 'and' : 'comma';
  return { kind: 'list', parts: flattened(parts.map((part) => read(part, scope))), by };
}

/** 0, ±2 are three. */
function flattened(parts: readonly Readings[]): Readings[] {
  return parts.flatMap((part) => {
    const [first] = part[0]?.kind === 'named' ? part[0].value : part;
    return first?.kind === 'list' && first.by === 'or' ? [...first.parts] : [part];
  });
}

function outerSplit(group: string): string[] {
  return splitTopLevel(group, (token) => token === ';').parts.flatMap(commaParts);
}

/** Splits at commas, but not inside 1,234 where the groups of digits say that it is one number among others: "1,234, 5,678". */
function commaParts(text: string): string[] {
  const hasSpaced = /\d, /.test(text);
  const { parts } = splitTopLevel(text, (token, at) => {
    if (token !== ',' && token !== '\n') return false;
    const isGrouping = hasSpaced && /\d$/.test(text.slice(0, at)) && /^,\d{3}(?!\d)/.test(text.slice(at));
    return !isGrouping;
  });
  return parts.map((part) => (GROUPED.exec(part.trim())?.[0] === part.trim() ? part.replaceAll(',', '') : part));
}

function splitByWord(text: string): { readonly parts: readonly string[]; readonly separators: readonly string[] } {
  const parts: string[] = [];
  const separators: string[] = [];
  let from = 0;
  for (const { text: token, at } of topLevel(text)) {
    if (token !== '\u0001') continue;
    const word = /^(?:and|or)/.exec(text.slice(at + 1))?.[0] ?? '';
    if (!WORD_AND.test(word)) continue;
    parts.push(text.slice(from, at));
    separators.push(word);
    from = at + 1 + word.length;
  }
  parts.push(text.slice(from));
  return { parts, separators };
}

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  '=': '=',
  '<': '<',
  '>': '>',
  '\\le': '≤',
  '\\ge': '≥',
  '\\ne': '≠',
  '\\equiv': '=',
};

function relationReadings(text: string, scope: Scope): Readings | null {
  // What an approximation follows is what is meant: 1/3 ≈ 0.33.
  const approximate = splitTopLevel(text, (token) => token === '\\approx' || token === '\\sim');
  if (approximate.parts.length > 1) {
    const [first, ...rest] = approximate.parts;
    const exact = splitTopLevel(first!, (token) => token === '=');
    if (exact.parts.length > 1) return read(first!, scope);
    if (isName(first!.trim())) return read(rest[0]!, scope);
    return approximate.separators.every((sign) => sign === '\\approx') && !scope.rules.agree(first!, rest[0]!, true)
      ? []
      : read(first!, scope);
  }
  const member = splitTopLevel(text, (token) => token === '\\in');
  if (member.parts.length === 2) return read(member.parts[1]!, scope);
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
        ? [{ kind: 'named', name: nameOf(sides[0]!), value: read(sides.at(-1)!, scope) }]
        : read(sides.at(-1)!, scope);
    const [left, right] = sides as [string, string];
    const relation: Form = {
      kind: 'relation',
      sides: sides.map((side) => leafReadings(side, scope)),
      latex: sides,
      ops,
    };
    if (isName(left)) return [{ kind: 'named', name: nameOf(left), value: read(right, scope) }, relation];
    if (isName(right) && !/[a-zA-Z]/.test(left))
      return [{ kind: 'named', name: nameOf(right), value: read(left, scope) }, relation];
    // 5 + 6 = 11: a calculation with its result. 1 = 1 calculates nothing.
    const hasLetters = /[a-zA-Z]/.test(`${left} ${right}`.replaceAll(/\\[a-zA-Z]+/g, ''));
    return hasLetters || left.replaceAll(/\s/g, '') === right.replaceAll(/\s/g, '')
      ? [relation]
      : [...read(right, scope), relation];
  }
  return [{ kind: 'relation', sides: sides.map((side) => leafReadings(side, scope)), latex: sides, ops }];
}

/** A symbol, a function's value, a tuple of symbols, points and figures (AB, |AB|, \angle ABC, NO/BO, S_{ABC}:S), or words. */
function isName(text: string): boolean {
  const plain = text.replaceAll(/\\text\{[^{}]*\}/g, 'T').replaceAll(/[\s{}]|\\operatorname/g, '');
  if (/^\((?:[a-zA-Z](?:_\w+)?,)+[a-zA-Z](?:_\w+)?\)$/.test(plain)) return true;
  const symbol = /^\\?[a-zA-Z]+'*(?:_\(?[\w+\-]+\)?)?$/;
  if (/^[a-zA-Z]'*(?:_\w+)?(?:\^-1|'+)?\([\w,+\-\\]*\)$/.test(plain)) return true;
  if (/^[a-zA-Z]'*(?:_[\w+\-]+)?$|^\\[a-zA-Z]+(?:_\w+)?$/.test(plain)) return !/^\\(?:pi|infty)$/.test(plain);
  const figure = plain.replaceAll(
    /\\(?:frac|angle|triangle|overline|overrightarrow|vec|operatorname|left|right|widehat|hat|square|odot|parallel)/g,
    '',
  );
  if (figure.split(/[:/]/).every(isFigure)) return true;
  return (
    /^[a-zA-Z]{2,}$/.test(plain) && symbol.test(plain) && !plain.includes('\\') && /[A-Z]{2,}|[a-z]{3,}/.test(plain)
  );
}

/** AB, |AB|, S_{ABC}, A'B', without braces. */
function isFigure(text: string): boolean {
  const points = text.split('|').filter((part) => part !== '');
  return points.length > 0 && points.every((part) => /^[A-Z][A-Z']*(?:_\w[\w']*)?$/.test(part));
}

function nameOf(text: string): string {
  return text.replaceAll(/[\s{}]/g, '');
}

function setOperationReading(text: string, scope: Scope): Form | null {
  for (const [token, op] of [
    ['\\cup', 'union'],
    ['\\setminus', 'difference'],
    ['\\cap', 'intersection'],
  ] as const) {
    const { parts } = splitTopLevel(text, (each) => each === token);
    if (parts.length > 1) return { kind: 'setOperation', op, parts: parts.map((part) => read(asSet(part), scope)) };
  }
  const minus = /^(\\mathbb\{R\})\s*-\s*(\\\{.*\\\})$/.exec(text);
  if (minus !== null)
    return { kind: 'setOperation', op: 'difference', parts: [read(minus[1]!, scope), read(minus[2]!, scope)] };
  return null;
}

/** {1, 2} between the operators of sets is the set \{1, 2\}. */
function asSet(text: string): string {
  const bracket = bracketed(text.trim());
  return bracket?.open === '{' ? `\\{${bracket.inner}\\}` : text;
}

/** ]1, 2[ */
function frenchInterval(text: string, scope: Scope): Form | null {
  const found = /^([\][])([^[\]()]*)([\][])$/.exec(text);
  if (found === null || (found[1] === '[' && found[3] === ']')) return null;
  const parts = found[2]!.split(/[,;]/);
  if (parts.length !== 2) return null;
  return {
    kind: 'tuple',
    parts: parts.map((part) => read(part, scope)),
    open: found[1] === ']' ? '(' : '[',
    close: found[3] === '[' ? ')' : ']',
  };
}

/** [1, 2) : its brackets do not pair. */
function mixedBrackets(text: string, scope: Scope): Form | null {
  const found = /^([[(])([\s\S]*)([\])])$/.exec(text);
  if (found === null) return null;
  const bracket = bracketed(text);
  if (bracket === null) return null;
  const pairs = bracket.open + bracket.close;
  if (pairs !== '[)' && pairs !== '(]') return null;
  const parts = splitTopLevel(bracket.inner, (token) => token === ',' || token === ';').parts;
  if (parts.length !== 2) return null;
  return { kind: 'tuple', parts: parts.map((part) => read(part, scope)), open: bracket.open, close: bracket.close };
}

const MATRIX = /^\\begin\{([pbBvV]?matrix|smallmatrix|array|cases)\*?\}/;

const vector = (parts: readonly Readings[], shape: 'row' | 'column'): Form => ({
  kind: 'tuple',
  parts,
  open: '<',
  close: '>',
  shape,
});

/** A matrix between `\begin` and `\end`; one with a single row or column is a vector. */
function environmentReadings(open: string, inner: string, scope: Scope): Readings | null {
  const environment = /\{([a-zA-Z]+)\*?\}/.exec(open)?.[1] ?? '';
  if (!/^(?:[pbB]?matrix|smallmatrix|array)$/.test(environment)) return null;
  const rows = inner
    .replace(/^\s*(?:\[[^\]]*\])?\s*\{[lcr|\s]*\}/, '')
    .replaceAll(/\\hline/g, '')
    .split(/\\\\(?:\[[^\]]*\])?/)
    .map((row) => row.trim())
    .filter((row) => row !== '')
    .map((row) => splitTopLevel(row, (token) => token === '&').parts);
  if (rows.length === 0 || rows.length > MAX_PARTS) return null;
  const isVector = rows.every((row) => row.length === 1);
  if (isVector)
    return [
      vector(
        rows.map((row) => read(row[0]!, scope)),
        'column',
      ),
    ];
  if (rows.length === 1)
    return [
      vector(
        rows[0]!.map((cell) => read(cell, scope)),
        'row',
      ),
    ];
  return [
    {
      kind: 'tuple',
      open: 'matrix',
      close: 'matrix',
      parts: rows.map(
        (row): Readings => [
          vector(
            row.map((cell) => read(cell, scope)),
            'row',
          ),
        ],
      ),
    },
  ];
}

function bracketReadings(
  bracket: { readonly open: string; readonly inner: string; readonly close: string },
  scope: Scope,
): Readings | null {
  const { open, inner, close } = bracket;
  if (open.startsWith('\\begin')) return environmentReadings(open, inner, scope);
  if (/^\\[lr]?(?:floor|ceil)/.test(open) || open === '\\lfloor' || open === '\\lceil') return null;
  if (MATRIX.test(inner.trim()) && bracketed(inner.trim()) !== null) return read(inner, scope);
  const parts = splitTopLevel(inner, (token) => token === ',' || token === ';').parts.map((part) => part.trim());
  if (open === '\\{') {
    const builder = splitTopLevel(inner, (token) => token === '\\mid' || token === '|' || token === ':');
    if (builder.parts.length === 2) return read(builder.parts[1]!, scope);
    const members = outerSplit(inner)
      .map((part) => part.trim())
      .filter((part) => part !== '');
    return members.length > MAX_PARTS
      ? null
      : [{ kind: 'list', parts: flattened(members.map((part) => read(part, scope))), by: 'braces' }];
  }
  if (parts.length > MAX_PARTS) return null;
  if (parts.length === 1) {
    // (C) and (9+1): brackets around one thing say nothing, unless it is followed by more.
    if (open === '(' || open === '[') return read(inner, scope);
    return null;
  }
  const rows = open === '[' ? rowsOf(parts) : null;
  if (rows !== null) {
    const row = (cells: readonly string[]): Form =>
      vector(
        cells.map((cell) => read(cell, scope)),
        'row',
      );
    return [{ kind: 'tuple', open: 'matrix', close: 'matrix', parts: rows.map((cells): Readings => [row(cells)]) }];
  }
  const style = open === '\\langle' ? ['<', '>'] : [open, close];
  const tuple: Form = {
    kind: 'tuple',
    parts: parts.map((part) => read(part, scope)),
    open: style[0]!,
    close: style[1]!,
  };
  return [tuple];
}

/** The rows of a matrix as programs print it, [[1, 2], [3, 4]]; null where the parts are no rows of one length. */
function rowsOf(parts: readonly string[]): readonly (readonly string[])[] | null {
  const rows: (readonly string[])[] = [];
  for (const part of parts) {
    const row = bracketed(part);
    if (row?.open !== '[' || row.close !== ']') return null;
    rows.push(splitTopLevel(row.inner, (token) => token === ',' || token === ';').parts);
  }
  return rows.every((row) => row.length === rows[0]!.length) ? rows : null;
}

function leafReadings(given: string, scope: Scope): Readings {
  const text = given.trim();
  const plus = plusMinusReading(text, scope);
  if (plus !== null) return [plus];
  const ratio = splitTopLevel(text, (token) => token === ':' || token === '\\colon');
  if (ratio.parts.length > 1 && ratio.parts.every((part) => part.trim() !== '')) {
    const isClock = /^(?:[01]?\d|2[0-4])(?::[0-5]\d){1,2}\s*(?:[ap]\.?m\.?)?$/i.test(
      text.replaceAll(/\\text\{|\}/g, ''),
    );
    const reading: Form = { kind: 'ratio', parts: ratio.parts.map((part) => part.trim()), isClock };
    return isClock ? [wordsOf(text), reading] : [reading];
  }
  if (isPlainWords(text)) {
    const words = wordsOf(text);
    const bare = unwrapText(text).trim();
    const set = SETS_IN_WORDS.find(([wording]) => wording.test(bare))?.[1];
    if (set !== undefined) return [words, { kind: 'expression', latex: set }];
    // One letter may be a variable as well as a choice; a longer word may be a product.
    return bare.length === 1 || (!text.includes('\\text') && /^[a-zA-Z]{2,4}$/.test(bare))
      ? [{ kind: 'expression', latex: bare }, words]
      : [words];
  }
  const { text: bare, isPercent } = stripUnit(text);
  const readings: Form[] = [];
  if (isPercent) readings.push({ kind: 'percent', latex: bare });
  else {
    if (bare !== '' && bare !== text)
      readings.push(...(numberReadings(bare).length > 0 ? numberReadings(bare) : read(bare, scope)));
    readings.push({ kind: 'expression', latex: text });
  }
  if (text.includes('\\text{')) readings.push(wordsOf(text));
  return readings;
}

/** 3 ± 2 is a list of two; the sign below it goes the other way. */
function plusMinusReading(text: string, scope: Scope): Form | null {
  if (!/\\[pm][pm](?![a-zA-Z])/.test(text)) return null;
  const withSigns = (upper: string, lower: string): string =>
    text
      .replaceAll(/\\pm(?![a-zA-Z])/g, upper)
      .replaceAll(/\\mp(?![a-zA-Z])/g, lower)
      .replace(/^\s*\+/, '');
  return { kind: 'list', parts: [read(withSigns('+', '-'), scope), read(withSigns('-', '+'), scope)], by: 'or' };
}

const SETS_IN_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^(?:all|the|any)?\s*(?:set of\s*)?(?:all\s*)?reals?(?:\s+numbers?)?$/i, '\\mathbb{R}'],
  [/^(?:there (?:is|are) )?no(?: real)? solutions?$|^(?:the )?empty set$/i, '\\emptyset'],
];

const UNIT_WORD = '[a-zA-Zµ]+\\.?(?:\\s*\\^\\s*\\{?-?\\d\\}?)?';
const TEXT_UNIT =
  /\s*\\text\{[^{}]*\}(?:\s*\^\s*\{?-?\d\}?)?(?:\s*(?:(?:\/|\\cdot)\s*)?\\text\{[^{}]*\}(?:\s*\^\s*\{?-?\d\}?)?)*$/;
const PLAIN_UNIT = new RegExp(`(?<=[\\d)}%])\\s+${UNIT_WORD}(?:(?:\\s+|\\s*\\/\\s*)${UNIT_WORD})*$`);
const GLUED_UNIT = /(?<=\d)\s*(?:cm|mm|km|kg|mg|ml|mL|ft|in|mph|hrs?|min|sec|USD|EUR|usd|deg)(?:\s*\^\s*\{?[23]\}?)?$/;

/** The text without the unit after it; a percent sign is reported, degrees are dropped. */
function stripUnit(given: string): { readonly text: string; readonly isPercent: boolean } {
  let text = given.trim().replace(/\s*\\degrees$/, '');
  let isPercent = false;
  const percent =
    /\s*(?:%|(?:\\text\{\s*)?(?:percent(?:age)?|pct)(?:\s*\})?)(?:\s*\\?text\{[^{}]*\}|\s+[a-z ]+)?$/i.exec(text);
  if (percent !== null && percent.index > 0) {
    isPercent = true;
    text = text.slice(0, percent.index);
  }
  for (const unit of [TEXT_UNIT, PLAIN_UNIT, GLUED_UNIT]) {
    const found = unit.exec(text);
    if (found === null || found.index === 0 || isHedge(found[0]) || !/[\d)}\]a-zA-Z]$/.test(text.slice(0, found.index)))
      continue;
    if (
      unit === PLAIN_UNIT &&
      !/[a-zA-Z]{2,}/.test(found[0]) &&
      !/^\s+[mgsLhVWNJKA](?:\s*\/\s*[smh](?:\s*\^\s*\{?\d\}?)?)?$/.test(found[0])
    )
      continue;
    text = text.slice(0, found.index);
    break;
  }
  return { text: text.trim(), isPercent };
}

const HEDGE =
  /(?<![a-z])(?:or|versus|vs|if|when|unless|otherwise|else|alternatively|instead|possibly|probably|perhaps|maybe|not|never|wrong|incorrect|false|except|but|either|rather|at most|at least|dozens?|hundreds?|thousands?|(?:m|b|tr)illions?|zero|one|two|three|four|five|six|seven|eight|nine|ten)(?![a-z])/i;

/** What makes another number of the one before it. */
const CHANGES = /^(?:and )?(?:an? )?(?:half|squared|cubed|more than|less than|fewer than)(?![a-z-])/i;

/** What follows a number and says more than its unit: another number, a condition, a doubt. */
export function isHedge(words: string): boolean {
  const plain = unwrapText(words.replaceAll(/\^\s*\{?-?\d\}?/g, '')).trim();
  if (HEDGE.test(plain) || CHANGES.test(plain)) return true;
  // "kg m -3" has digits too, of short units and their exponents.
  return /\d/.test(plain) && !plain.split(/[\s/.]+/).every((word) => /^(?:[a-zA-Zµ]{1,4}(?:-?\d)?|-?\d|)$/.test(word));
}

function unwrapText(text: string): string {
  return text.replaceAll(/\\text\{([^{}]*)\}/g, '$1');
}

function isPlainWords(text: string): boolean {
  const bare = unwrapText(text).trim();
  if (!/[a-zA-Z]/.test(bare)) return false;
  if (/^[a-zA-Z]$/.test(bare)) return true;
  if (/[\\^_=<>+*/|&]|\d/.test(text.includes('\\text') ? text.replaceAll(/\\text\{[^{}]*\}/g, '') : bare)) return false;
  const outside = text.replaceAll(/\\text\{[^{}]*\}/g, ' ').trim();
  if (outside === '' || /^[\s.,()'-]*$/.test(outside)) return true;
  return /^[\p{L}\s.,'()!?-]+$/u.test(bare) && /\p{L}{2,}/u.test(bare);
}

/**
 * Words in one spelling. A capital that begins a word says nothing, but C is not c, and AB not ab: letters that stand for something keep
 * their case, and so do abbreviations.
 */
export function spelled(words: string): string {
  const plain = words
    .replaceAll(/(?<=\d)\s+(?=\d)/g, '\u0001')
    // A sign, a decimal point and the groups of a number are no punctuation.
    .replaceAll(/[\\{}\s()'"!?_]|(?<!\d)[.,]|[.,](?!\d)|-(?!\s*[\d.])|degrees(?=\W|$)/g, '');
  const isSymbol = /^[a-zA-Z]$|^[A-Z]{2,3}$/.test(plain) && !/^(?:YES|NO)$/.test(plain);
  return isSymbol ? plain : plain.toLowerCase();
}

function wordsOf(text: string): Form {
  return { kind: 'words', words: spelled(unwrapText(text)) };
}
