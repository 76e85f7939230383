import { Random } from '@seamstream/kernel';
import { harmfulStrata, type StratumStages } from './harmful-strata.js';

const stratum = (name: string, counts: readonly number[], treatedShare = 0.5): StratumStages => ({
  name,
  stages: [{ treatedShare, counts: counts.map((problems, k) => ({ treated: k > 1, result: k % 2, problems })) }],
});
const HARMED = [100, 300, 300, 100];
const EQUAL = [100, 300, 100, 300];

describe('harmed strata', () => {
  const weights = new Map([
    ['a', 0.5],
    ['b', 0.4],
  ]);

  it('are those that do worse with the treatment, and no others', () => {
    const strata = [
      stratum('a', HARMED),
      stratum('b', EQUAL),
      stratum('c', HARMED),
      stratum('d', [300, 100, 100, 300]),
    ];
    expect(harmfulStrata(strata, { alpha: 0.05, weights })).toEqual(['a', 'c']);
  });

  it('need more evidence where the plan gave them less of the risk, and more the later they appear without a weight', () => {
    // Evidence of about 90 in one stratum.
    const some = [40, 60, 60, 40].map((each) => each * 2.5);
    const named = (name: string, part: number) =>
      harmfulStrata([stratum(name, some)], { alpha: 0.05, weights: new Map([[name, part]]) });
    expect(named('a', 1)).toEqual(['a']);
    expect(named('a', 0.001)).toEqual([]);
    const later = Array.from({ length: 40 }, (_, i) => stratum(`n${i}`, some));
    const harmed = harmfulStrata(later, { alpha: 0.05, weights: new Map() });
    expect(harmed[0]).toBe('n0');
    expect(harmed.length).toBeLessThan(10);
  });

  it('are refused for weights that spend more than the risk', () => {
    const spent = new Map([
      ['a', 0.7],
      ['b', 0.4],
    ]);
    expect(() => harmfulStrata([], { alpha: 0.05, weights: spent })).toThrow(/weights that sum to 1 at most/);
    expect(() => harmfulStrata([], { alpha: 1, weights })).toThrow(/risk between 0 and 1/);
    expect(() => harmfulStrata([], { alpha: 0.1, weights: new Map([['a', -0.1]]) })).toThrow(/weights that sum/);
  });

  it('are found wrongly in at most one of twenty logs of eight strata without an effect, looked at all the time', () => {
    let wrong = 0;
    for (let log = 0; log < 60; log++) {
      const random = Random.of('strata', log);
      const strata = Array.from({ length: 8 }, (_, i) => ({ name: `s${i}`, counts: [0, 0, 0, 0] }));
      let isWrong = false;
      for (let i = 1; i <= 1600 && !isWrong; i++) {
        const { counts } = strata[random.int(8)]!;
        counts[(random.float() < 0.5 ? 2 : 0) + (random.float() < 0.6 ? 1 : 0)]!++;
        if (i % 80 !== 0) continue;
        const all = strata.map(({ name, counts: own }) => stratum(name, own));
        isWrong = harmfulStrata(all, { alpha: 0.05, weights: new Map([['s0', 0.5]]) }).length > 0;
      }
      wrong += Number(isWrong);
    }
    // 5 % of 60 are 3; 8 or more come in one of a hundred runs of a method that just keeps its promise.
    expect(wrong).toBeLessThan(8);
  });
});
