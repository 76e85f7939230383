/** The texts of an entry, each with its field and what it is about. */
import { type QuoteRules, quoteRulesOf, quotesIn } from '@seamstream/experience';
import type { JsonSchema } from '@seamstream/token-grammar';

export type EntrySchemasLike = (domain: string) => JsonSchema;

export interface Phrase {
  readonly field: string;
  readonly text: string;
  /** What it quotes of the problem; texts of a field that quote nothing are about themselves. */
  readonly about: string;
  /** Equal for the same text in the same field. */
  readonly key: string;
}

/** Most texts of one entry that are looked at: a foreign entry may hold any number. */
const MOST_PHRASES = 64;

/** Every text of the fields of an entry, each once. An entry that is no JSON object has none. */
export function phrasesOf(entry: string, schema: JsonSchema): readonly Phrase[] {
  let value: unknown;
  try {
    value = JSON.parse(entry);
  } catch {
    return [];
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const rules = quoteRulesOf(schema)?.properties;
  const phrases = new Map<string, Phrase>();
  for (const [field, held] of Object.entries(value)) {
    const rule = ruleOf(rules?.get(field));
    for (const text of Array.isArray(held) ? held : [held]) {
      if (typeof text !== 'string' || text.trim() === '' || phrases.size >= MOST_PHRASES) continue;
      const quotes = rule === undefined ? undefined : quotesIn(text, rule);
      const key = JSON.stringify([field, text]);
      phrases.set(key, {
        field,
        text,
        about: quotes === undefined ? JSON.stringify(text) : JSON.stringify([quotes]),
        key,
      });
    }
  }
  return [...phrases.values()];
}

function ruleOf(rules: QuoteRules | undefined): QuoteRules['rule'] {
  return rules?.items?.rule ?? rules?.rule;
}
