/**
 * Augmentations of grids (arXiv 2506.10943, appendix A; the set is that of the released tools). Each is applied to every grid of a task,
 * inputs and outputs alike. All of them lose nothing; what differs is which grids have an inverse, and the type says so:
 *
 *   bijection    a grid to a grid of as many cells; every grid has an inverse
 *   enlargement  each cell is copied to several places; a grid has an inverse only if its copies agree
 *
 * An enlargement is two maps, one per axis, from the places of the result to those of the grid:
 *
 *   result[i][j] = grid[rows(i, h)][columns(j, w)],   0 ≤ i < rows.factor · h,   0 ≤ j < columns.factor · w
 */
import type { Random } from '@seamstream/kernel';
import { BACKGROUND, type Grid, gridOf, heightOf, isSameGrid, MAX_SIDE, NUM_COLOURS, widthOf } from './grid.js';

export interface Bijection {
  readonly kind: 'bijection';
  /** Unique among augmentations. */
  readonly name: string;
  readonly apply: (grid: Grid) => Grid;
  readonly inverse: (grid: Grid) => Grid;
}

export interface Enlargement {
  readonly kind: 'enlargement';
  readonly name: string;
  /** Undefined where the result would have a side over {@link MAX_SIDE}. */
  readonly apply: (grid: Grid) => Grid | undefined;
  /** Undefined for a grid that is not the result of any. */
  readonly inverse: (grid: Grid) => Grid | undefined;
}

export type Augmentation = Bijection | Enlargement;

const bijection = (name: string, apply: (grid: Grid) => Grid, inverse: (grid: Grid) => Grid): Bijection => ({
  kind: 'bijection',
  name,
  apply,
  inverse,
});

const transposed = (grid: Grid): Grid => gridOf(widthOf(grid), heightOf(grid), (row, column) => grid[column]![row]!);
const upsideDown = (grid: Grid): Grid => grid.toReversed();
const leftRight = (grid: Grid): Grid => grid.map((row) => row.toReversed());
const clockwise = (grid: Grid): Grid => leftRight(transposed(grid));
const counterclockwise = (grid: Grid): Grid => upsideDown(transposed(grid));
const halfTurn = (grid: Grid): Grid => upsideDown(leftRight(grid));

export const IDENTITY = bijection(
  'identity',
  (grid) => grid,
  (grid) => grid,
);
export const ROTATE_90 = bijection('rotate-90', clockwise, counterclockwise);
export const ROTATE_180 = bijection('rotate-180', halfTurn, halfTurn);
export const ROTATE_270 = bijection('rotate-270', counterclockwise, clockwise);
export const FLIP_VERTICAL = bijection('flip-vertical', upsideDown, upsideDown);
export const FLIP_HORIZONTAL = bijection('flip-horizontal', leftRight, leftRight);
export const TRANSPOSE = bijection('transpose', transposed, transposed);

/**
 * Moves every cell down and to the right; what leaves on one side enters on the other. The distance is the same for all grids of a
 * task, modulo their sides.
 */
export function shift(down: number, right: number): Bijection {
  const moved = (grid: Grid, rows: number, columns: number): Grid => {
    const [height, width] = [heightOf(grid), widthOf(grid)];
    const from = (place: number, distance: number, size: number): number => (((place - distance) % size) + size) % size;
    return gridOf(height, width, (row, column) => grid[from(row, rows, height)]![from(column, columns, width)]!);
  };
  return bijection(
    `shift-${down}-${right}`,
    (grid) => moved(grid, down, right),
    (grid) => moved(grid, -down, -right),
  );
}

/** Distances of a random shift are below it (the released tools' bound). */
const SHIFT_BOUND = 4;

/** A shift by 0 … 3 in either direction, and not by 0 in both. */
function randomShift(random: Random): Bijection {
  const distance = 1 + random.int(SHIFT_BOUND * SHIFT_BOUND - 1);
  return shift(Math.floor(distance / SHIFT_BOUND), distance % SHIFT_BOUND);
}

/**
 * Replaces colour c by `colours[c]`.
 * @param colours a permutation of 0 … 9
 */
export function recolour(colours: readonly number[]): Bijection {
  const back = Array.from(colours, (_, colour) => colours.indexOf(colour));
  const by = (map: readonly number[]) => (grid: Grid) => grid.map((row) => row.map((colour) => map[colour]!));
  return bijection(`recolour-${colours.join('')}`, by(colours), by(back));
}

