import { addedTallies, areOfOneJudge, isSameJudge, tallyJudges } from './judges.js';

const judge = (revision: string | null, model = 'qwen') => ({ model, revision });

describe('models whose opinions verdicts are', () => {
  it('are counted by model and revision, the most frequent first; a verdict without a model counts for none', () => {
    expect(tallyJudges([judge('a'), null, judge('b'), judge('b'), judge(null)])).toEqual([
      { ...judge('b'), verdicts: 2 },
      { ...judge('a'), verdicts: 1 },
      { ...judge(null), verdicts: 1 },
    ]);
    expect(tallyJudges([null])).toEqual([]);
  });

  it('are few on record, however many revisions a server reports', () => {
    const tallies = tallyJudges(Array.from({ length: 1000 }, (_, index) => judge(`fp_${index}`)));
    expect(tallies).toHaveLength(17);
    expect(tallies.at(-1)).toEqual({ model: 'qwen', revision: '984 other revisions', verdicts: 984 });
  });

  it('are added up', () => {
    const one = tallyJudges([judge('a'), judge('b')]);
    expect(addedTallies(one, tallyJudges([judge('b')]))).toEqual([
      { ...judge('b'), verdicts: 2 },
      { ...judge('a'), verdicts: 1 },
    ]);
  });

  it('have those that are not told apart in the last row, also when tallies are added', () => {
    const of = (from: number, count: number, times: number) =>
      tallyJudges(Array.from({ length: count * times }, (_, index) => judge(`fp_${from + (index % count)}`)));
    const many = of(0, 2016, 1);
    expect(many.at(-1)).toEqual({ model: 'qwen', revision: '2,000 other revisions', verdicts: 2000 });
    const added = addedTallies(many, of(0, 16, 9), of(5000, 17, 2));
    expect(added).toHaveLength(17);
    // Of the named ones the sixteen that are most frequent remain; the other sixteen and both last rows are one.
    expect(added.slice(0, 16).map(({ verdicts }) => verdicts)).toEqual(Array.from({ length: 16 }, () => 10));
    expect(added.at(-1)).toEqual({ model: 'qwen', revision: '2,017 other revisions', verdicts: 2000 + 34 });
    expect(addedTallies(added, [], added).at(-1)).toMatchObject({ revision: '4,034 other revisions', verdicts: 4068 });
    expect(addedTallies(added)).toEqual(added);
  });

  it('have the names that a server reports, even where that looks like the last row', () => {
    const tallies = tallyJudges([judge('3 other revisions'), judge('3 other revisions'), judge('a')]);
    expect(addedTallies(tallies, tallies)).toEqual([
      { ...judge('3 other revisions'), verdicts: 4 },
      { ...judge('a'), verdicts: 2 },
    ]);
  });

  it('are the same in one revision of one model; a verdict without a model can be compared with any', () => {
    expect(isSameJudge(judge('a'), judge('a'))).toBe(true);
    expect(isSameJudge(judge('a'), judge('b'))).toBe(false);
    expect(isSameJudge(judge('a'), judge('a', 'other'))).toBe(false);
    expect(isSameJudge(judge('a'), judge(null))).toBe(false);
    expect(isSameJudge(judge('a'), null)).toBe(true);
    expect(areOfOneJudge(tallyJudges([judge('a')]), [], tallyJudges([judge('a')]))).toBe(true);
    expect(areOfOneJudge(tallyJudges([judge('a')]), tallyJudges([judge('b')]))).toBe(false);
    // A mix of revisions is the same as nothing, itself included.
    expect(isSameJudge(judge('a, b'), judge('a, b'))).toBe(false);
    expect(isSameJudge(judge('a, b'), null)).toBe(false);
    expect(areOfOneJudge(tallyJudges([judge('a, b')]), tallyJudges([judge('a, b')]))).toBe(false);
  });
});
