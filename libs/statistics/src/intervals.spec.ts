import { Random } from '@seamstream/kernel';
import fc from 'fast-check';
import {
  bootstrapMean,
  boundedMean,
  cyclicDerangement,
  majorityVote,
  mean,
  pairedDifference,
  passAtK,
  wilsonInterval,
} from './intervals.js';

describe("Wilson's interval", () => {
  it('agrees with published values', () => {
    // R 4.x, prop.test(x, n, correct = FALSE)$conf.int
    expect(wilsonInterval(8, 10).map((bound) => bound.toFixed(4))).toEqual(['0.4902', '0.9433']);
    expect(wilsonInterval(0, 10).map((bound) => bound.toFixed(4))).toEqual(['0.0000', '0.2775']);
    expect(wilsonInterval(10, 10).map((bound) => bound.toFixed(4))).toEqual(['0.7225', '1.0000']);
    expect(wilsonInterval(0, 0)).toEqual([0, 1]);
  });

  it('begins at 0 itself where none succeeded, and ends at 1 where all did', () => {
    for (let n = 1; n <= 40; n++) {
      expect(wilsonInterval(0, n)[0]).toBe(0);
      expect(wilsonInterval(n, n)[1]).toBe(1);
    }
  });
});

describe('a cyclic derangement', () => {
  it('is a permutation in which no element keeps its place, for any size but one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 60 }), fc.nat(), (n, seed) => {
        const result = cyclicDerangement(n, Random.of(seed));
        expect([...result].sort((a, b) => a - b)).toEqual(Array.from({ length: n }, (_, i) => i));
        expect(result.every((other, i) => other !== i)).toBe(true);
      }),
    );
    expect(cyclicDerangement(0, Random.of('x'))).toEqual([]);
    expect(() => cyclicDerangement(1, Random.of('x'))).toThrow(/at least two/);
  });
});

describe('pass@k', () => {
  it('is one minus the chance that k drawn answers are all wrong', () => {
    // 10 answers, 3 right. C(7,1)/C(10,1) = 7/10; C(7,2)/C(10,2) = 21/45; C(7,5)/C(10,5) = 21/252; C(7,8) = 0.
    expect(passAtK(10, 3, 1)).toBeCloseTo(0.3, 14);
    expect(passAtK(10, 3, 2)).toBeCloseTo(1 - 21 / 45, 14);
    expect(passAtK(10, 3, 5)).toBeCloseTo(1 - 21 / 252, 14);
    expect(passAtK(10, 3, 8)).toBe(1);
    expect(passAtK(4, 0, 4)).toBe(0);
    expect(passAtK(4, 4, 1)).toBe(1);
    expect(passAtK(1, 1, 1)).toBe(1);
  });

  it('has the mean of all subsets of k answers, for any n, c and k', () => {
    const subsets = (n: number, k: number): number[][] =>
      k === 0
        ? [[]]
        : Array.from({ length: n }, (_, last) => subsets(last, k - 1).map((rest) => [...rest, last])).flat();
    for (const n of [1, 2, 5, 7]) {
      for (let c = 0; c <= n; c++) {
        for (let k = 1; k <= n; k++) {
          const all = subsets(n, k);
          const passed = all.filter((subset) => subset.some((answer) => answer < c)).length;
          expect(passAtK(n, c, k)).toBeCloseTo(passed / all.length, 12);
        }
      }
    }
  });

  it('stays a probability where binomials overflow', () => {
    expect(passAtK(5000, 1, 2500)).toBeCloseTo(0.5, 10);
  });

  it.each([
    [4, 5, 1],
    [4, 1, 5],
    [4, -1, 1],
    [4, 1, 0],
    [0, 0, 1],
  ])('of %i answers, %i right, k = %i is refused', (n, c, k) => {
    expect(() => passAtK(n, c, k)).toThrow('Draw at least k answers');
  });
});

describe('a majority vote', () => {
  it('goes to the class of most answers, named by its first', () => {
    expect(majorityVote([0, 1, 1, 2, 1])).toEqual({ winner: 1, votes: 3, tied: false });
  });

  it('goes to the class that began first where two are as large, and says so', () => {
    expect(majorityVote([5, 2, 2, 5, 9])).toEqual({ winner: 0, votes: 2, tied: true });
    expect(majorityVote([9, 2, 5, 5, 2])).toEqual({ winner: 1, votes: 2, tied: true });
  });

  it('counts a missing answer for no class', () => {
    expect(majorityVote([null, null, 4])).toEqual({ winner: 2, votes: 1, tied: false });
    expect(majorityVote([null, null])).toEqual({ winner: null, votes: 0, tied: false });
  });
});

/** So many pairs of each kind: both right, only the first, only the second, neither. */
const pairsOf = (e: number, f: number, g: number, h: number): [boolean, boolean][] =>
  (
    [
      [e, true, true],
      [f, true, false],
      [g, false, true],
      [h, false, false],
    ] as const
  ).flatMap(([times, one, other]) => Array.from({ length: times }, (): [boolean, boolean] => [one, other]));

