/** Grids and tasks for the property tests of this library. */
import fc from 'fast-check';
import { type Grid, NUM_COLOURS } from './grid.js';
import type { GridPair } from './grid-task.js';

/** Grids with sides up to `maxSide`. */
export function anyGrid(maxSide = 30): fc.Arbitrary<Grid> {
  const side = fc.integer({ min: 1, max: maxSide });
  return fc.tuple(side, side).chain(([height, width]) => {
    const row = fc.array(fc.integer({ min: 0, max: NUM_COLOURS - 1 }), { minLength: width, maxLength: width });
    return fc.array(row, { minLength: height, maxLength: height });
  });
}

/** Pairs with small grids. */
export function anyPairs(minLength: number, maxLength: number): fc.Arbitrary<GridPair[]> {
  return fc.array(fc.record({ input: anyGrid(5), output: anyGrid(5) }), { minLength, maxLength });
}
