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
import { type Position, Pushdown } from './pushdown.js';
import { PushdownGrammar } from './pushdown-grammar.js';
import { SchemaResources, unsupported } from './schema-resources.js';
import { SchemaShapes } from './schema-shape.js';
import type { TokenGrammar } from './token-grammar.types.js';
import { EVERY_BYTE, trieOf } from './token-trie.js';

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
  // Where nothing is valid under any vocabulary, the check says so.
  checkJsonSchema(schema);
  throw new SeamError(
    'INVALID_INPUT',
    'Cannot compile a grammar: the vocabulary has no tokens to spell what the schema needs. Use a byte-level tokenizer.',
  );
}

/**
 * Whether a schema can be compiled for any vocabulary.
 * @throws UNSUPPORTED_JSON_SCHEMA with `details.keyword` and `details.path` (a JSON pointer) of the first thing that cannot be enforced
 */
export function checkJsonSchema(schema: unknown): asserts schema is JsonSchema {
  if (rulesOf(schema, 'json', EVERY_BYTE) === undefined) throw unsupported('', '#', 'no text is valid under it');
}

/** What schemas allow, by their object: they are never changed once made, and one is asked about for every entry. */
const plainRules = new WeakMap<JsonSchema, JsonRules | undefined>();

/**
 * Whether a grammar of plain strings over every byte writes a text, letter for letter: compact JSON in the schema's order.
 * @throws UNSUPPORTED_JSON_SCHEMA
 */
export function isWritten(schema: JsonSchema, text: string): boolean {
  if (!plainRules.has(schema)) plainRules.set(schema, rulesOf(schema, 'plain', EVERY_BYTE));
  const rules = plainRules.get(schema);
  if (rules === undefined) return false;
  const bytes = new Pushdown(EVERY_BYTE);
  let positions: readonly Position[] = bytes.enter(rules.start, null);
  for (const byte of new TextEncoder().encode(text)) positions = bytes.step(positions, byte);
  return positions.some(({ kind }) => kind === 'end') || bytes.step(positions, 0x0a).some(({ kind }) => kind === 'end');
}

function rulesOf(schema: unknown, strings: StringContent, spelled: readonly boolean[]): JsonRules | undefined {
  const rules = new JsonRules(new SchemaShapes(new SchemaResources(schema)), strings, spelled);
  return Number.isFinite(rules.start.length) ? rules : undefined;
}
