import { type Counted, fitAdditive } from './additive.js';

const LABELS = ['a', 'b', 'c'];
const rowsOf = (labelOf: (x: number, y: number) => number, size = 3): readonly Counted[] =>
  Array.from({ length: size * size }, (_, at) => {
    const [x, y] = [Math.floor(at / size), at % size];
    return { features: [`x${x}`, `y${y}`], counts: new Map([[LABELS[labelOf(x, y)]!, 5]]) };
  });
const rightOf = (rows: readonly Counted[]): number => {
  const score = fitAdditive(rows, LABELS);
  const right = rows.filter(({ features, counts }) => {
    const scores = LABELS.map((label) => score(features, label));
    return counts.has(LABELS[scores.indexOf(Math.max(...scores))]!);
  });
  return right.length / rows.length;
};

describe('a regression on single features', () => {
  it('finds a label that one feature decides, and one that a sum decides', () => {
    expect(rightOf(rowsOf((x) => x))).toBe(1);
    expect(rightOf(rowsOf((x, y) => (x + y < 2 ? 0 : x + y < 3 ? 1 : 2)))).toBe(1);
  });

  it('cannot find a label that one feature turns to the next', () => {
    expect(rightOf(rowsOf((x, y) => (x + y) % 3))).toBeLessThan(0.7);
  });

  it('gives the shares that it was shown, and 0 to a feature that it never met', () => {
    const rows = [
      {
        features: ['x'],
        counts: new Map([
          ['a', 3],
          ['b', 1],
        ]),
      },
    ];
    const score = fitAdditive(rows, ['a', 'b']);
    const odds = score(['x'], 'a') - score(['x'], 'b');
    expect(Math.exp(odds)).toBeCloseTo(3, 1);
    expect(score(['other'], 'a')).toBe(0);
  });

  it('leaves out what has none of the labels', () => {
    const rows = rowsOf((x) => x);
    const unlabelled = { features: ['x0', 'z'], counts: new Map([['of another kind', 4]]) };
    const [score, without] = [fitAdditive([...rows, unlabelled], LABELS), fitAdditive(rows, LABELS)];
    for (const label of LABELS) {
      expect(score(['x0', 'y1'], label)).toBe(without(['x0', 'y1'], label));
      expect(score(['z'], label)).toBe(0);
    }
  });
});
