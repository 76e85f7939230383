/**
 * A task as text, the same for training and for prediction:
 *
 *   Input:
 *   07
 *   77
 *   Output:
 *   70
 *   77
 *                     ◄ an empty line ends every example, and every answer
 *   Input:
 *   …
 *   Output:
 *                     ◄ here the prompt ends and the answer begins
 */
import { type Grid, printGrid, readGrid } from './grid.js';
import type { GridPair } from './grid-task.js';

const END = '\n\n';

/** The prompt for the output of `input`, after the pairs. */
export function promptText(pairs: readonly GridPair[], input: Grid): string {
  const shown = pairs.map((pair) => `${questionText(pair.input)}${answerText(pair.output)}`);
  return `${shown.join('')}${questionText(input)}`;
}

/** What follows the prompt: the grid and the empty line that ends it. */
export function answerText(output: Grid): string {
  return `${printGrid(output)}${END}`;
}

/** The grid that a model answered, up to the first empty line; undefined if it is not a grid. */
export function readAnswer(text: string): Grid | undefined {
  const [answer] = text.trimStart().split(END, 1);
  return readGrid(answer!);
}

function questionText(input: Grid): string {
  return `Input:\n${printGrid(input)}\nOutput:\n`;
}
