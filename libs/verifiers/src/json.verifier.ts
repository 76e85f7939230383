/** JSON: the last value that a response holds, compared with the reference by value, not by text. */
import { compareExact, distance, type Exact, exactDecimal, exactOf } from './exact-number.js';
import { JUDGED_LENGTH, judgedEnd, lastAnswerMarker, skip } from './final-answer.js';
import { rejectsWhatFollows, takesBack, withdraws } from './hedges.js';
import { badReference, OptionReader } from './options.js';
import { hasPerfectMatching } from './perfect-matching.js';
import type { Verifier } from './verifier.types.js';

/** A number as it is written, to its last digit; null for one with an exponent beyond ±1000, which is equal to nothing. */
class JsonNumber {
  constructor(readonly exact: Exact | null) {}
}
type Json = null | boolean | string | JsonNumber | readonly Json[] | { readonly [name: string]: Json };

/** A reference is at most this long, and a response is looked at from its end so far, or four times as far as the reference is long. Characters. */
const MAX_LENGTH = 262_144;
/** Nested deeper, a text is refused before it is read. */
const MAX_DEPTH = 128;
/** Places at which a value is looked for in a text around it. */
const MAX_TRIES = 64;
/** Characters that are read in looking for it. */
const MAX_READ = 1 << 22;
/** Comparisons that a reference may cost: an unordered array of n elements that may equal several costs about n² · √n. */
const MAX_COMPARISONS = 20_000_000;
/** Characters before and after a value that may reject it or leave it open. */
const REMARK_LENGTH = 80;
/** Characters behind a value that are looked at. */
const AFTER_LENGTH = 1000;

interface Rules {
  readonly tolerance: Exact;
  readonly isOrdered: boolean;
  readonly mayHaveMore: boolean;
  /** Each element has one form, and equals another where the forms are equal: an unordered array is compared by sorting. */
  readonly isByForm: boolean;
}

export const jsonVerifier: Verifier = {
  kind: 'json',
  version: '1',
  options: {
    tolerance: 'largest difference of numbers, default 0',
    arrays: 'ordered (default) or unordered',
    properties: 'exact (default), or atLeast: an object may have more than the reference',
  },
  prepare(reference, options) {
    const read = new OptionReader('json@1', options);
    const tolerance = read.size('tolerance');
    const mayHaveMore = read.choice('properties', ['exact', 'atLeast']) === 'atLeast';
    const rules: Rules = {
      tolerance: exactOf(tolerance),
      isOrdered: read.choice('arrays', ['ordered', 'unordered']) === 'ordered',
      mayHaveMore,
      isByForm: tolerance === 0 && !mayHaveMore,
    };
    const wanted = parsed(reference);
    if (
      wanted === undefined ||
      repeatsName(reference) ||
      differenceAt('$', wanted, wanted, { ...rules, isOrdered: true }) !== null
    )
      throw badReference(
        'json@1',
        'a JSON value with exponents up to ±1000 whose objects have each name once',
        reference,
        'Publish the problem with the value as JSON text.',
      );
    if (!rules.isOrdered && comparisonsOf(wanted, rules) > MAX_COMPARISONS)
      throw badReference(
        'json@1',
        `unordered arrays that can be matched in ${MAX_COMPARISONS} comparisons`,
        reference,
        'Publish shorter arrays, or without tolerance and with all properties.',
      );
    const length = Math.min(MAX_LENGTH, Math.max(JUDGED_LENGTH, 4 * reference.length));
    return (response) => {
      const found = lastValue(judgedEnd(response, length));
      if (found === null) return { success: false, extractedAnswer: null, detail: 'the response holds no JSON value' };
      const extractedAnswer = found.text.slice(0, 4000);
      if (found.isOpen)
        return {
          success: false,
          extractedAnswer,
          detail: 'the response takes the value back, offers another, or names a property twice',
        };
      const difference = differenceAt('$', wanted, found.value, rules);
      return { success: difference === null, extractedAnswer, detail: difference ?? 'equal to the reference' };
    };
  },
};

function parsed(text: string): Json | undefined {
  if (text.trim() === '' || text.length > MAX_LENGTH || depthOf(text) > MAX_DEPTH) return undefined;
  try {
    return JSON.parse(text, withExactNumbers) as Json;
  } catch {
    return undefined;
  }
}

