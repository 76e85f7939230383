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

  it('are the same in one revision of one model; a verdict without a model can be compared with any', () => {
    expect(isSameJudge(judge('a'), judge('a'))).toBe(true);
    expect(isSameJudge(judge('a'), judge('b'))).toBe(false);
    expect(isSameJudge(judge('a'), judge('a', 'other'))).toBe(false);
    expect(isSameJudge(judge('a'), judge(null))).toBe(false);
    expect(isSameJudge(judge('a'), null)).toBe(true);
    expect(areOfOneJudge(tallyJudges([judge('a')]), [], tallyJudges([judge('a')]))).toBe(true);
    expect(areOfOneJudge(tallyJudges([judge('a')]), tallyJudges([judge('b')]))).toBe(false);
  });
});
