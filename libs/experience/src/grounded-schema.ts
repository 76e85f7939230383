/**
 * An entry's schema narrowed to one problem. Of the texts that it lists, those stay whose quotes occur in the problem. A short list may
 * quote a thing as often as it occurs there, so a grammar of the schema cannot write a misquote. Everything but lists of texts stays as
 * it is and is judged afterwards (faithful.ts); so does a list that would become empty where something must be written.
 *
 * Narrowing is a function of schema and prompt alone: training on an entry rebuilds the mask under which it was sampled.
 */
import { AT_MOST, type JsonSchema } from '@seamstream/token-grammar';
import { schemaDigest } from './entry.schema.js';
import { faultOf, isFaithful, promptForm, quotesIn } from './faithful.js';
import { comparable, occurrences } from './occurrence.js';
import {
  bare,
  type Fields,
  mapRules,
  type QuoteRule,
  type QuoteRules,
  quoteRulesOf,
  withoutQuoteRules,
} from './quote-rules.js';

/** By schema and prompt, since each is asked for once per candidate; and by content, so that equal ones are one object. */
const MOST_KEPT = 512;
/** A grammar holds a copy of the texts for each way to have used them: 163 with eight quotes in four places, 63 with six in six. */
const MOST_LIMITED_PARTS = 8;
const byPrompt = new WeakMap<JsonSchema, Map<string, JsonSchema>>();
const byContent = new Map<string, JsonSchema>();

/** The schema that entries for a problem are written under, without annotations; the same object for equal results. */
export function groundedSchema(schema: JsonSchema, prompt: string): JsonSchema {
  const rules = quoteRulesOf(schema);
  if (rules === undefined) return schema;
  const own = byPrompt.get(schema) ?? new Map<string, JsonSchema>();
  byPrompt.set(schema, own);
  let grounded = own.get(prompt);
  if (grounded === undefined) {
    grounded = shared(ground(schema, rules, promptForm(prompt)) ?? bare(schema, rules));
    if (own.size >= MOST_KEPT) own.clear();
    own.set(prompt, grounded);
  }
  return grounded;
}

function shared(schema: JsonSchema): JsonSchema {
  const key = JSON.stringify(schema);
  const known = byContent.get(key);
  if (known !== undefined) return known;
  if (byContent.size >= MOST_KEPT) byContent.clear();
  byContent.set(key, schema);
  return schema;
}

/** An entry of the log with what decides the mask that it was sampled under. */
export interface WrittenEntry {
  readonly prompt: string;
  readonly entry: string;
  /** Digest of the schema that it was written under; absent where the record does not say. */
  readonly entrySchema?: string;
}

/**
 * The schema whose grammar an entry was sampled under. Entries that name the schema as it was before it had annotations were sampled
 * without narrowing. Where the record names no schema, a misquote shows that it was not narrowed either.
 * @param schema of the entry's domain, with its annotations
 */
export function sampledUnder({ prompt, entry, entrySchema }: WrittenEntry, schema: JsonSchema): JsonSchema {
  const isNarrowed =
    entrySchema === undefined ? isFaithful(entry, schema, prompt) !== false : entrySchema === schemaDigest(schema);
  return isNarrowed ? groundedSchema(schema, prompt) : withoutQuoteRules(schema);
}

/** Undefined where a text must be written and none is left. */
function ground(schema: Fields, rules: QuoteRules, prompt: string): Fields | undefined {
  if (rules.rule !== undefined) return withTrueTexts(bare(schema, rules), rules.rule, prompt);
  const grounded = mapRules(schema, rules, (part, own) => ground(part, own, prompt) ?? bare(part, own));
  if (rules.items === undefined || schema.prefixItems !== undefined) return grounded;
  const isLeft = ground(schema.items as Fields, rules.items, prompt) !== undefined;
  if (isLeft) return withoutRepeats(grounded, rules.items.rule, prompt);
  return (schema.minItems ?? 0) === 0 ? { ...grounded, maxItems: 0 } : grounded;
}

function withTrueTexts(schema: Fields, rule: QuoteRule, prompt: string): Fields | undefined {
  const known = new Map<string, boolean>();
  const stands = (quote: string): boolean => {
    const isThere = known.get(quote) ?? faultOf(quote, prompt, 1) === undefined;
    known.set(quote, isThere);
    return isThere;
  };
  const isTrue = (text: unknown): boolean => {
    const quotes = quotesIn(text as string, rule) ?? [];
    return quotes.length > 0 && quotes.every(stands);
  };
  if ('const' in schema) return isTrue(schema.const) ? schema : undefined;
  if (!Array.isArray(schema.enum)) return schema;
  const texts = schema.enum.filter(isTrue);
  return texts.length === 0 ? undefined : { ...schema, enum: texts };
}

/** The list with a limit for things that occur in the problem less often than the list has items. Many such things are judged afterwards. */
function withoutRepeats(list: Fields, rule: QuoteRule | undefined, prompt: string): Fields {
  const { minItems = 0, maxItems } = list as { readonly minItems?: number; readonly maxItems?: number };
  const texts = (list.items as Fields).enum as readonly string[] | undefined;
  if (rule === undefined || texts === undefined || maxItems === undefined || maxItems > rule.countUpTo) return list;
  const quotes = texts.map((text) => (quotesIn(text, rule) ?? []).map(comparable));
  const parts = [...Map.groupBy(texts.keys(), (at) => quotes[at]![0] ?? '')].map(([quote, members]) => ({
    texts: members.map((at) => texts[at]!),
    times: occurrences(prompt, quote, maxItems),
  }));
  const isSimple = parts.length <= MOST_LIMITED_PARTS && quotes.every(({ length }) => length === 1);
  const room = parts.reduce((sum, { times }) => sum + times, 0);
  const isLimiting = parts.some(({ times }) => times < maxItems);
  return isSimple && isLimiting && room >= minItems ? { ...list, [AT_MOST]: parts } : list;
}
