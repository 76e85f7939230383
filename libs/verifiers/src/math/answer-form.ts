/**
 * What kind of thing an answer is: a number or expression, words, a list, a tuple or interval, a set, a relation, a value with a name.
 * A text may be read in several ways (1,234 is a number or a list of two); each reading is a {@link Form}.
 */

import { bracketReadings, frenchInterval, mixedBrackets, setOperationReading } from './forms/brackets.js';
import type { ReadingRules, Readings, Scope } from './forms/form.js';
import { leafReadings, numberReadings } from './forms/leaves.js';
import { listReading, SAYS_MORE } from './forms/lists.js';
import { withoutMembership, withoutQualifier } from './forms/qualifiers.js';
import { congruenceReading, relationReadings } from './forms/relations.js';
import { isPlainWords, wordsOf } from './forms/words.js';
import { TooCostly } from './meter.js';
import { plainNotation } from './notation.js';
import { bracketed, splitTopLevel } from './scan.js';

const MAX_DEPTH = 12;
/** Texts that one answer is taken apart into. An honest one has some dozens. */
const MAX_READ = 5000;

const CHOICE =
  /^\s*(?:\\(?:text|textbf|mathrm|mathbf|textrm|bf)\s*\{\s*)?\(?([A-J])(?:\)|\.|:)\s*\}?(?:\s|~|\\[ ,;:]|\\q?quad)+\S/;

/** How deep a reading is, and how much of the answer was read so far. */
class Depth implements Scope {
  constructor(
    readonly rules: ReadingRules,
    readonly depth = 0,
    private readonly count = { read: 0 },
  ) {}

  deeper(): Depth {
    this.count.read++;
    if (this.count.read > MAX_READ) throw new TooCostly('an answer of more parts than are read');
    return new Depth(this.rules, this.depth + 1, this.count);
  }

  read(part: string): Readings {
    return read(part, this);
  }
}

/**
 * Every reading of a text as an answer, the likeliest first. Empty for a text without content or of more than 64 parts.
 * @throws TooCostly
 */
export function readAnswer(text: string, rules: ReadingRules): Readings {
  // "C. x = 42" and "(C) 42" are choices with their wording.
  const choice = CHOICE.exec(text)?.[1];
  const readings = new Depth(rules).read(plainNotation(text));
  return choice === undefined
    ? readings
    : [...readings, { kind: 'words', words: choice }, { kind: 'expression', latex: choice }];
}

const CONCLUDES = new Set(['\\Rightarrow', '\\Leftrightarrow', '\\therefore']);

function read(given: string, scope: Depth): Readings {
  const text = trimmed(given);
  if (text === '' || scope.depth > MAX_DEPTH) return [];
  const inner = scope.deeper();

  const concluded = splitTopLevel(text, (token) => CONCLUDES.has(token));
  if (concluded.parts.length > 1 && SAYS_MORE.test(text)) return inner.read(concluded.parts.at(-1)!);

  const general = withoutMembership(text);
  if (general !== text) return inner.read(general);

  const unqualified = withoutQualifier(text);
  if (unqualified !== text) return inner.read(unqualified);

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
  if (said !== null) return [...inner.read(said), ...leafReadings(text, inner)];

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
