import fc from 'fast-check';
import { isSameGrid, parseGrid, printGrid, readGrid } from './grid.js';
import { parseGridTask } from './grid-task.js';
import { anyGrid } from './testing.js';

describe('the text of a grid', () => {
  it('is a line per row and a digit per cell', () => {
    const grid = [
      [0, 7, 0],
      [7, 7, 9],
    ];
    expect(printGrid(grid)).toBe('070\n779');
  });

  it('is read with spaces and without, and white space around it does not count', () => {
    const grid = [
      [0, 7],
      [7, 7],
    ];
    for (const text of ['07\n77', '0 7\n7 7', ' \n0 7 \r\n 77\n\n']) expect(parseGrid(text)).toEqual(grid);
  });

  it('gives the same grid back, and differs for different grids', () => {
    fc.assert(
      fc.property(anyGrid(), anyGrid(), (a, b) => {
        expect(parseGrid(printGrid(a))).toEqual(a);
        expect(parseGrid(a.map((row) => row.join(' ')).join('\n'))).toEqual(a);
        expect(isSameGrid(a, b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
  });

  it.each([
    ['', 'rows of digits, got "" in row 1'],
    ['01\n0x', 'rows of digits, got "0x" in row 2'],
    ['01\n\n01', 'rows of digits, got "" in row 2'],
    ['0  1', 'rows of digits, got "0  1" in row 1'],
    ['-1 2', 'rows of digits, got "-1 2" in row 1'],
    ['01\n012', '2 cells in every row, got 3 in row 2'],
    ['01\n0', '2 cells in every row, got 1 in row 2'],
    ['0'.repeat(31), '1 to 30 cells in a row, got 31 in row 1'],
    ['0\n'.repeat(31), '1 to 30 rows, got 31 rows'],
    ['0'.repeat(100_000), 'at most 1920 characters, got 100000 characters'],
  ])('%j is refused with what was expected', (text, message) => {
    expect(() => parseGrid(text)).toThrow(`Cannot read a grid: expected ${message}`);
    expect(readGrid(text)).toBeUndefined();
  });
});

describe("a task in ARC's JSON", () => {
  const pair = { input: [[1]], output: [[2]] };

  it('has training pairs and queries, whose outputs may be missing', () => {
    const task = { train: [pair, pair], test: [pair, { input: [[3]] }] };
    expect(parseGridTask({ ...task, name: 'added by a copy' })).toEqual(task);
  });

  it.each([
    [null, 'an object with "train" and "test", got null'],
    [{ test: [pair] }, '1 to 100 pairs at train, got nothing'],
    [{ train: [], test: [pair] }, '1 to 100 pairs at train, got []'],
    [{ train: [{ input: [[1]] }], test: [pair] }, 'a list of rows at train[0].output, got nothing'],
    [{ train: [pair], test: [{ input: [[10]] }] }, 'a colour, 0 to 9 at test[0].input[0][0], got 10'],
    [{ train: [pair], test: [{ input: [[0.5]] }] }, 'a colour, 0 to 9 at test[0].input[0][0], got 0.5'],
    [{ train: [pair], test: [{ input: [[1], [1, 2]] }] }, 'rows of one length at test[0].input, got [[1],[1,2]]'],
    [{ train: [pair], test: [{ input: [[]] }] }, '1 to 30 cells in a row at test[0].input[0], got []'],
    [{ train: [pair], test: [{ input: Array(31).fill([1]) }] }, '1 to 30 rows at test[0].input'],
  ])('%j is refused with the place of the fault', (value, message) => {
    expect(() => parseGridTask(value)).toThrow(`Cannot read a grid task: expected ${message}`);
  });
});
