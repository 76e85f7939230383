/**
 * The regular expressions that published tokenizers split text by, which take linear time over any text, and the check that a
 * tokenizer.json asks for nothing else: V8 backtracks, so a regular expression of a stranger could stop the event loop for ever.
 *
 * Linear: from each place an alternative reads on only over characters that it, or the one behind it, then takes as a piece, and a
 * piece is never read again. tokenizer-json.spec.ts measures each of them over a megabyte of its worst pieces.
 */

/** GPT-2, and with it GPT-Neo, Phi-2, StarCoder, SmolLM (openai/gpt-2 src/encoder.py). */
export const GPT2_PATTERN = String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`;

/** As tokenizer.json has them, each with who published it. */
const PUBLISHED: ReadonlySet<string> = new Set([
  GPT2_PATTERN,
  String.raw`'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`,
  // cl100k (openai/tiktoken), as it is and as Llama 3, GLM-4, OLMo 2 and SmolLM3 write it
  String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+`,
  // Qwen2, Qwen2.5, Qwen3
  String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  // Qwen3.5: with marks
  String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  // o200k (openai/tiktoken): gpt-oss, Phi-4-mini, Llama 4
  String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  // tekken: Mistral Nemo, Ministral, Pixtral
  String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
]);

/** DeepSeek's main split lists punctuation, and is long; compared without its white space it is one of these. */
const DEEPSEEK = [
  String.raw`[一-龥぀-ゟ゠-ヿ]+`,
  '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+',
] as const;

/** A class of characters, or one character, perhaps with one quantifier: nothing in it can be read in two ways. */
const SIMPLE =
  /^(?:\[\^?(?:\\.(?:\{\w+\})?|[^\\[\]])+\]|\\[sSdDwWpP](?:\{\w+\})?|\\?[^\\[\](){}|?*+.^$])(?:[+*?]|\{\d{1,4}(?:,\d{0,4})?\})?$/su;

/** Whether a regular expression of a tokenizer.json takes linear time over any text. */
export function isLinearPattern(source: string): boolean {
  return PUBLISHED.has(source) || (DEEPSEEK as readonly string[]).includes(source) || SIMPLE.test(source);
}

/** For tests: every pattern that is known by name. */
export const PUBLISHED_PATTERNS: readonly string[] = [...PUBLISHED, ...DEEPSEEK];