/** Numbers by their source text (https://github.com/tc39/proposal-json-parse-with-source): a double would round them. */
function withExactNumbers(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number') return value;
  const exact = exactDecimal(context?.source ?? String(value));
  return new JsonNumber(exact === 'too large' ? null : exact);
}

/** Upper bound: brackets within strings count too. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth);
    else if (character === '}' || character === ']') depth--;
  }
  return deepest;
}

interface Found {
  readonly value: Json;
  readonly text: string;
  /** The words around it reject it or offer another. */
  readonly isOpen: boolean;
}

/** The last fenced block that is JSON, else the whole text, else what follows the last `Answer:`, else the last object or array within the text. */
function lastValue(text: string): Found | null {
  let left = MAX_READ;
  const attempt = (start: number, end: number): Found | null => {
    if ((left -= end - start) < 0) return null;
    const value = parsed(text.slice(start, end));
    return value === undefined
      ? null
      : { value, text: text.slice(start, end).trim(), isOpen: repeatsName(text.slice(start, end)) };
  };
  const inContext = (found: Found | null, start: number, end: number): Found | null =>
    found === null
      ? null
      : { ...found, isOpen: found.isOpen || isLeftOpen(text.slice(0, start), text.slice(end, end + AFTER_LENGTH)) };
  for (const { start, end } of fencedBlocks(text).slice(-MAX_TRIES).reverse()) {
    const found = attempt(start, end);
    if (found !== null) return inContext(found, text.lastIndexOf('```', start), text.indexOf('```', end) + 3);
  }
  const marker = lastAnswerMarker(text);
  const whole = attempt(0, text.length) ?? (marker === null ? null : attempt(marker.end, text.length));
  if (whole !== null) return whole;
  const last = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']')) + 1;
  const openings = [...text.slice(0, last).matchAll(/[{[]/g)].map(({ index }) => index);
  // The outermost value that ends where the text's last bracket does.
  for (const start of [...openings.slice(0, MAX_TRIES), ...openings.slice(-MAX_TRIES)]) {
    const found = attempt(start, last);
    if (found !== null) return inContext(found, start, last);
  }
  return null;
}

/** On its own line a value is followed by punctuation only; what later lines say must not take it back. */
const isLeftOpen = (before: string, after: string): boolean =>
  rejectsWhatFollows(before.slice(-REMARK_LENGTH).trimEnd()) ||
  /[\p{L}\p{N}?]/u.test(after.split('\n', 1)[0]!) ||
  withdraws(remarkIn(after)) ||
  takesBack(after);

/** Whether an object in a text that is JSON has a name twice: its value would be whichever a reader keeps. */
function repeatsName(json: string): boolean {
  const objects: (Set<string> | null)[] = [];
  for (const { 0: token, index } of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (token === '{') objects.push(new Set());
    else if (token === '[') objects.push(null);
    else if (token === '}' || token === ']') objects.pop();
    else if (isName(json, index + token.length)) {
      const name = JSON.parse(token) as string;
      const names = objects.at(-1);
      if (names?.has(name) === true) return true;
      names?.add(name);
    }
  }
  return false;
}

/** Whether a colon is the next sign from `at` on. */
const isName = (json: string, at: number): boolean => json[skip(json, ' \t\n\r', at)] === ':';

/** What is said of a value right behind it: up to the end of the sentence. */
const remarkIn = (text: string): string =>
  text
    .slice(0, REMARK_LENGTH)
    .replace(/^[\s`*]+/, '')
    .split(/[.\n]/, 1)[0]!;

/** What stands between fences of three backticks, from the first pair to the last. */
function fencedBlocks(text: string): { readonly start: number; readonly end: number }[] {
  const blocks: { start: number; end: number }[] = [];
  let line = -1;
  for (let open = text.indexOf('```'); open >= 0; ) {
    if (line < open) line = text.indexOf('\n', open);
    if (line < 0) break;
    const isFence = /^[a-zA-Z0-9]*[ \t]*$/.test(text.slice(open + 3, Math.min(line, open + 40)));
    const close = isFence ? text.indexOf('```', line + 1) : -1;
    if (close >= 0) blocks.push({ start: line + 1, end: close });
    else if (isFence) break;
    open = text.indexOf('```', close >= 0 ? close + 3 : open + 3);
  }
  return blocks;
}

/** Where the first difference is; null where there is none. */
function differenceAt(path: string, wanted: Json, given: Json, rules: Rules): string | null {
  const here = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  if (wanted instanceof JsonNumber && given instanceof JsonNumber)
    return areNear(wanted, given, rules) ? null : `another number at ${here}`;
  if (Array.isArray(wanted) && Array.isArray(given)) {
    const [some, others] = [wanted as readonly Json[], given as readonly Json[]];
    if (some.length !== others.length) return `${others.length} instead of ${some.length} elements at ${here}`;
    if (!rules.isOrdered) return matchAll(path, some, others, rules) ? null : `an element is missing at ${here}`;
    for (const [i, each] of some.entries()) {
      const difference = differenceAt(`${path}[${i}]`, each, others[i]!, rules);
      if (difference !== null) return difference;
    }
    return null;
  }
  if (isObject(wanted) && isObject(given)) {
    for (const name of Object.keys(wanted)) {
      if (!Object.hasOwn(given, name)) return `no ${JSON.stringify(name)} at ${here}`;
      const difference = differenceAt(`${path}.${name}`, wanted[name]!, given[name]!, rules);
      if (difference !== null) return difference;
    }
    const more = rules.mayHaveMore ? undefined : Object.keys(given).find((name) => !Object.hasOwn(wanted, name));
    return more === undefined ? null : `${JSON.stringify(more.slice(0, 80))} too much at ${here}`;
  }
  return wanted === given ? null : `another value at ${here}`;
}

const areNear = (a: JsonNumber, b: JsonNumber, { tolerance }: Rules): boolean =>
  a.exact !== null && b.exact !== null && compareExact(distance(a.exact, b.exact), tolerance) <= 0;

/** Whether the elements of two arrays of one length can be paired so that each pair is equal. */
function matchAll(path: string, wanted: readonly Json[], given: readonly Json[], rules: Rules): boolean {
  if (rules.isByForm) {
    const forms = (values: readonly Json[]): string => values.map(formOf).sort().join();
    return forms(wanted) === forms(given);
  }
  if (areNumbers(wanted) && areNumbers(given)) {
    // One tolerance for all: where any pairing is near everywhere, the pairing in order of size is.
    const others = inOrder(given);
    return inOrder(wanted).every((each, i) => areNear(each, others[i]!, rules));
  }
  return hasPerfectMatching(wanted.length, (i, j) => differenceAt(path, wanted[i]!, given[j]!, rules) === null);
}

const areNumbers = (values: readonly Json[]): values is readonly JsonNumber[] =>
  values.every((value) => value instanceof JsonNumber && value.exact !== null);
const inOrder = (values: readonly JsonNumber[]): JsonNumber[] =>
  [...values].sort((a, b) => compareExact(a.exact!, b.exact!));

/** A text that equal values share, unordered arrays alike in any order. */
function formOf(value: Json): string {
  if (value instanceof JsonNumber) return numberForm(value);
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(formOf).sort().join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${formOf(value[name]!)}`).join()}}`;
}

/** Digits without zeros at their ends, and the power of ten. */
function numberForm({ exact }: JsonNumber): string {
  if (exact === null) return 'beyond';
  const { numerator, denominator } = exact;
  if (numerator === 0n) return '0';
  const digits = String(numerator);
  const significant = digits.replace(/(?<!0)0+$/, '');
  return `${significant}e${digits.length - significant.length - (String(denominator).length - 1)}`;
}

/** Upper bound of the comparisons that the reference can cost. */
function comparisonsOf(value: Json, rules: Rules): number {
  if (Array.isArray(value)) {
    const inner = (value as readonly Json[]).reduce<number>((sum, each) => sum + comparisonsOf(each, rules), 1);
    const count = value.length;
    return rules.isByForm || areNumbers(value) ? inner : count * inner + count * count * Math.sqrt(count);
  }
  if (isObject(value)) return Object.values(value).reduce<number>((sum, each) => sum + comparisonsOf(each, rules), 1);
  return 1;
}

const isObject = (value: Json): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);
