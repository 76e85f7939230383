/** JSON: the last value that a response holds, compared with the reference by value, not by text. */
import { badReference, OptionReader } from './options.js';
import type { Verifier } from './verifier.types.js';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A response is looked at from its end. Characters. */
const MAX_LENGTH = 262_144;
/** Nested deeper, a text is refused before it is read. */
const MAX_DEPTH = 128;
/** Places at which a value is looked for in a text around it. */
const MAX_TRIES = 64;

interface Rules {
  readonly tolerance: number;
  readonly isOrdered: boolean;
  readonly mayHaveMore: boolean;
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
    const rules: Rules = {
      tolerance: read.size('tolerance'),
      isOrdered: read.choice('arrays', ['ordered', 'unordered']) === 'ordered',
      mayHaveMore: read.choice('properties', ['exact', 'atLeast']) === 'atLeast',
    };
    const wanted = parsed(reference);
    if (wanted === undefined)
      throw badReference('json@1', 'a JSON value', reference, 'Publish the problem with the value as JSON text.');
    return (response) => {
      const found = lastValue(response.slice(-MAX_LENGTH));
      if (found === null) return { success: false, extractedAnswer: null, detail: 'the response holds no JSON value' };
      const difference = differenceAt('$', wanted, found.value, rules);
      return {
        success: difference === null,
        extractedAnswer: found.text.slice(0, 4000),
        detail: difference ?? 'equal to the reference',
      };
    };
  },
};

function parsed(text: string): Json | undefined {
  if (text.trim() === '' || text.length > MAX_LENGTH || depthOf(text) > MAX_DEPTH) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Upper bound: brackets within strings count too. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of text) {
    if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth);
    else if (character === '}' || character === ']') depth--;
  }
  return deepest;
}

/** The last fenced block that is JSON, else the whole text, else the last object or array within it. */
function lastValue(text: string): { readonly value: Json; readonly text: string } | null {
  const attempt = (candidate: string): { value: Json; text: string } | null => {
    const value = parsed(candidate);
    return value === undefined ? null : { value, text: candidate.trim() };
  };
  const blocks = [...text.matchAll(/```[a-zA-Z0-9]*[ \t]*\n([\s\S]*?)```/g)];
  for (const block of blocks.slice(-MAX_TRIES).reverse()) {
    const found = attempt(block[1]!);
    if (found !== null) return found;
  }
  const said = /(?:^|\n)[^\n{["]*\banswer[ \t]*\**[ \t]*:[ \t]*\**([\s\S]*)$/i.exec(text)?.[1];
  const whole = attempt(text) ?? (said === undefined ? null : attempt(said));
  if (whole !== null) return whole;
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  const openings = [...text.slice(0, end).matchAll(/[{[]/g)].map(({ index }) => index);
  // The outermost value that ends where the text's last bracket does.
  for (const start of [...openings.slice(0, MAX_TRIES), ...openings.slice(-MAX_TRIES)]) {
    const found = attempt(text.slice(start, end + 1));
    if (found !== null) return found;
  }
  return null;
}

/** Where the first difference is; null where there is none. */
function differenceAt(path: string, wanted: Json, given: Json, rules: Rules): string | null {
  const here = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  if (typeof wanted === 'number' && typeof given === 'number')
    return Math.abs(wanted - given) <= rules.tolerance ? null : `another number at ${here}`;
  if (Array.isArray(wanted) && Array.isArray(given)) {
    if (wanted.length !== given.length) return `${given.length} instead of ${wanted.length} elements at ${here}`;
    if (rules.isOrdered) {
      for (const [i, each] of wanted.entries()) {
        const difference = differenceAt(`${path}[${i}]`, each as Json, given[i] as Json, rules);
        if (difference !== null) return difference;
      }
      return null;
    }
    const open = [...(given as readonly Json[])];
    for (const each of wanted as readonly Json[]) {
      const at = open.findIndex((other) => differenceAt(path, each, other, rules) === null);
      if (at < 0) return `an element is missing at ${here}`;
      open.splice(at, 1);
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

const isObject = (value: Json): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
