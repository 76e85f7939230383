/** Answers of several parts without an order: what commas, "and", "or" or semicolons hold together. */
import { splitTopLevel, topLevel } from '../scan.js';
import { type Form, MAX_PARTS, type Readings, type Scope } from './form.js';
import { GROUPED } from './leaves.js';

/** A relation or a number: without either, connectives join propositions, and which they are is what the text says. */
export const SAYS_MORE = /[=<>\d]|\\(?:le|ge|ne|in|approx|equiv|text)(?![a-zA-Z])/;

const WORD_AND = /^(?:and|or)$/;

export function listReading(text: string, scope: Scope): Form | null {
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
        (each): Readings => [{ kind: 'tuple', parts: each.map((part) => scope.read(part)), open: '(', close: ')' }],
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
  return { kind: 'list', parts: flattened(parts.map((part) => scope.read(part))), by };
}

/** 0, ±2 are three. */
export function flattened(parts: readonly Readings[]): Readings[] {
  return parts.flatMap((part) => {
    const [first] = part[0]?.kind === 'named' ? part[0].value : part;
    return first?.kind === 'list' && first.by === 'or' ? [...first.parts] : [part];
  });
}

export function outerSplit(group: string): string[] {
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
