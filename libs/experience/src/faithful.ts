/**
 * Whether an entry is faithful to its problem: every span that it quotes occurs there. Its schema says which texts are quotes
 * (quote-rules.ts); occurrence.ts says what "occurs" means. A pure function of entry, schema and problem, so every reader of the log
 * gets the same result.
 *
 * A quote is looked for in the problem as the generator was shown it. Each list of an entry may quote a span as often as it occurs there:
 * otherwise saying one thing twice would pass for two.
 */
import { isPlainCodePoint, type JsonSchema } from '@seamstream/token-grammar';
import { comparable, hasWords, occurrences } from './occurrence.js';
import { asData } from './plain-data.js';
import { type QuoteRule, type QuoteRules, quoteRulesOf } from './quote-rules.js';

/** More quotes than anybody reads; it bounds what a foreign entry makes its reader do. */
const MOST_QUOTES = 256;
/** Problems whose form for comparison is kept: the candidates of a group come one after another. */
const KEPT_PROMPTS = 64;

export interface Misquote {
  /** JSON pointer to the text. */
  readonly path: string;
  /** As written in the entry; null where the text quotes nothing, or is not a text. */
  readonly quote: string | null;
  /** In words: "it quotes …, which …". */
  readonly fault: string;
}

/**
 * The first wrong quote of an entry; undefined when the entry is faithful, or its schema has no rule for quotes.
 * @param entry JSON text
 * @param prompt of its problem, as published
 */
export function misquoteIn(entry: string, schema: JsonSchema, prompt: string): Misquote | undefined {
  const rules = quoteRulesOf(schema);
  if (rules === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(entry);
  } catch {
    return { path: '#', quote: null, fault: 'it is not JSON' };
  }
  return new Reading(promptForm(prompt)).misquote(value, rules, '#');
}

/** Whether the schema says of any text that it is a quote. */
export function hasQuotes(schema: JsonSchema): boolean {
  return quoteRulesOf(schema) !== undefined;
}

/** Null where nothing is to be quoted. */
export function isFaithful(entry: string, schema: JsonSchema, prompt: string): boolean | null {
  return hasQuotes(schema) ? misquoteIn(entry, schema, prompt) === undefined : null;
}

/** The quotes of one text by its rule; undefined where a mark has no counterpart. */
export function quotesIn(text: string, { between }: QuoteRule): readonly string[] | undefined {
  if (between === null) return [text];
  const [before, after] = between;
  if (before === '') {
    const end = text.indexOf(after);
    return end < 0 ? undefined : [text.slice(0, end)];
  }
  const quotes: string[] = [];
  for (let open = text.indexOf(before); open >= 0; ) {
    const start = open + before.length;
    const end = after === '' ? text.length : text.indexOf(after, start);
    if (end < 0) return undefined;
    quotes.push(text.slice(start, end));
    open = text.indexOf(before, end + after.length);
  }
  return quotes;
}

/**
 * Why a quote is wrong, in words; undefined where it occurs in the prompt at least so many times.
 * @param prompt in the form of {@link promptForm}
 */
export function faultOf(quote: string, prompt: string, times: number): string | undefined {
  for (const character of quote) {
    const codePoint = character.codePointAt(0)!;
    if (isPlainCodePoint(codePoint) || character === '\n' || character === '\t') continue;
    return `holds the invisible character U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
  }
  const words = comparable(quote);
  if (!hasWords(words)) return 'holds neither letter nor digit';
  const found = occurrences(prompt, words, times);
  if (found >= times) return undefined;
  return found === 0
    ? 'is not in the problem'
    : `occurs in the problem ${found === 1 ? 'once' : `${found} times`} and is quoted more often`;
}

const forms = new Map<string, string>();

/** A prompt as quotes are looked for in it: what the generator was shown, in the form for comparison. */
export function promptForm(prompt: string): string {
  let form = forms.get(prompt);
  if (form === undefined) {
    if (forms.size >= KEPT_PROMPTS) forms.clear();
    forms.set(prompt, (form = comparable(asData(prompt))));
  }
  return form;
}

class Reading {
  private read = 0;

  constructor(private readonly prompt: string) {}

  /** @param quoted how often the list around has quoted what, in the form for comparison */
  misquote(
    value: unknown,
    { rule, properties, prefixItems = [], items }: QuoteRules,
    path: string,
    quoted = new Map<string, number>(),
  ): Misquote | undefined {
    if (rule !== undefined) return this.ofText(value, rule, path, quoted);
    if (Array.isArray(value)) {
      const own = new Map<string, number>();
      for (const [at, each] of value.entries()) {
        const rules = prefixItems[at] ?? (at < prefixItems.length ? undefined : items);
        const misquote = rules === undefined ? undefined : this.misquote(each, rules, `${path}/${at}`, own);
        if (misquote !== undefined) return misquote;
      }
      return undefined;
    }
    if (typeof value !== 'object' || value === null) return undefined;
    for (const [name, rules] of properties ?? []) {
      if (!Object.hasOwn(value, name)) continue;
      const misquote = this.misquote((value as Record<string, unknown>)[name], rules, `${path}/${name}`);
      if (misquote !== undefined) return misquote;
    }
    return undefined;
  }

  private ofText(value: unknown, rule: QuoteRule, path: string, quoted: Map<string, number>): Misquote | undefined {
    if (typeof value !== 'string') return { path, quote: null, fault: 'it is no text' };
    const quotes = quotesIn(value, rule);
    if (quotes === undefined) return { path, quote: null, fault: 'a quote has a beginning and no end' };
    if (quotes.length === 0) return { path, quote: null, fault: 'it quotes nothing' };
    for (const quote of quotes) {
      if (++this.read > MOST_QUOTES) return { path, quote, fault: `it holds more than ${MOST_QUOTES} quotes` };
      const words = comparable(quote);
      const times = (quoted.get(words) ?? 0) + 1;
      quoted.set(words, times);
      const fault = faultOf(quote, this.prompt, times);
      if (fault !== undefined)
        return { path, quote, fault: `it quotes ${JSON.stringify(quote.slice(0, 80))}, which ${fault}` };
    }
    return undefined;
  }
}