/** How often intervals of simulated experiments hold the truth. */
function coverage(experiments: number, draw: (random: Random) => readonly [number, number], truth: number): number {
  const random = Random.of('coverage', truth);
  let held = 0;
  for (let i = 0; i < experiments; i++) {
    const [low, high] = draw(random);
    if (low <= truth && truth <= high) held++;
  }
  return held / experiments;
}

describe('a difference of paired proportions', () => {
  it("agrees with Newcombe's own example", () => {
    // Newcombe 1998, table III, method 10: 36, 12, 2, 0 pairs give 0.2000 (0.0569 to 0.3404).
    const { value, interval95 } = pairedDifference(pairsOf(36, 12, 2, 0))!;
    expect([value, ...interval95].map((each) => each.toFixed(4))).toEqual(['0.2000', '0.0569', '0.3404']);
  });

  it('has a width however few the pairs are, and however alike', () => {
    for (const n of [1, 2, 10]) {
      const [low, high] = pairedDifference(pairsOf(0, n, 0, 0))!.interval95;
      expect(low).toBeLessThan(0.75);
      expect(high).toBe(1);
      const same = pairedDifference(pairsOf(n, 0, 0, 0))!;
      expect(same.value).toBe(0);
      expect(same.interval95[1] - same.interval95[0]).toBeGreaterThan(0.3);
    }
    expect(pairedDifference([])).toBeNull();
  });

  it.each([
    [2, 0.9, 0.1],
    [10, 0.9, 0.1],
    [10, 0.5, 0.5],
    [30, 0.8, 0.3],
  ])('of %i pairs holds the truth in 19 of 20 experiments, where chances are %d and %d', (n, p1, p2) => {
    const draw = (random: Random) =>
      pairedDifference(Array.from({ length: n }, (): [boolean, boolean] => [random.float() < p1, random.float() < p2]))!
        .interval95;
    expect(coverage(500, draw, p1 - p2)).toBeGreaterThan(0.92);
  });
});

describe('a mean of shares', () => {
  it('has a width where items are equal, stays within its bounds, and holds the mean', () => {
    expect(boundedMean([], [0, 1])).toBeNull();
    for (const values of [[0.5, 0.5], [1], [0, 0, 0], [0.25, 1]]) {
      const { value, interval95 } = boundedMean(values, [0, 1])!;
      expect(value).toBe(mean(values));
      expect(interval95[1] - interval95[0]).toBeGreaterThan(0.3);
      expect(interval95[0]).toBeGreaterThanOrEqual(0);
      expect(interval95[1]).toBeLessThanOrEqual(1);
    }
  });

  it("is Agresti and Coull's of right and wrong", () => {
    // 8 of 10: p~ = (8 + z²/2) / (10 + z²) = 0.71675, ± 1.96·√(p~(1 − p~)/13.8415) = 0.23737.
    const { interval95 } = boundedMean([1, 1, 1, 1, 1, 1, 1, 1, 0, 0], [0, 1])!;
    expect(interval95.map((bound) => bound.toFixed(3))).toEqual(['0.479', '0.954']);
  });

  it.each([
    [2, 0.5],
    [5, 0.9],
    [10, 0.2],
    [40, 0.7],
  ])('of %i problems, each answered four times, holds the truth in 19 of 20 experiments', (n, p) => {
    const draw = (random: Random) =>
      boundedMean(
        Array.from({ length: n }, () => [0, 1, 2, 3].filter(() => random.float() < p).length / 4),
        [0, 1],
      )!.interval95;
    expect(coverage(500, draw, p)).toBeGreaterThan(0.92);
  });
});

describe('a bootstrap interval', () => {
  it('is that of the binomial distribution where items are right or wrong', () => {
    // 100 items, 30 right: resampled means are Binomial(100, 0.3) / 100, whose 2.5 % and 97.5 % quantiles are 0.21 and 0.39
    // (R 4.x, qbinom); with 2,000 resamples a quantile may miss by one item.
    const values = Array.from({ length: 100 }, (_, i) => (i < 30 ? 1 : 0));
    const { value, interval95 } = bootstrapMean(values, Random.of('bootstrap'))!;
    const [low, high] = interval95;
    expect(value).toBeCloseTo(0.3, 12);
    expect(Math.abs(low - 0.21)).toBeLessThanOrEqual(0.0101);
    expect(Math.abs(high - 0.39)).toBeLessThanOrEqual(0.0101);
  });

  it('is the same for the same seed, holds the mean, and has no width where items are equal', () => {
    const values = [0, 0.25, 0.5, 1, 1];
    const estimate = bootstrapMean(values, Random.of('a'));
    expect(bootstrapMean(values, Random.of('a'))).toEqual(estimate);
    const interval = estimate!.interval95;
    expect(interval[0]).toBeLessThan(mean(values));
    expect(interval[1]).toBeGreaterThan(mean(values));
    expect(bootstrapMean([0.5, 0.5], Random.of('a'))).toEqual({ value: 0.5, interval95: [0.5, 0.5] });
    expect(bootstrapMean([], Random.of('a'))).toBeNull();
    expect([mean([1, 2, 6]), mean([])]).toEqual([3, 0]);
  });
});
