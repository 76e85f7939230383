/** In which words two texts differ. Pure. */
export interface DiffPiece {
  readonly kind: 'same' | 'gone' | 'new';
  readonly text: string;
}

/** The table has so many cells at most: longer texts are replaced as a whole. */
const MOST_CELLS = 1_000_000;

/**
 * Longest common subsequence of words, blanks included. What is the same or gone is the text before, what is the same or new the text after.
 */
export function wordDiff(before: string, after: string): readonly DiffPiece[] {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  if (old.length * now.length > MOST_CELLS) return joined([...old.map(gone), ...now.map(added)]);
  const common = commonLengths(old, now);
  const pieces: DiffPiece[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length)
    if (i < old.length && j < now.length && old[i] === now[j]) {
      pieces.push({ kind: 'same', text: old[i]! });
      i++;
      j++;
    } else if (j >= now.length || (i < old.length && common[i + 1]![j]! >= common[i]![j + 1]!))
      pieces.push(gone(old[i++]!));
    else pieces.push(added(now[j++]!));
  return joined(pieces);
}

const wordsOf = (text: string): readonly string[] => text.split(/(\s+)/).filter((word) => word !== '');
const gone = (text: string): DiffPiece => ({ kind: 'gone', text });
const added = (text: string): DiffPiece => ({ kind: 'new', text });

/** Of what follows place i of one text and place j of the other. */
function commonLengths(old: readonly string[], now: readonly string[]): readonly Uint16Array[] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      lengths[i]![j] =
        old[i] === now[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
  return lengths;
}

/** Neighbours of one kind are one piece. */
function joined(pieces: readonly DiffPiece[]): readonly DiffPiece[] {
  const all: DiffPiece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (last?.kind === piece.kind) all[all.length - 1] = { kind: piece.kind, text: last.text + piece.text };
    else all.push(piece);
  }
  return all;
}
