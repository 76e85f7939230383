/** Prompts as tokens, where a model has room for them. */
import { MOST_PROMPT_CHARACTERS } from '@seamstream/tasks';
import { encodePrompt, type GeneratorModel } from './generator-model.port.js';

export type FittingPrompt =
  | { readonly fits: true; readonly tokenIds: readonly number[] }
  /** `size` says what it has, for a message. */
  | { readonly fits: false; readonly size: string };

/**
 * The prompt's tokens where it leaves room for so many more.
 * @param maxTokens that are to follow it
 */
export function fittingPrompt(
  model: Pick<GeneratorModel, 'tokenizer' | 'config'>,
  prompt: string,
  maxTokens: number,
): FittingPrompt {
  if (prompt.length > MOST_PROMPT_CHARACTERS)
    return { fits: false, size: `${prompt.length} characters, more than the ${MOST_PROMPT_CHARACTERS} that are read,` };
  const tokenIds = encodePrompt(model, prompt);
  return tokenIds.length + maxTokens <= model.config.maxPositions
    ? { fits: true, tokenIds }
    : { fits: false, size: `${tokenIds.length} tokens` };
}
