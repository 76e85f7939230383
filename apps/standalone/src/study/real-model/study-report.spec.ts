import type { Piece, StudyRow } from './measure-piece.js';
import { priceTables } from './price-tables.js';
import { essenceReport, joined, leaksOf, readByEssence, rowReports, verdictOf } from './study-report.js';

const pieceOf = (rows: Partial<Record<StudyRow, readonly (boolean | null)[]>>): Piece => ({
  rows,
  entries: ['an entry', null],
  leaks: { withAnswer: 1, statedByProblem: 1, byChance: 0 },
});
const times = (solved: boolean, count: number): readonly boolean[] => Array.from({ length: count }, () => solved);

describe('the rows of a study', () => {
  it('are joined in the order of the pieces; a row that a piece lacks is left out', () => {
    const rows = joined([
      pieceOf({ noExperience: [true, false], trained: [true, true], filler: [true, false] }),
      pieceOf({ noExperience: [false, null], trained: [false, true] }),
    ]);
    expect([...rows]).toEqual([
      ['noExperience', [true, false, false, null]],
      ['trained', [true, true, false, true]],
    ]);
  });

  it('count rescued and broken problems against the executor alone, over problems that both judged', () => {
    const { trained, noExperience } = rowReports(
      new Map([
        ['noExperience', [true, true, false, false, null]],
        ['trained', [true, false, true, true, true]],
      ]),
    );
    expect(trained).toMatchObject({ problems: 5, successes: 4, rescued: 2, broken: 1, trainedAhead: null });
    expect(trained!.lift!.value).toBeCloseTo(1 / 4);
    expect(noExperience!.trainedAhead!.value).toBeCloseTo(1 / 4);
    expect(noExperience).toMatchObject({ problems: 4, successes: 2, lift: null });
  });

  it('say that it learned where the paired interval between before and after lies above zero, and only there', () => {
    const verdict = (before: readonly boolean[], after: readonly boolean[]): string =>
      verdictOf({
        rows: rowReports(
          new Map([
            ['untrained', before],
            ['trained', after],
          ]),
        ),
      });
    expect(verdict(times(false, 40), [...times(true, 20), ...times(false, 20)])).toMatch(
      /^It learned: .*\+50\.0 points/,
    );
    expect(verdict([...times(true, 20), ...times(false, 20)], times(false, 40))).toMatch(
      /^It got worse: .*−50\.0 points/,
    );
    expect(verdict(times(false, 40), [true, ...times(false, 39)])).toMatch(/^No difference was shown: .*\+2\.5 points/);
  });
});

it('leaks are added up, among entries that were written', () => {
  expect(leaksOf([pieceOf({}), pieceOf({})])).toEqual({ entries: 2, withAnswer: 2, statedByProblem: 2, byChance: 0 });
});

describe('an entry that is the answer in another form', () => {
  const essence = priceTables('templates').essence!;
  const problems = priceTables('templates').problems('heldOut', 1, 4);
  const [first, second, third] = problems.map(({ reference }) => /\$\d+$/.exec(reference)![0]);
  const entryOf = (price: string): string => JSON.stringify({ fact: `The price of wine: ${price}` });
  const entries = [entryOf(first!), entryOf(`${second!}0`), entryOf(third!), null];

  it('is read by the price, in any words; no entry is no reading', () => {
    expect(readByEssence(essence, problems, entries)).toEqual([true, false, true, null]);
    expect(readByEssence(essence, problems, [JSON.stringify({ fact: 'no price' })])[0]).toBe(false);
  });

  it('is counted among entries, and among what the executor solved with one', () => {
    const read = readByEssence(essence, problems, entries);
    expect(essenceReport(essence, read, [true, true, false, false])).toEqual({
      ...{ name: 'the right price', entries: 3, holding: 2, solvedHolding: 1, solved: 2 },
    });
  });
});