/** A uniform permutation of the colours 1 … 9; the background stays. */
export function randomRecolour(random: Random): Bijection {
  const colours = Array.from({ length: NUM_COLOURS - 1 }, (_, index) => index + 1);
  return recolour([BACKGROUND, ...random.shuffled(colours)]);
}

/** Along one axis: how much longer it becomes, and which place of the grid a place of the result copies. */
interface AxisMap {
  readonly factor: number;
  source(place: number, size: number): number;
}

const SAME: AxisMap = { factor: 1, source: (place) => place };
const STRETCHED: AxisMap = { factor: 2, source: (place) => Math.floor(place / 2) };
const REPEATED: AxisMap = { factor: 2, source: (place, size) => place % size };
const MIRRORED_AFTER: AxisMap = {
  factor: 2,
  source: (place, size) => (place < size ? place : 2 * size - 1 - place),
};
const MIRRORED_BEFORE: AxisMap = {
  factor: 2,
  source: (place, size) => (place < size ? size - 1 - place : place - size),
};

function enlargement(name: string, rows: AxisMap, columns: AxisMap): Enlargement {
  const enlarged = (grid: Grid): Grid => {
    const [height, width] = [heightOf(grid), widthOf(grid)];
    return gridOf(
      height * rows.factor,
      width * columns.factor,
      (row, column) => grid[rows.source(row, height)]![columns.source(column, width)]!,
    );
  };
  const inverse = (grid: Grid): Grid | undefined => {
    const [height, width] = [heightOf(grid) / rows.factor, widthOf(grid) / columns.factor];
    if (!Number.isInteger(height) || !Number.isInteger(width)) return undefined;
    const copied = gridOf(height, width, () => BACKGROUND) as number[][];
    for (const [row, cells] of grid.entries())
      for (const [column, colour] of cells.entries())
        copied[rows.source(row, height)]![columns.source(column, width)] = colour;
    return isSameGrid(enlarged(copied), grid) ? copied : undefined;
  };
  const fits = (grid: Grid): boolean =>
    heightOf(grid) * rows.factor <= MAX_SIDE && widthOf(grid) * columns.factor <= MAX_SIDE;
  return { kind: 'enlargement', name, apply: (grid) => (fits(grid) ? enlarged(grid) : undefined), inverse };
}

const DOUBLE_RESOLUTION = enlargement('double-resolution', STRETCHED, STRETCHED);

/** First the bijection, then twice the resolution. */
function thenDoubled(first: Bijection): Enlargement {
  return {
    kind: 'enlargement',
    name: `${first.name}-then-double-resolution`,
    apply: (grid) => DOUBLE_RESOLUTION.apply(first.apply(grid)),
    inverse: (grid) => {
      const halved = DOUBLE_RESOLUTION.inverse(grid);
      return halved === undefined ? undefined : first.inverse(halved);
    },
  };
}

const TURNS = [ROTATE_90, ROTATE_180, ROTATE_270, FLIP_VERTICAL, FLIP_HORIZONTAL, TRANSPOSE];

/** What each switch of a tool configuration adds. The shift is drawn from `random`; everything else is fixed. */
const FAMILIES = {
  basic: (random: Random): Augmentation[] => [
    ...TURNS,
    enlargement('mirror-above', MIRRORED_BEFORE, SAME),
    enlargement('mirror-below', MIRRORED_AFTER, SAME),
    enlargement('mirror-left', SAME, MIRRORED_BEFORE),
    enlargement('mirror-right', SAME, MIRRORED_AFTER),
    randomShift(random),
  ],
  size: (): Augmentation[] => [
    DOUBLE_RESOLUTION,
    enlargement('double-height', STRETCHED, SAME),
    enlargement('double-width', SAME, STRETCHED),
  ],
  chain: (): Augmentation[] => TURNS.map(thenDoubled),
  repeat: (): Augmentation[] => [
    enlargement('repeat-down', REPEATED, SAME),
    enlargement('repeat-right', SAME, REPEATED),
    enlargement('repeat-both', REPEATED, REPEATED),
  ],
} as const;

export type AugmentationFamily = keyof typeof FAMILIES;

export const AUGMENTATION_FAMILIES = Object.keys(FAMILIES) as readonly AugmentationFamily[];

/** The augmentations of a family; the same seed draws the same ones. */
export function augmentationsOf(family: AugmentationFamily, random: Random): readonly Augmentation[] {
  return FAMILIES[family](random);
}
