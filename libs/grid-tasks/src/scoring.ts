/**
 * Scores of ARC. An output is right when one of at most two attempts is the grid, cell for cell. A task is solved when all its outputs
 * are right. The share of cells is a finer figure for curves; it never decides.
 */
import { SeamError } from '@seamstream/kernel';
import { type Grid, heightOf, isSameGrid, widthOf } from './grid.js';

/** Attempts that count for one output (the rule of ARC-AGI-1 since 2024). */
export const MAX_ATTEMPTS = 2;

export interface OutputScore {
  readonly isRight: boolean;
  /** Of the better attempt; see {@link cellAccuracy}. 0 without an attempt. */
  readonly cellAccuracy: number;
}

export interface TaskScore {
  /** All outputs are right. */
  readonly isSolved: boolean;
  readonly outputs: readonly OutputScore[];
  /** Mean over the outputs. */
  readonly cellAccuracy: number;
}

/**
 * Share of cells that agree: |{cells of both that have one colour}| / |cells of either|, both grids laid over each other at their
 * upper left corner. In [0, 1], and 1 for equal grids alone.
 */
export function cellAccuracy(attempt: Grid, truth: Grid): number {
  const height = Math.min(heightOf(attempt), heightOf(truth));
  const width = Math.min(widthOf(attempt), widthOf(truth));
  let agreeing = 0;
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) if (attempt[row]![column] === truth[row]![column]) agreeing++;
  const areaOf = (grid: Grid): number => heightOf(grid) * widthOf(grid);
  return agreeing / (areaOf(attempt) + areaOf(truth) - height * width);
}

/**
 * The score of a task.
 * @param attempts for each output up to {@link MAX_ATTEMPTS} grids
 * @param truths the outputs, at least one
 * @throws INVALID_INPUT for other numbers
 */
export function scoreTask(attempts: readonly (readonly Grid[])[], truths: readonly Grid[]): TaskScore {
  if (truths.length === 0 || attempts.length !== truths.length)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot score a task: expected attempts at each of its outputs, got ${attempts.length} for ${truths.length}. Give a list per output, empty where there is no attempt.`,
    );
  const outputs = truths.map((truth, index) => scoreOutput(attempts[index]!, truth));
  return {
    isSolved: outputs.every(({ isRight }) => isRight),
    outputs,
    cellAccuracy: outputs.reduce((sum, score) => sum + score.cellAccuracy, 0) / outputs.length,
  };
}

function scoreOutput(attempts: readonly Grid[], truth: Grid): OutputScore {
  if (attempts.length > MAX_ATTEMPTS)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot score an output: expected at most ${MAX_ATTEMPTS} attempts, got ${attempts.length}. Vote first.`,
    );
  return {
    isRight: attempts.some((attempt) => isSameGrid(attempt, truth)),
    cellAccuracy: Math.max(0, ...attempts.map((attempt) => cellAccuracy(attempt, truth))),
  };
}
