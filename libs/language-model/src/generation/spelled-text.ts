/** A given text as the tokens that a model would have written it by: what it can be trained to write. */
import type { JsonSchema } from '@seamstream/token-grammar';
import type { Tokenizer } from '@seamstream/tokenizer';
import type { Grammars } from './grammars.js';

export interface SpelledText {
  readonly tokenIds: readonly number[];
  /** Whether the schema left no choice at this token. */
  readonly forced: readonly boolean[];
}

/**
 * Without a schema the text and the token that ends it; under one the text alone, since its grammar ends it.
 * @param endTokenIds of the model; the first ends the text, and none does where there is none
 * @returns undefined where the schema does not allow the text as the tokenizer spells it
 * @throws UNSUPPORTED_JSON_SCHEMA
 */
export async function spelledText(
  text: string,
  {
    tokenizer,
    grammars,
    schema,
    endTokenIds,
  }: {
    readonly tokenizer: Pick<Tokenizer, 'encode'>;
    readonly grammars: Grammars;
    readonly schema: JsonSchema | undefined;
    readonly endTokenIds: readonly number[];
  },
): Promise<SpelledText | undefined> {
  const written = tokenizer.encode(text);
  if (schema === undefined) {
    const tokenIds = [...written, ...endTokenIds.slice(0, 1)];
    return { tokenIds, forced: tokenIds.map(() => false) };
  }
  const grammar = (await grammars.prepare([schema]))(schema);
  const forced: boolean[] = [];
  let state = grammar.start();
  for (const id of written) {
    const { ids } = grammar.allowed(state);
    if (!ids.includes(id)) return undefined;
    forced.push(ids.length === 1);
    state = grammar.advance(state, id);
  }
  return grammar.isComplete(state) ? { tokenIds: written, forced } : undefined;
}
