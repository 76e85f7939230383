/**
 * The grammars of one model, the same for who draws and who trains: a schema is compiled once, as long as it is asked for. A schema
 * may be that of a single problem, so what was not asked for lately is forgotten. Strings hold what a reader sees, on one line; line
 * breaks and tabs where a pattern of the schema lets them.
 */
import { canonicalJson, SeamError } from '@seamstream/kernel';
import type { JsonSchema, TokenGrammar } from '@seamstream/token-grammar';
import { compileGrammar } from '@seamstream/token-grammar';
import { Tokenizer } from '@seamstream/tokenizer';

/** The grammar of a schema, of those that were asked for. */
export type GrammarOf = (schema: JsonSchema) => TokenGrammar;

/** Besides those of the calls under way. A round of the demonstration has 64 problems; four rounds are replayed. */
const KEPT_GRAMMARS = 256;
/** Texts of schemas whose tokens are kept: schemas of one domain share most of theirs, and a tokenizer is slow compared with a map. */
const KEPT_TEXTS = 16_384;

export class Grammars {
  /** Least recently asked for first. */
  readonly #compiled = new Map<string, TokenGrammar>();
  readonly #encoded = new Map<string, number[]>();
  #tokenizer: Promise<Tokenizer> | undefined;

  /** @param source the model's folder, whose tokenizer is read when the first schema comes; or its tokenizer */
  constructor(private readonly source: string | Tokenizer) {}

  /**
   * Compiles what a call needs; what it gets holds as long as the call does, regardless of what others ask for.
   * @throws UNSUPPORTED_JSON_SCHEMA, INVALID_INPUT where the model has no tokenizer
   */
  async prepare(schemas: Iterable<JsonSchema | undefined>): Promise<GrammarOf> {
    const asked = new Map<JsonSchema, TokenGrammar>();
    for (const schema of schemas) {
      if (schema === undefined || asked.has(schema)) continue;
      const key = canonicalJson(schema);
      const grammar = this.#compiled.get(key) ?? (await this.#compile(schema));
      this.#compiled.delete(key);
      this.#compiled.set(key, grammar);
      asked.set(schema, grammar);
    }
    for (const key of this.#compiled.keys()) {
      if (this.#compiled.size <= KEPT_GRAMMARS) break;
      this.#compiled.delete(key);
    }
    return (schema) => {
      const grammar = asked.get(schema);
      if (grammar === undefined)
        throw new SeamError('INTERNAL', 'Cannot find a grammar: expected one that was prepared.');
      return grammar;
    };
  }

  /**
   * Shows that each schema can be written with this vocabulary within a budget.
   * @throws UNSUPPORTED_JSON_SCHEMA; INVALID_INPUT where the model has no tokenizer, or the shortest text is longer
   */
  async assertWithin(schemas: readonly JsonSchema[], maxTokens: number): Promise<void> {
    const grammarOf = await this.prepare(schemas);
    for (const schema of schemas) {
      const grammar = grammarOf(schema);
      const shortest = grammar.minTokensToComplete(grammar.start());
      if (shortest <= maxTokens) continue;
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot write under a schema: expected room for its shortest text, ${shortest} tokens, got ${maxTokens}. Raise the most tokens of a text, or narrow the schema ${JSON.stringify(schema).slice(0, 200)}.`,
      );
    }
  }

  async #compile(schema: JsonSchema): Promise<TokenGrammar> {
    this.#tokenizer ??= tokenizerOf(this.source);
    const tokenizer = await this.#tokenizer;
    const encode = (text: string): number[] => {
      let tokens = this.#encoded.get(text);
      if (tokens === undefined) {
        if (this.#encoded.size >= KEPT_TEXTS) this.#encoded.clear();
        this.#encoded.set(text, (tokens = tokenizer.encode(text, { isContinuation: true })));
      }
      return tokens;
    };
    return compileGrammar(schema, tokenizer.vocabulary, encode, { strings: 'plain' });
  }
}

async function tokenizerOf(source: string | Tokenizer): Promise<Tokenizer> {
  if (typeof source !== 'string') return source;
  // Prompts are written elsewhere: a template that cannot be read is nothing to a grammar.
  const tokenizer = await Tokenizer.loadIfPresent(source, { chatTemplate: 'none' });
  if (tokenizer !== undefined) return tokenizer;
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot constrain by a schema: expected tokenizer.json of the model in ${source}, got none. Add it.`,
  );
}
