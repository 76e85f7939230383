/** Places in a partition that are near one another. */

/** Places with fewer records between them are read in one go. */
const GAP_RECORDS = 500;

/** @param offsets in their order @returns them in stretches, each of which is worth one reading from its first to its last */
export function stretchesOf(offsets: readonly number[]): readonly (readonly number[])[] {
  const stretches: number[][] = [];
  for (const offset of offsets) {
    const last = stretches.at(-1);
    if (last !== undefined && offset - last.at(-1)! <= GAP_RECORDS) last.push(offset);
    else stretches.push([offset]);
  }
  return stretches;
}
