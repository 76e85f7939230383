/** Grids of few-shot tasks: right is an attempt that equals the reference, cell for cell. The share of cells is a figure and decides nothing. */
import { attemptsText, type Grid, isSameGrid, parseGrid, readAttempts, scoreTask } from '@seamstream/grid-tasks';
import { isSeamError } from '@seamstream/kernel';
import { judgedEnd } from './final-answer.js';
import { badReference } from './options.js';
import type { Verifier } from './verifier.types.js';

const NAME = 'grid@1';

export const gridVerifier: Verifier = {
  kind: 'grid',
  version: '1',
  options: {},
  prepare(reference) {
    const truth = gridOf(reference);
    return (text) => {
      const attempts = readAttempts(judgedEnd(text));
      if (attempts.length === 0)
        return {
          success: false,
          extractedAnswer: null,
          detail: 'the response holds no grid',
          figures: { exactMatch: 0, cellAccuracy: 0 },
        };
      const { isSolved, cellAccuracy } = scoreTask([attempts], [truth]);
      const right = attempts.findIndex((attempt) => isSameGrid(attempt, truth)) + 1;
      const said = isSolved ? `attempt ${right} of ${attempts.length} is right` : 'no attempt is right';
      return {
        success: isSolved,
        extractedAnswer: attemptsText(attempts),
        detail: `${said}; cells ${cellAccuracy.toFixed(3)}`,
        figures: { exactMatch: isSolved ? 1 : 0, cellAccuracy },
      };
    };
  },
};

function gridOf(reference: string): Grid {
  try {
    return parseGrid(reference);
  } catch (error) {
    if (!isSeamError(error, 'INVALID_INPUT')) throw error;
    throw badReference(NAME, 'a grid, a line per row and a digit per cell', reference, 'Publish the output as a grid.');
  }
}
