/** What older records do not say: they are all of the first method, and of what writes the entries. */

/** Adapters for the model that writes an entry for each problem, from the entries' successes. */
export const SEAM_METHOD = 'seam';

/** What generators write entries with: weights for their model, or a library for the frozen model. */
export const GENERATOR_SLOT = 'generator';

/** Libraries of experiences for frozen weights. */
export const LIBRARY_METHOD = 'library';
