/**
 * Rules that a task can have. Each is one function of a grid; its parameters are drawn once per task and are the same for all of its
 * pairs. Inputs have sides of 3 … 8 or less, and the background is colour 0.
 */
import type { Random } from '@seamstream/kernel';
import { FLIP_HORIZONTAL, ROTATE_90, shift, TRANSPOSE } from './augmentations.js';
import { BACKGROUND, type Grid, gridOf, heightOf, NUM_COLOURS, widthOf } from './grid.js';

export type Parameters = Readonly<Record<string, number>>;

interface Family {
  /** In one sentence, for people. */
  readonly summary: string;
  draw(random: Random): Parameters;
  input(drawing: Drawing, parameters: Parameters): Grid;
  rule(grid: Grid, parameters: Parameters): Grid;
}

/** What inputs are drawn from. */
interface Drawing {
  readonly random: Random;
  /** Longest side of an input, {@link MIN_SIDE} … {@link DEFAULT_MAX_SIDE}. */
  readonly maxSide: number;
}

/** A ring that encloses a cell needs as much. */
const MIN_SIDE = 3;
export const DEFAULT_MAX_SIDE = 8;

const side = ({ random, maxSide }: Drawing): number => MIN_SIDE + random.int(maxSide - MIN_SIDE + 1);
const colour = (random: Random): number => 1 + random.int(NUM_COLOURS - 1);

/** Cells of up to three colours at random places; about a share of the cells is filled. */
function scattered(drawing: Drawing, share = 0.35): Grid {
  const { random } = drawing;
  const colours = [colour(random), colour(random), colour(random)];
  return gridOf(side(drawing), side(drawing), () => (random.float() < share ? random.pick(colours) : BACKGROUND));
}

/** As {@link scattered}, with at least one cell of the colour. */
function scatteredWith(drawing: Drawing, wanted: number): Grid {
  const { random } = drawing;
  const grid = scattered(drawing);
  const [row, column] = [random.int(heightOf(grid)), random.int(widthOf(grid))];
  return gridOf(heightOf(grid), widthOf(grid), (i, j) => (i === row && j === column ? wanted : grid[i]![j]!));
}

/** A filled rectangle with some cells of another colour, somewhere on the background. */
function block(drawing: Drawing): Grid {
  const { random } = drawing;
  const [height, width] = [side(drawing), side(drawing)];
  const [top, left] = [random.int(height - 1), random.int(width - 1)];
  const [bottom, right] = [top + random.int(height - top), left + random.int(width - left)];
  const [fill, spot] = [colour(random), colour(random)];
  const isInside = (row: number, column: number): boolean =>
    top <= row && row <= bottom && left <= column && column <= right;
  return gridOf(height, width, (row, column) => {
    if (!isInside(row, column)) return BACKGROUND;
    return random.float() < 0.3 ? spot : fill;
  });
}

/** The outline of a rectangle that encloses at least one cell. */
function ring(drawing: Drawing): Grid {
  const { random } = drawing;
  const [height, width] = [side(drawing), side(drawing)];
  const [top, left] = [random.int(height - 2), random.int(width - 2)];
  const [bottom, right] = [top + 2 + random.int(height - top - 2), left + 2 + random.int(width - left - 2)];
  const line = colour(random);
  const isOn = (place: number, low: number, high: number): boolean => low <= place && place <= high;
  return gridOf(height, width, (row, column) => {
    const isEdge = row === top || row === bottom || column === left || column === right;
    return isEdge && isOn(row, top, bottom) && isOn(column, left, right) ? line : BACKGROUND;
  });
}

const none = (): Parameters => ({});
const oneColour = (random: Random): Parameters => ({ colour: colour(random) });
const twoColours = (random: Random): Parameters => {
  const first = colour(random);
  return { from: first, to: 1 + ((first + random.int(NUM_COLOURS - 2)) % (NUM_COLOURS - 1)) };
};
const map = (grid: Grid, change: (colour: number) => number): Grid => grid.map((row) => row.map(change));
const cellsOf = (grid: Grid): readonly number[] => grid.flat();

