/** Entries of the controls that a study with a real model has besides those of `studyControls`. Pure. */

/** A word that advises nothing. */
const FILLER = 'so ';

/** Text without content, as long as the entry, in characters. */
export function fillerFor(entry: string): string {
  return FILLER.repeat(Math.ceil(entry.length / FILLER.length)).slice(0, entry.length);
}

/** An entry that solved a problem of training. */
export interface SolvedCase {
  readonly prompt: string;
  readonly entry: string;
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);

/**
 * The entry of the training problem that shares the largest part of its words (Jaccard), the first of equals: a memory of cases in place of
 * a generator. Null without cases.
 */
export function retrievedEntry(prompt: string, cases: readonly SolvedCase[]): string | null {
  const own = wordsOf(prompt);
  let best: { readonly entry: string; readonly similarity: number } | null = null;
  for (const { prompt: other, entry } of cases) {
    const words = wordsOf(other);
    const shared = [...own].filter((word) => words.has(word)).length;
    const similarity = shared / (own.size + words.size - shared);
    if (best === null || similarity > best.similarity) best = { entry, similarity };
  }
  return best?.entry ?? null;
}
