/** Which words of a text are not in a vocabulary, for models that were shown few. */

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? [];

/**
 * Reads texts for words that a vocabulary lacks.
 * @param texts all its words, in any order
 * @param largestNumber whole numbers from 0 to this, of at most two digits, are known as well
 * @returns what finds the unknown words and numbers of a text, each once, as they come
 */
export function unknownWordsOf(texts: Iterable<string>, largestNumber: number): (text: string) => readonly string[] {
  const known = new Set([...texts].flatMap(wordsOf));
  const isKnown = (word: string): boolean =>
    known.has(word) || (/^\d{1,2}$/.test(word) && Number(word) <= largestNumber);
  return (text) => [...new Set(wordsOf(text).filter((word) => !isKnown(word)))];
}
