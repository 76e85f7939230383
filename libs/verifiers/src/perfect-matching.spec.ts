import fc from 'fast-check';
import { hasPerfectMatching } from './perfect-matching.js';

/** Columns that fit each row, as bits. */
const fitting = (rows: readonly number[]): boolean =>
  hasPerfectMatching(rows.length, (row, column) => isIn(rows[row]!, column));
const isIn = (columns: number, column: number): boolean => ((columns >> column) & 1) === 1;

describe('a perfect matching', () => {
  it('is found where trying every assignment finds one, and nowhere else', () => {
    const answers = new Set<boolean>();
    fc.assert(
      fc.property(tables, (rows) => {
        const expected = triedAll(rows);
        answers.add(expected);
        expect(fitting(rows)).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
    expect(answers.size).toBe(2);
  });

  it('is found in a hidden order among other columns that fit, however many rows have to change theirs', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.integer(), (size, seed) => {
        const own = Array.from({ length: size }, (_, row) => (row * 7 + Math.abs(seed % size)) % size);
        fc.pre(new Set(own).size === size);
        const fits = (row: number, column: number): boolean =>
          own[row] === column || (row * 31 + column * 17 + seed) % 11 === 0;
        expect(hasPerfectMatching(size, fits)).toBe(true);
      }),
    );
  });

  it('takes a column from the row that came first where only so the last one has any', () => {
    expect(fitting([0b11, 0b01])).toBe(true);
    // Every row fits its own column and the next; the last fits the first only, so that all others move on.
    const size = 500;
    const fits = (row: number, column: number): boolean =>
      row === size - 1 ? column === 0 : column === row || column === row + 1;
    expect(hasPerfectMatching(size, fits)).toBe(true);
  });

  it('is not there where three rows share two columns, or a row has none', () => {
    expect(fitting([0b011, 0b011, 0b011])).toBe(false);
    expect(fitting([0b111, 0b000, 0b111])).toBe(false);
  });

  it('asks once for each pair', () => {
    const asked: string[] = [];
    hasPerfectMatching(3, (row, column) => {
      asked.push(`${row},${column}`);
      return row !== column;
    });
    expect(new Set(asked).size).toBe(9);
    expect(asked).toHaveLength(9);
  });
});

/** By trying every column for the first row, each rest for the others. */
function triedAll([columns, ...rest]: readonly number[], taken = 0, size = rest.length + 1): boolean {
  if (columns === undefined) return true;
  return Array.from({ length: size }, (_, column) => column).some(
    (column) =>
      isIn(columns, column) &&
      !isIn(taken, column) &&
      (rest.length === 0 || triedAll(rest, taken | (1 << column), size)),
  );
}

/** Square tables of up to six rows. Most have few fitting columns: in full ones any choice succeeds. */
const tables = fc.tuple(fc.integer({ min: 0, max: 6 }), fc.constantFrom(1, 2, 3)).chain(([size, density]) =>
  fc.array(
    fc
      .array(fc.integer({ min: 0, max: Math.max(0, size - 1) }), { minLength: 1, maxLength: density })
      .map((columns) => columns.reduce((bits, column) => bits | (1 << column), 0)),
    { minLength: size, maxLength: size },
  ),
);
