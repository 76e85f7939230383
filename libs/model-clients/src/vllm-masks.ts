/** The tokens that a grammar allows, as fields of a request to vLLM. */
import { type Tokenizer } from '@seamstream/tokenizer';
import { QUOTATION_MARK } from './vllm-completions.js';

/** With fewer legal tokens the next place has others; with more it is likely inside a text. */
const RUN_FROM_LEGAL = 256;
/** Tokens of a run: what is drawn beyond its end is thrown away. */
const RUN_TOKENS = 64;
/** vLLM takes biases from −100 to 100. */
const BANNED = -100;

/** The legal tokens as fields of a request, by the shorter of two lists, and how many tokens to draw under them. */
export function maskFields(
  vocabulary: Tokenizer['vocabulary'],
  vocabularySize: number,
  legal: Int32Array,
  remaining: number,
): Record<string, unknown> {
  const isText = legal.length >= RUN_FROM_LEGAL;
  const run = isText
    ? {
        max_tokens: Math.min(RUN_TOKENS, remaining),
        // What may end a text is followed by other legal tokens.
        stop_token_ids: [...legal].filter((id) => vocabulary[id]!.includes(QUOTATION_MARK)),
      }
    : { max_tokens: 1 };
  if (legal.length * 2 <= vocabulary.length) return { ...run, allowed_token_ids: [...legal] };
  const isLegal = new Set(legal);
  const banned: Record<string, number> = {};
  for (let id = 0; id < vocabularySize; id++) if (!isLegal.has(id)) banned[String(id)] = BANNED;
  return { ...run, logit_bias: banned };
}
