import fc from 'fast-check';
import { cellAccuracy, scoreTask } from './scoring.js';
import { anyGrid } from './testing.js';

const RIGHT = [
  [1, 2],
  [3, 4],
];
const WRONG = [
  [1, 2],
  [3, 0],
];

describe('the share of cells that agree', () => {
  it('counts the cells of either grid, so that another shape costs what it has too much or too little', () => {
    expect(cellAccuracy(WRONG, RIGHT)).toBe(3 / 4);
    expect(cellAccuracy([[1, 2]], RIGHT)).toBe(2 / 4);
    expect(cellAccuracy([[1, 2, 3]], RIGHT)).toBe(2 / 5);
    expect(cellAccuracy([...RIGHT, [5, 6]], RIGHT)).toBe(4 / 6);
  });

  it('is symmetric, within [0, 1], and 1 for equal grids alone', () => {
    fc.assert(
      fc.property(anyGrid(4), anyGrid(4), (a, b) => {
        const share = cellAccuracy(a, b);
        expect(cellAccuracy(b, a)).toBe(share);
        expect(share >= 0 && share <= 1).toBe(true);
        expect(share === 1).toBe(JSON.stringify(a) === JSON.stringify(b));
        expect(cellAccuracy(a, a)).toBe(1);
      }),
    );
  });
});

describe('the score of a task', () => {
  it('is solved when each output is right in one of its two attempts', () => {
    expect(scoreTask([[WRONG, RIGHT], [RIGHT]], [RIGHT, RIGHT])).toEqual({
      isSolved: true,
      outputs: [
        { isRight: true, cellAccuracy: 1 },
        { isRight: true, cellAccuracy: 1 },
      ],
      cellAccuracy: 1,
    });
  });

  it('is not solved by some of the outputs, nor without attempts', () => {
    const score = scoreTask([[RIGHT], [WRONG, [[1]]], []], [RIGHT, RIGHT, RIGHT]);
    expect(score.isSolved).toBe(false);
    expect(score.outputs).toEqual([
      { isRight: true, cellAccuracy: 1 },
      { isRight: false, cellAccuracy: 0.75 },
      { isRight: false, cellAccuracy: 0 },
    ]);
    expect(score.cellAccuracy).toBeCloseTo(1.75 / 3, 14);
  });

  it('refuses a third attempt, and lists that do not fit the outputs', () => {
    expect(() => scoreTask([[WRONG, WRONG, RIGHT]], [RIGHT])).toThrow(
      'Cannot score an output: expected at most 2 attempts, got 3',
    );
    expect(() => scoreTask([[RIGHT]], [RIGHT, RIGHT])).toThrow('got 1 for 2');
    expect(() => scoreTask([], [])).toThrow('got 0 for 0');
  });
});
