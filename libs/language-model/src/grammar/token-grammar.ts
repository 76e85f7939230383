/**
 * A JSON Schema as a mask over tokens: which ids may come next so that the whole text is compact JSON, valid under the
 * schema and ended within a token budget. Schemas of finitely many texts have a grammar of tokens (finite-grammar.ts), all others
 * one of bytes with a stack (pushdown-grammar.ts).
 */
import { SeamError } from '@seamstream/kernel';
import { FiniteGrammar } from './finite-grammar.js';
import { isFiniteSchema } from './finite-schema.js';
import { JsonRules, type StringContent } from './json-rules.js';
import type { JsonSchema } from './json-schema.types.js';
import { layoutOf } from './layout.js';
import { PushdownGrammar } from './pushdown-grammar.js';
import { SchemaResources, unsupported } from './schema-resources.js';
import { SchemaShapes } from './schema-shape.js';
import { EVERY_BYTE, trieOf } from './token-trie.js';

/** A place in a text under a grammar. Immutable, valid for the grammar that made it, equal states are the same object. */
export interface GrammarState {
  /** Names the place within its grammar. */
  readonly key: string;
}

export interface AllowedTokens {
  /** Ascending; empty where the text is complete. */
  readonly ids: Int32Array;
}

export interface TokenGrammar {
  start(): GrammarState;
  /** Every token that some valid text continues with. */
  allowed(state: GrammarState): AllowedTokens;
  /**
   * Those of them after which the text can still end within the budget. Never empty before the end as long as
   * `remainingTokens` ≥ {@link minTokensToComplete}.
   * @param remainingTokens tokens that may still be written, the next one included.
   */
  allowedWithin(state: GrammarState, remainingTokens: number): AllowedTokens;
  /** @throws INVALID_INPUT when the token is not allowed. */
  advance(state: GrammarState, tokenId: number): GrammarState;
  /** The text is a whole value, and nothing may follow it. */
  isComplete(state: GrammarState): boolean;
  /** The tokens up to the next real choice or the end: while one token is allowed, that one. */
  forcedRun(state: GrammarState): readonly number[];
  /** As many tokens as are enough to the end, and no more than single bytes need; 0 where the text is complete. */
  minTokensToComplete(state: GrammarState): number;
}

export interface GrammarOptions {
  /**
   * What strings hold besides what their schema says: everything that JSON can write (`json`, the default), or what a reader sees,
   * on one line, and line breaks and tabs only where a pattern speaks for the string (`plain`).
   */
  readonly strings?: StringContent;
}

/**
 * Compiles a schema for one tokenizer. Number texts that are the whole value end with a line feed.
 * @param vocabulary raw bytes per token id; tokens without bytes (special ones) are never allowed.
 * @param encode the tokenizer's encoding; must give back any text exactly.
 * @throws UNSUPPORTED_JSON_SCHEMA naming keyword and path; INVALID_INPUT when the tokenizer cannot spell what the schema needs.
 */
export function compileGrammar(
  schema: JsonSchema,
  vocabulary: readonly Uint8Array[],
  encode: (text: string) => readonly number[],
  { strings = 'json' }: GrammarOptions = {},
): TokenGrammar {
  const layout = isFiniteSchema(schema) ? layoutOf(schema) : undefined;
  if (layout !== undefined) return new FiniteGrammar(layout, vocabulary, encode);
  const { spelled } = trieOf(vocabulary);
  const rules = rulesOf(schema, strings, spelled);
  if (rules !== undefined) return new PushdownGrammar(rules, vocabulary, encode);
  // Where nothing is valid whatever the vocabulary, the check says so.
  checkJsonSchema(schema);
  throw new SeamError(
    'INVALID_INPUT',
    'Compiling a grammar: the vocabulary has no tokens to spell what the schema needs. Use a byte-level tokenizer.',
  );
}

/**
 * Whether a schema can be compiled, whatever the vocabulary.
 * @throws UNSUPPORTED_JSON_SCHEMA with `details.keyword` and `details.path` (a JSON pointer) of the first thing that cannot be enforced
 */
export function checkJsonSchema(schema: unknown): asserts schema is JsonSchema {
  if (rulesOf(schema, 'json', EVERY_BYTE) === undefined) throw unsupported('', '#', 'no text is valid under it');
}

function rulesOf(schema: unknown, strings: StringContent, spelled: readonly boolean[]): JsonRules | undefined {
  const rules = new JsonRules(new SchemaShapes(new SchemaResources(schema)), strings, spelled);
  return Number.isFinite(rules.start.length) ? rules : undefined;
}
