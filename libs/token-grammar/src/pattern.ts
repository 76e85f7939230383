/**
 * A regular expression as JSON Schema means it (ECMA-262, found anywhere in the text unless anchored), as an automaton over code
 * points. Parsed by regexpp; made deterministic by the subset construction, one state at a time as it is asked for.
 */
import { type AST, RegExpParser } from '@eslint-community/regexpp';

/** A set of texts as a deterministic automaton over code points. Nowhere is −1. */
export interface Language {
  readonly start: number;
  /** Where a code point may behave otherwise than the one before it, ascending. */
  readonly bounds: readonly number[];
  next(state: number, codePoint: number): number;
  accepts(state: number): boolean;
}

type Range = readonly [first: number, last: number];

interface Node {
  readonly moves: { readonly ranges: readonly Range[]; readonly to: number }[];
  readonly empty: number[];
  /** Taken only before the first character. */
  readonly atStart: number[];
  /** Taken only after the last character. */
  readonly atEnd: number[];
}

const LAST = 0x10ffff;
const ANY: readonly Range[] = [[0, LAST]];
/** Repetitions are written out; a pattern that becomes larger than this is refused. */
const MAX_NODES = 20_000;
const DIGITS: readonly Range[] = [[0x30, 0x39]];
const WORD: readonly Range[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
/** WhiteSpace and LineTerminator of ECMA-262. */
const SPACE: readonly Range[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const LINE_ENDS: readonly Range[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

/** What a pattern asks for that has no automaton. */
export class PatternProblem extends Error {}

/** @throws PatternProblem for look-around, word boundaries, back references, or what is no regular expression. */
export function patternLanguage(source: string): Language {
  let pattern: AST.Pattern;
  try {
    pattern = new RegExpParser({ ecmaVersion: 2025 }).parsePattern(source, 0, source.length, { unicode: true });
  } catch {
    try {
      // Needless escapes such as \- are faults under the flag u only.
      pattern = new RegExpParser({ ecmaVersion: 2025 }).parsePattern(source, 0, source.length, { unicode: false });
    } catch (error) {
      throw new PatternProblem(`${JSON.stringify(source)} is no regular expression (${String(error)})`);
    }
  }
  return new PatternAutomaton(pattern);
}

class PatternAutomaton implements Language {
  readonly bounds: readonly number[];
  readonly start: number;
  private readonly nodes: Node[] = [];
  private readonly final: number;
  private readonly states: (readonly number[])[] = [];
  private readonly indexOf = new Map<string, number>();
  private readonly steps: Map<number, number>[] = [];

  constructor(pattern: AST.Pattern) {
    const begin = this.node();
    this.final = this.node();
    this.nodes[begin]!.moves.push({ ranges: ANY, to: begin });
    this.nodes[this.final]!.moves.push({ ranges: ANY, to: this.final });
    for (const alternative of pattern.alternatives) this.sequence(alternative.elements, begin, this.final);
    const bounds = new Set([0]);
    for (const { moves } of this.nodes) {
      for (const { ranges } of moves) {
        for (const [first, last] of ranges) bounds.add(first).add(last + 1);
      }
    }
    this.bounds = [...bounds].filter((bound) => bound <= LAST).sort((a, b) => a - b);
    this.start = this.intern(this.closure([begin], true));
  }

  next(state: number, codePoint: number): number {
    const known = this.steps[state]!.get(codePoint);
    if (known !== undefined) return known;
    const reached = this.states[state]!.flatMap((at) =>
      at < 0 ? [] : this.nodes[at]!.moves.filter(({ ranges }) => contains(ranges, codePoint)).map(({ to }) => to),
    );
    const next = reached.length === 0 ? -1 : this.intern(this.closure(reached, false));
    this.steps[state]!.set(codePoint, next);
    return next;
  }

  accepts(state: number): boolean {
    return this.states[state]!.some((at) => at === this.final || at === -1 - this.final);
  }

  private intern(nodes: readonly number[]): number {
    const key = nodes.join();
    let index = this.indexOf.get(key);
    if (index === undefined) {
      index = this.states.push(nodes) - 1;
      this.steps.push(new Map());
      this.indexOf.set(key, index);
    }
    return index;
  }

  /** Nodes reached without a character. What lies behind an end of the text is written as −1 − node: it takes no more characters. */
  private closure(from: readonly number[], isStart: boolean): number[] {
    const found = new Set(from);
    for (const at of found) {
      const { empty, atStart, atEnd } = this.nodes[at < 0 ? -1 - at : at]!;
      const same = (to: number): number => (at < 0 ? -1 - to : to);
      for (const to of empty) found.add(same(to));
      if (isStart) for (const to of atStart) found.add(same(to));
      for (const to of atEnd) found.add(-1 - to);
    }
    return [...found].sort((a, b) => a - b);
  }

  private node(): number {
    if (this.nodes.length === MAX_NODES) throw new PatternProblem(`it has more than ${MAX_NODES} places`);
    return this.nodes.push({ moves: [], empty: [], atStart: [], atEnd: [] }) - 1;
  }

  private sequence(elements: readonly AST.Element[], from: number, to: number): void {
    let at = from;
    for (const element of elements) {
      const after = this.node();
      this.element(element, at, after);
      at = after;
    }
    this.nodes[at]!.empty.push(to);
  }

  private element(element: AST.Element, from: number, to: number): void {
    switch (element.type) {
      case 'Character':
        this.nodes[from]!.moves.push({ ranges: [[element.value, element.value]], to });
        return;
      case 'CharacterSet':
      case 'CharacterClass':
        this.nodes[from]!.moves.push({ ranges: rangesOf(element), to });
        return;
      case 'Group':
      case 'CapturingGroup':
        for (const alternative of element.alternatives) this.sequence(alternative.elements, from, to);
        return;
      case 'Quantifier':
        this.repeat(element, from, to);
        return;
      case 'Assertion':
        if (element.kind === 'start') this.nodes[from]!.atStart.push(to);
        else if (element.kind === 'end') this.nodes[from]!.atEnd.push(to);
        else throw new PatternProblem(`${element.raw} looks around`);
        return;
      default:
        throw new PatternProblem(`${element.raw} is not regular`);
    }
  }

  private repeat({ element, min, max }: AST.Quantifier, from: number, to: number): void {
    let at = from;
    for (let count = 0; count < min; count++) {
      const after = this.node();
      this.element(element, at, after);
      at = after;
    }
    if (max === Number.POSITIVE_INFINITY) {
      const loop = this.node();
      this.nodes[at]!.empty.push(loop);
      const after = this.node();
      this.element(element, loop, after);
      this.nodes[after]!.empty.push(loop);
      this.nodes[loop]!.empty.push(to);
      return;
    }
    for (let count = min; count < max; count++) {
      this.nodes[at]!.empty.push(to);
      const after = this.node();
      this.element(element, at, after);
      at = after;
    }
    this.nodes[at]!.empty.push(to);
  }
}

function rangesOf(
  element: AST.CharacterSet | AST.CharacterClass | AST.CharacterClassElement | AST.ClassRangesCharacterClass,
): readonly Range[] {
  switch (element.type) {
    case 'Character':
      return [[element.value, element.value]];
    case 'CharacterClassRange':
      return [[element.min.value, element.max.value]];
    case 'CharacterClass': {
      const inside = (element.elements as readonly AST.CharacterClassElement[]).flatMap((each) => rangesOf(each));
      return element.negate ? complementOf(inside) : inside;
    }
    case 'CharacterSet':
      switch (element.kind) {
        case 'any':
          return complementOf(LINE_ENDS);
        case 'digit':
          return element.negate ? complementOf(DIGITS) : DIGITS;
        case 'space':
          return element.negate ? complementOf(SPACE) : SPACE;
        case 'word':
          return element.negate ? complementOf(WORD) : WORD;
        case 'property':
          return propertyRanges(element.raw);
      }
      break;
    default:
  }
  throw new PatternProblem(`${element.raw} is not supported`);
}

const properties = new Map<string, readonly Range[]>();

/** The engine's own Unicode tables, asked once for each property. */
function propertyRanges(raw: string): readonly Range[] {
  let ranges = properties.get(raw);
  if (ranges === undefined) {
    const test = new RegExp(raw, 'u');
    const found: [number, number][] = [];
    for (let codePoint = 0; codePoint <= LAST; codePoint++) {
      if (!test.test(String.fromCodePoint(codePoint))) continue;
      const last = found.at(-1);
      if (last?.[1] === codePoint - 1) last[1] = codePoint;
      else found.push([codePoint, codePoint]);
    }
    properties.set(raw, (ranges = found));
  }
  return ranges;
}

function complementOf(ranges: readonly Range[]): Range[] {
  const gaps: Range[] = [];
  let from = 0;
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
    if (first > from) gaps.push([from, first - 1]);
    from = Math.max(from, last + 1);
  }
  if (from <= LAST) gaps.push([from, LAST]);
  return gaps;
}

function contains(ranges: readonly Range[], codePoint: number): boolean {
  return ranges.some(([first, last]) => codePoint >= first && codePoint <= last);
}

/** All texts that are not of the language. */
export function complement(language: Language): Language {
  // State 0 is where the language has gone nowhere.
  return {
    start: language.start + 1,
    bounds: language.bounds,
    next: (state, codePoint) => (state === 0 ? 0 : language.next(state - 1, codePoint) + 1),
    accepts: (state) => state === 0 || !language.accepts(state - 1),
  };
}

/** Exactly the given texts. */
export function wordsLanguage(words: readonly string[]): Language {
  const nodes: { readonly next: Map<number, number>; isEnd: boolean }[] = [{ next: new Map(), isEnd: false }];
  const bounds = new Set([0]);
  for (const word of words) {
    let at = 0;
    for (const character of word) {
      const codePoint = character.codePointAt(0)!;
      bounds.add(codePoint).add(codePoint + 1);
      let next = nodes[at]!.next.get(codePoint);
      if (next === undefined) {
        next = nodes.push({ next: new Map(), isEnd: false }) - 1;
        nodes[at]!.next.set(codePoint, next);
      }
      at = next;
    }
    nodes[at]!.isEnd = true;
  }
  return {
    start: 0,
    bounds: [...bounds].filter((bound) => bound <= LAST).sort((a, b) => a - b),
    next: (state, codePoint) => nodes[state]!.next.get(codePoint) ?? -1,
    accepts: (state) => nodes[state]!.isEnd,
  };
}

/** Whether a text is of the language. */
export function isOf(language: Language, text: string): boolean {
  let state = language.start;
  for (const character of text) {
    state = language.next(state, character.codePointAt(0)!);
    if (state < 0) return false;
  }
  return language.accepts(state);
}
