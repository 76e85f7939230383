/** What a person means who types less than the whole, or a slip. */

/** Fewest characters of an id, or digits of a digest, that may stand for it. */
export const LEAST_OF_ID = 4;

/** Whether the text stands for the id: it is the id, or at least {@link LEAST_OF_ID} characters of its beginning, letter case aside. */
export function isMeant(text: string, id: string): boolean {
  return id === text || (text.length >= LEAST_OF_ID && id.toLowerCase().startsWith(text.toLowerCase()));
}

/** Most edits that are taken for a slip, of a name where the name is not short itself. */
const MOST_EDITS = 3;

/** " (did you mean X?)" for a name that is at most three edits, and fewer than half of its letters, from one of the known; otherwise nothing. */
export function didYouMean(name: string, known: readonly string[]): string {
  const [best] = known
    .map((each) => ({ each, distance: editDistance(name, each) }))
    .sort((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= Math.min(MOST_EDITS, (best.each.length - 1) / 2)
    ? ` (did you mean ${best.each}?)`
    : '';
}

/** Letters put in, left out, replaced, or swapped with their neighbour (optimal string alignment), row by row. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next[j] = Math.min(
        ...[row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)],
        isSwap ? before[j - 2]! + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
