/**
 * Text that says nothing, by three measures that need no model and know no language:
 *
 *   repeated   1 − different runs of 4 words ÷ runs of 4 words (in scripts without spaces, of 12 characters): loops
 *   letters    letters and digits ÷ characters that are not white space: soup of signs
 *   known      of the runs of 3 letters within words, the share that the passage has too: mashed keys, broken encodings, other languages
 *
 * A shuffled text of real words passes all three. What the measures miss and refuse wrongly is counted on labelled edits in the spec.
 */

const MOST_REPEATED = 0.6;
const LEAST_LETTERS = 0.6;
const LEAST_KNOWN = 0.2;
/** Fewer runs say little about a text. */
const LEAST_RUNS = 12;

/** What is strange about a text, by the measure's name; undefined where nothing is. */
export function gibberishIn(text: string, passage: string): Readonly<Record<string, number>> | undefined {
  const repeated = shareRepeated(text);
  if (repeated > MOST_REPEATED) return { repeated };
  const letters = shareOfLetters(text);
  if (letters < LEAST_LETTERS) return { letters };
  const known = shareKnown(text, passage);
  return known < LEAST_KNOWN ? { known } : undefined;
}

function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}

function shareRepeated(text: string): number {
  const words = wordsOf(text);
  const letters = words.reduce((sum, word) => sum + word.length, 0);
  // A script without spaces has few words, each as long as a sentence.
  const isSpaced = letters <= 12 * words.length;
  const [units, size] = isSpaced ? [words, 4] : [Array.from(words.join('')), 12];
  const runs = units.length - size + 1;
  if (runs < LEAST_RUNS) return 0;
  const different = new Set(Array.from({ length: runs }, (_, at) => units.slice(at, at + size).join(' ')));
  return 1 - different.size / runs;
}

function shareOfLetters(text: string): number {
  const characters = text.replaceAll(/\s+/g, '');
  const letters = characters.match(/[\p{L}\p{M}\p{N}]/gu) ?? [];
  return characters === '' ? 0 : letters.length / Array.from(characters).length;
}

function shareKnown(text: string, passage: string): number {
  const runs = letterRuns(text);
  if (runs.length < LEAST_RUNS) return 1;
  const known = new Set(letterRuns(passage));
  return runs.filter((run) => known.has(run)).length / runs.length;
}

/** Runs of 3 letters within words; in a script with thousands of characters each by itself. */
function letterRuns(text: string): readonly string[] {
  return wordsOf(text).flatMap((word) => {
    if (/\p{N}/u.test(word)) return [];
    const letters = Array.from(word);
    const size = /[\u2e80-\ud7ff]/u.test(word) ? 1 : 3;
    return Array.from({ length: Math.max(0, letters.length - size + 1) }, (_, at) =>
      letters.slice(at, at + size).join(''),
    );
  });
}
