/** Texts as sequences to train on. */
import type { Document } from './inner-update.js';

/** A text all of which carries loss, or one whose first characters are given and carry none. */
export type TrainingText =
  | string
  | { readonly text: string /** The first character with loss. */; readonly lossFrom: number };

/**
 * Each text's tokens. A plain text is cut into parts of at most so many tokens, all of which carry loss but the first of each part. A text
 * whose beginning is given stays whole or is left out, since a part of it would be another example; a token that holds characters of
 * both sides carries loss. What has nothing to learn is left out.
 */
export function documentsOf(
  texts: readonly TrainingText[],
  encode: (text: string) => readonly number[],
  maxTokens: number,
): readonly Document[] {
  return texts.flatMap((text) => {
    if (typeof text !== 'string') return wholeOf(text, encode, maxTokens);
    const tokenIds = encode(text);
    const parts = Array.from({ length: Math.ceil(tokenIds.length / maxTokens) }, (_, part) =>
      tokenIds.slice(part * maxTokens, (part + 1) * maxTokens),
    );
    return parts.filter(({ length }) => length > 1).map((part) => ({ tokenIds: part, lossFrom: 1 }));
  });
}

function wholeOf(
  { text, lossFrom }: Exclude<TrainingText, string>,
  encode: (text: string) => readonly number[],
  maxTokens: number,
): readonly Document[] {
  const tokenIds = encode(text);
  const given = lossFrom === 0 ? [] : encode(text.slice(0, lossFrom));
  const differing = given.findIndex((id, index) => id !== tokenIds[index]);
  const begin = Math.max(1, differing < 0 ? given.length : differing);
  return tokenIds.length > maxTokens || begin >= tokenIds.length ? [] : [{ tokenIds, lossFrom: begin }];
}
