/**
 * What an entry is: three lists of short strings that say to a solver which concepts matter, how to proceed and what to beware of
 * (SEAM's fields, in its words). A domain may narrow each list to its own words, which makes an entry a choice instead of a text.
 */

import { SeamError, sha256 } from '@seamstream/kernel';
import { checkJsonSchema, type JsonSchema } from '@seamstream/token-grammar';
import { QUOTES } from './quote-rules.js';

export const ENTRY_FIELDS = ['concepts', 'strategy', 'pitfalls'] as const;
export type EntryField = (typeof ENTRY_FIELDS)[number];

/** For text domains; lengths in Unicode code points. An entry is a hint: at most about a thousand characters. */
export const DEFAULT_ENTRY_SCHEMA = entrySchema({
  concepts: { type: 'array', items: { type: 'string', minLength: 2, maxLength: 60 }, minItems: 1, maxItems: 4 },
  strategy: { type: 'array', items: { type: 'string', minLength: 2, maxLength: 120 }, minItems: 1, maxItems: 4 },
  pitfalls: { type: 'array', items: { type: 'string', minLength: 2, maxLength: 120 }, minItems: 0, maxItems: 3 },
});

/** The words of one field in one domain, and how many of them an entry names. */
export interface FieldWords {
  readonly words: readonly string[];
  readonly minItems?: number;
  readonly maxItems?: number;
  /** Marks around the part of each word that is a quote from the problem; absent: nothing is. See quote-rules.ts. */
  readonly quotesBetween?: readonly [before: string, after: string];
  /** Longest list in which a quote is written at most as often as it occurs; absent: as quote-rules.ts has it. */
  readonly quotesCountUpTo?: number;
}

/**
 * The schema of a domain with its own words.
 * @param fields by default exactly one word per field.
 * @throws INVALID_INPUT when a field has no words or the same word twice.
 */
export function domainEntrySchema(fields: Readonly<Record<EntryField, FieldWords>>): JsonSchema {
  const list = (field: EntryField): JsonSchema => {
    const { words, minItems = 1, maxItems = minItems, quotesBetween: between, quotesCountUpTo } = fields[field];
    if (words.length === 0 || new Set(words).size < words.length) {
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot build an entry schema: expected different words for ${field}, got ${JSON.stringify(words)}.`,
      );
    }
    const counted = quotesCountUpTo === undefined ? {} : { countUpTo: quotesCountUpTo };
    const quotes = between === undefined ? {} : { [QUOTES]: { from: 'prompt', between, ...counted } };
    return { type: 'array', items: { enum: words, ...quotes }, minItems, maxItems };
  };
  const schema = entrySchema({ concepts: list('concepts'), strategy: list('strategy'), pitfalls: list('pitfalls') });
  checkJsonSchema(schema);
  return schema;
}

function entrySchema(properties: Readonly<Record<EntryField, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: ENTRY_FIELDS, additionalProperties: false };
}

/** Schemas are never changed once made, and each is asked about for every entry. */
const digests = new WeakMap<JsonSchema, string>();

/**
 * SHA-256 of the schema's JSON as declared. The order of properties is part of it, because entries are written in that order.
 */
export function schemaDigest(schema: JsonSchema): string {
  let digest = digests.get(schema);
  if (digest === undefined) digests.set(schema, (digest = sha256(JSON.stringify(schema))));
  return digest;
}
