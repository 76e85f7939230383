/** Texts as sequences to train on. */
import type { Document } from './inner-update.js';

/**
 * Each text's tokens, cut into parts of at most so many, all of which carry loss but the first of each part. A part of one token has nothing
 * to learn and is left out.
 */
export function documentsOf(
  texts: readonly string[],
  encode: (text: string) => readonly number[],
  maxTokens: number,
): readonly Document[] {
  return texts.flatMap((text) => {
    const tokenIds = encode(text);
    const parts = Array.from({ length: Math.ceil(tokenIds.length / maxTokens) }, (_, part) =>
      tokenIds.slice(part * maxTokens, (part + 1) * maxTokens),
    );
    return parts.filter(({ length }) => length > 1).map((part) => ({ tokenIds: part, lossFrom: 1 }));
  });
}
