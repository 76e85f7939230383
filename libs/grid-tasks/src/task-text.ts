/**
 * Grids in the text of few-shot tasks (libs/tasks), the same for training and for prediction, and a model's attempts as one text:
 *
 *   Attempt 1:
 *   70
 *   77
 *                     ◄ an empty line ends every attempt
 *   Attempt 2:
 *   …
 */
import { askedFewShot, fewShotAnswer, fewShotPrompt, readFewShotAnswer } from '@seamstream/tasks';
import { type Grid, printGrid, readGrid } from './grid.js';
import type { GridPair } from './grid-task.js';
import { MAX_ATTEMPTS } from './scoring.js';

/** Pairs that show a transformation, and the input that it is asked for. */
export interface AskedGrid {
  readonly pairs: readonly GridPair[];
  readonly input: Grid;
}

/** The prompt for the output of `input`, after the pairs. */
export function promptText(pairs: readonly GridPair[], input: Grid): string {
  const examples = pairs.map((pair) => ({ input: printGrid(pair.input), output: printGrid(pair.output) }));
  return fewShotPrompt({ examples, query: printGrid(input) });
}

/** What a prompt of {@link promptText} asks; undefined for every other text, also where an example is not a pair of grids. */
export function readPrompt(prompt: string): AskedGrid | undefined {
  const asked = askedFewShot(prompt);
  const input = asked === undefined ? undefined : readGrid(asked.query);
  if (asked === undefined || input === undefined) return undefined;
  const pairs: GridPair[] = [];
  for (const example of asked.examples) {
    const [shown, output] = [readGrid(example.input), readGrid(example.output)];
    if (shown === undefined || output === undefined) return undefined;
    pairs.push({ input: shown, output });
  }
  return { pairs, input };
}

/** What follows the prompt: the grid and the empty line that ends it. */
export function answerText(output: Grid): string {
  return fewShotAnswer(printGrid(output));
}

/** The grid that a model answered, up to the first empty line; undefined if it is not a grid. */
export function readAnswer(text: string): Grid | undefined {
  return readGrid(readFewShotAnswer(text).answer);
}

const HEADING = /^Attempt ([12]):$/gm;

/** Attempts as one response, the first one first. */
export function attemptsText(attempts: readonly Grid[]): string {
  return attempts.map((grid, index) => `Attempt ${index + 1}:\n${answerText(grid)}`).join('');
}

/**
 * The attempts of a response, at most {@link MAX_ATTEMPTS}: what stands under the headings, or without a heading the answer that it begins
 * with. A text that is no grid is no attempt.
 */
export function readAttempts(text: string): readonly Grid[] {
  const headings = [...text.matchAll(HEADING)].slice(0, MAX_ATTEMPTS);
  const begins =
    headings.length > 0
      ? headings.map(({ index, 0: heading }) => index + heading.length)
      : [/^\s*Answer:/.exec(text)?.[0].length ?? 0];
  return begins.map((begin) => readAnswer(text.slice(begin))).filter((grid) => grid !== undefined);
}
