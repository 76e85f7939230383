/**
 * A grid of colours, and its text: a line per row, a digit per cell, nothing between the digits.
 *
 *   [[0, 7], [7, 7]]  ◄─►  "07\n77"
 *
 * A digit is one token for tokenizers that split numbers into digits (SmolLM2, Qwen, Llama 2), so a cell is one token and the
 * distance between two rows is constant. With spaces between the digits a cell costs two tokens: docs/explanation/algorithms/arc-augmentations.md
 * has the figures. Both forms are read, since models and people write both.
 */
import { excerpt, SeamError } from '@seamstream/kernel';
import { z } from 'zod';

/** Rows of colours 0 … 9, all of one length. Height and width are 1 … {@link MAX_SIDE}. */
export type Grid = readonly (readonly number[])[];

/** Longest side of a grid of ARC (Chollet 2019, https://arxiv.org/abs/1911.01547). */
export const MAX_SIDE = 30;
/** Colours are 0 … 9. */
export const NUM_COLOURS = 10;
/** The colour that tasks use for "empty". */
export const BACKGROUND = 0;

const SIDES = `1 to ${MAX_SIDE}`;
const COLOUR = `a colour, 0 to ${NUM_COLOURS - 1}`;

/** A grid as JSON has it. */
export const gridSchema = z
  .array(
    z
      .array(
        z
          .int({ error: COLOUR })
          .min(0, { error: COLOUR })
          .max(NUM_COLOURS - 1, { error: COLOUR }),
      )
      .min(1, { error: `${SIDES} cells in a row` })
      .max(MAX_SIDE, { error: `${SIDES} cells in a row` }),
    { error: 'a list of rows' },
  )
  .min(1, { error: `${SIDES} rows` })
  .max(MAX_SIDE, { error: `${SIDES} rows` })
  .refine((rows) => rows.every((row) => row.length === rows[0]!.length), { error: 'rows of one length' });

export const heightOf = (grid: Grid): number => grid.length;
export const widthOf = (grid: Grid): number => grid[0]!.length;

/** The grid whose cell at (row, column) is `colourAt` that place. Sides are the caller's to bound. */
export function gridOf(height: number, width: number, colourAt: (row: number, column: number) => number): Grid {
  return Array.from({ length: height }, (_, row) =>
    Array.from({ length: width }, (_, column) => colourAt(row, column)),
  );
}

/** Same shape, same colours. */
export function isSameGrid(a: Grid, b: Grid): boolean {
  return printGrid(a) === printGrid(b);
}

/** A grid as text, and equal for equal grids alone: "07\n77". */
export function printGrid(grid: Grid): string {
  return grid.map((row) => row.join('')).join('\n');
}

/**
 * The grid that a text is, with or without one space between the digits; undefined for any other text. White space around the
 * text and around a row does not count. For what a model wrote, where no grid is an answer too.
 */
export function readGrid(text: string): Grid | undefined {
  const reading = rowsOf(text);
  return 'grid' in reading ? reading.grid : undefined;
}

/**
 * As {@link readGrid}, for text that has to be a grid.
 * @throws INVALID_INPUT that names the row
 */
export function parseGrid(text: string): Grid {
  const reading = rowsOf(text);
  if ('grid' in reading) return reading.grid;
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot read a grid: expected ${reading.expected}, got ${reading.got}. Write a line per row and a digit per cell.`,
  );
}

/** A longer text than the largest grid has, spaces included, is not looked into. */
const MAX_LENGTH = 2 * MAX_SIDE * (MAX_SIDE + 2);

function rowsOf(text: string): { readonly grid: Grid } | { readonly expected: string; readonly got: string } {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH)
    return { expected: `at most ${MAX_LENGTH} characters`, got: `${trimmed.length} characters` };
  const lines = trimmed.split('\n').map((line) => line.trim());
  if (lines.length > MAX_SIDE) return { expected: `${SIDES} rows`, got: `${lines.length} rows` };
  const rows: number[][] = [];
  for (const [index, line] of lines.entries()) {
    if (!/^(?:\d+|\d(?: \d)+)$/.test(line))
      return { expected: 'rows of digits', got: `"${excerpt(line)}" in row ${index + 1}` };
    const row = Array.from(line.replaceAll(' ', ''), Number);
    const width = rows[0]?.length ?? row.length;
    if (row.length > MAX_SIDE) return { expected: `${SIDES} cells in a row`, got: `${row.length} in row ${index + 1}` };
    if (row.length !== width)
      return { expected: `${width} cells in every row`, got: `${row.length} in row ${index + 1}` };
    rows.push(row);
  }
  return { grid: rows };
}
