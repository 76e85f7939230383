// Which mutants are tried, and in which order: drawn by a seed, and spread over the files at every length of the sample.
import { createHash } from 'node:crypto';

/**
 * All mutants (with names, see `named`) in the order of the draw: the i-th of a file's n shuffled mutants stands at (i + u) / n of the row,
 * where u is drawn per file. So any first part of the row holds the same part of every file, to within one mutant. A mutant is drawn by
 * what it says, not by its position, so an edit leaves the order of the others nearly as it was.
 */
export function drawn(mutants, seed) {
  const byFile = Map.groupBy(mutants, ({ file }) => file);
  return [...byFile]
    .flatMap(([file, own]) => {
      const shift = uniform(seed, file);
      return own
        .map((mutant) => ({ mutant, at: uniform(seed, mutant.name) }))
        .sort((a, b) => a.at - b.at)
        .map(({ mutant }, i) => ({ mutant, at: (i + shift) / own.length }));
    })
    .sort((a, b) => a.at - b.at)
    .map(({ mutant }) => mutant);
}

/** @param row of reviewed.mjs, or a mutant: what the two have in common */
export const placeOf = ({ file, within, from, to }) => JSON.stringify([file, within, from, to]);

/** Each mutant with its own `name`: its place, and which of those that have it. */
export function named(mutants) {
  const seen = new Map();
  return mutants.map((mutant) => {
    const place = placeOf(mutant);
    const before = seen.get(place) ?? 0;
    seen.set(place, before + 1);
    return { ...mutant, name: `${place}${before}` };
  });
}

/** In [0, 1). */
function uniform(seed, text) {
  return createHash('sha256').update(`${seed} ${text}`).digest().readUInt32BE() / 2 ** 32;
}
