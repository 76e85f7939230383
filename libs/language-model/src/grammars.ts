/**
 * The grammars of one model, the same for who draws and who trains: each schema is compiled once. Strings hold what a reader sees, on
 * one line; line breaks and tabs where a pattern of the schema lets them.
 */
import { canonicalJson, SeamError } from '@seamstream/kernel';
import type { JsonSchema } from './grammar/json-schema.types.js';
import { compileGrammar } from './grammar/token-grammar.js';
import type { TokenGrammar } from './grammar/token-grammar.types.js';
import { Tokenizer } from './tokenizer.js';

export class Grammars {
  readonly #compiled = new Map<string, TokenGrammar>();
  #tokenizer: Promise<Tokenizer> | undefined;

  /** @param source the model's folder, whose tokenizer is read when the first schema comes; or its tokenizer */
  constructor(private readonly source: string | Tokenizer) {}

  /**
   * Compiles what {@link of} will be asked for.
   * @throws UNSUPPORTED_JSON_SCHEMA, INVALID_INPUT where the model has no tokenizer
   */
  async prepare(schemas: Iterable<JsonSchema | undefined>): Promise<void> {
    for (const schema of schemas) {
      if (schema === undefined) continue;
      const key = canonicalJson(schema);
      if (this.#compiled.has(key)) continue;
      this.#tokenizer ??= tokenizerOf(this.source);
      const tokenizer = await this.#tokenizer;
      const encode = (text: string): number[] => tokenizer.encode(text, { isContinuation: true });
      this.#compiled.set(key, compileGrammar(schema, tokenizer.vocabulary, encode, { strings: 'plain' }));
    }
  }

  /**
   * Shows that each schema can be written with this vocabulary within a budget.
   * @throws UNSUPPORTED_JSON_SCHEMA; INVALID_INPUT where the model has no tokenizer, or the shortest text is longer
   */
  async assertWithin(schemas: readonly JsonSchema[], maxTokens: number): Promise<void> {
    await this.prepare(schemas);
    for (const schema of schemas) {
      const grammar = this.of(schema);
      const shortest = grammar.minTokensToComplete(grammar.start());
      if (shortest <= maxTokens) continue;
      throw new SeamError(
        'INVALID_INPUT',
        `expected room for the shortest text under each schema, ${shortest} tokens, came ${maxTokens}: raise the most tokens of a text, or narrow the schema ${JSON.stringify(schema).slice(0, 200)}`,
      );
    }
  }

  /** The grammar of a schema that was prepared. */
  of(schema: JsonSchema): TokenGrammar {
    const grammar = this.#compiled.get(canonicalJson(schema));
    if (!grammar) throw new SeamError('INTERNAL', 'A grammar was asked for that was not prepared');
    return grammar;
  }
}

async function tokenizerOf(source: string | Tokenizer): Promise<Tokenizer> {
  if (typeof source !== 'string') return source;
  // Prompts are written elsewhere: a template that cannot be read is nothing to a grammar.
  const tokenizer = await Tokenizer.loadIfPresent(source, { chatTemplate: 'none' });
  if (tokenizer !== undefined) return tokenizer;
  throw new SeamError(
    'INVALID_INPUT',
    `Constraining by a schema needs the model's tokenizer; ${source} has no tokenizer.json`,
  );
}