export const FAMILIES = {
  recolour: {
    summary: 'Cells of one colour get another.',
    draw: twoColours,
    input: (drawing, { from }) => scatteredWith(drawing, from!),
    rule: (grid, { from, to }) => map(grid, (each) => (each === from ? to! : each)),
  },
  'swap-colours': {
    summary: 'Two colours change places.',
    draw: twoColours,
    input: (drawing, { from }) => scatteredWith(drawing, from!),
    rule: (grid, { from, to }) => map(grid, (each) => (each === from ? to! : each === to ? from! : each)),
  },
  flip: {
    summary: 'Left and right change places.',
    draw: none,
    input: (drawing) => scattered(drawing),
    rule: (grid) => FLIP_HORIZONTAL.apply(grid),
  },
  rotate: {
    summary: 'The grid turns clockwise by 90 degrees.',
    draw: none,
    input: (drawing) => scattered(drawing),
    rule: (grid) => ROTATE_90.apply(grid),
  },
  transpose: {
    summary: 'Rows become columns.',
    draw: none,
    input: (drawing) => scattered(drawing),
    rule: (grid) => TRANSPOSE.apply(grid),
  },
  shift: {
    summary: 'All cells move by one distance, around the edges.',
    draw: (random) => ({ down: random.int(3), right: 1 + random.int(2) }),
    input: (drawing) => scattered(drawing),
    rule: (grid, { down, right }) => shift(down!, right!).apply(grid),
  },
  gravity: {
    summary: 'Filled cells fall to the bottom of their column and keep their order.',
    draw: none,
    input: (drawing) => scattered(drawing),
    rule: fallen,
  },
  frame: {
    summary: 'The outermost cells get a colour.',
    draw: oneColour,
    input: (drawing) => scattered(drawing),
    rule: (grid, { colour: frame }) =>
      gridOf(heightOf(grid), widthOf(grid), (row, column) =>
        isOutermost(grid, row, column) ? frame! : grid[row]![column]!,
      ),
  },
  fill: {
    summary: 'Background that is enclosed gets a colour.',
    draw: oneColour,
    input: ring,
    rule: (grid, { colour: fill }) => filled(grid, fill!),
  },
  crop: {
    summary: 'Only the smallest rectangle with all filled cells is left.',
    draw: none,
    input: block,
    rule: cropped,
  },
  mirror: {
    summary: 'A mirror image is added on the right.',
    draw: none,
    input: (drawing) => scattered(drawing),
    rule: (grid) => grid.map((row) => [...row, ...row.toReversed()]),
  },
  stretch: {
    summary: 'Every cell becomes a square of cells.',
    draw: (random) => ({ factor: 2 + random.int(2) }),
    input: (drawing) => scattered(drawing),
    rule: (grid, { factor }) =>
      gridOf(
        heightOf(grid) * factor!,
        widthOf(grid) * factor!,
        (row, column) => grid[Math.floor(row / factor!)]![Math.floor(column / factor!)]!,
      ),
  },
  tile: {
    summary: 'The grid is repeated downwards and to the right.',
    draw: none,
    input: (drawing) => scattered(drawing),
    rule: (grid) => [...grid, ...grid].map((row) => [...row, ...row]),
  },
  count: {
    summary: 'One row with as many cells as the grid has cells of a colour.',
    draw: oneColour,
    input: (drawing, { colour: counted }) => scatteredWith(drawing, counted!),
    rule: (grid, { colour: counted }) => {
      const cells = cellsOf(grid).filter((each) => each === counted);
      // A row of a grid has at least one cell and at most 30.
      return [cells.length === 0 ? [BACKGROUND] : cells.slice(0, 30)];
    },
  },
  rays: {
    summary: 'The first filled cell of a row colours the row.',
    draw: none,
    input: (drawing) => scattered(drawing, 0.15),
    rule: (grid) =>
      grid.map((row) => {
        const first = row.find((each) => each !== BACKGROUND) ?? BACKGROUND;
        return row.map(() => first);
      }),
  },
  'most-common': {
    summary: 'One cell of the colour that most filled cells have; of equal numbers, the lowest colour.',
    draw: none,
    input: (drawing) => scattered(drawing),
    rule: mostCommon,
  },
} as const satisfies Readonly<Record<string, Family>>;

export type FamilyName = keyof typeof FAMILIES;

function fallen(grid: Grid): Grid {
  const columns = TRANSPOSE.apply(grid).map((column) => {
    const filledCells = column.filter((each) => each !== BACKGROUND);
    return [...Array.from({ length: column.length - filledCells.length }, () => BACKGROUND), ...filledCells];
  });
  return TRANSPOSE.apply(columns);
}

function isOutermost(grid: Grid, row: number, column: number): boolean {
  return row === 0 || column === 0 || row === heightOf(grid) - 1 || column === widthOf(grid) - 1;
}

/** Background that no path over background, through sides of cells, leads from to the edge. */
function filled(grid: Grid, fill: number): Grid {
  const open = new Set<string>();
  const reach = (row: number, column: number): void => {
    const place = `${row},${column}`;
    if (grid[row]?.[column] !== BACKGROUND || open.has(place)) return;
    open.add(place);
    reach(row - 1, column);
    reach(row + 1, column);
    reach(row, column - 1);
    reach(row, column + 1);
  };
  for (const [row, cells] of grid.entries())
    for (const column of cells.keys()) if (isOutermost(grid, row, column)) reach(row, column);
  return gridOf(heightOf(grid), widthOf(grid), (row, column) => {
    const each = grid[row]![column]!;
    return each === BACKGROUND && !open.has(`${row},${column}`) ? fill : each;
  });
}

function cropped(grid: Grid): Grid {
  const isFilled = (cells: readonly number[]): boolean => cells.some((each) => each !== BACKGROUND);
  const columns = TRANSPOSE.apply(grid);
  const [top, bottom] = [grid.findIndex(isFilled), grid.findLastIndex(isFilled)];
  const [left, right] = [columns.findIndex(isFilled), columns.findLastIndex(isFilled)];
  return top === -1 ? [[BACKGROUND]] : grid.slice(top, bottom + 1).map((row) => row.slice(left, right + 1));
}

function mostCommon(grid: Grid): Grid {
  const counts = Array.from({ length: NUM_COLOURS }, () => 0);
  for (const each of cellsOf(grid)) if (each !== BACKGROUND) counts[each]!++;
  const most = Math.max(...counts);
  return [[most === 0 ? BACKGROUND : counts.indexOf(most)]];
}
