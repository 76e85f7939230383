import fc from 'fast-check';
import { effectiveSampleRatio, importanceRatios, k3, truncatedWeight } from './importance.js';

describe('importance weights', () => {
  it('are the ratio of the two probabilities, cut at the cap', () => {
    expect(importanceRatios([Math.log(0.6)], [Math.log(0.2)], 'token')[0]).toBeCloseTo(3, 12);
    expect(truncatedWeight(3, 2)).toBe(2);
    expect(truncatedWeight(0.5, 2)).toBe(0.5);
  });

  it('of a whole entry are the geometric mean of its ratios of its tokens, however many there are', () => {
    const [proximal, behaviour] = [
      [Math.log(0.6), Math.log(0.3)],
      [Math.log(0.2), Math.log(0.25)],
    ];
    const geometric = Math.sqrt(3 * 1.2);
    for (const ratio of importanceRatios(proximal, behaviour, 'entry')) expect(ratio).toBeCloseTo(geometric, 12);
    fc.assert(
      fc.property(fc.array(fc.double({ min: -9, max: -0.01, noNaN: true }), { minLength: 1 }), (logged) => {
        const shifted = logged.map((each) => each + 0.5);
        for (const ratio of importanceRatios(shifted, logged, 'entry')) expect(ratio).toBeCloseTo(Math.exp(0.5), 9);
        expect(importanceRatios(logged, logged, 'token')).toEqual(importanceRatios(logged, logged, 'entry'));
      }),
    );
  });

  it('make the mean of samples from another distribution unbiased without a cap, by exact enumeration', () => {
    const behaviour = [0.5, 0.3, 0.2];
    const target = [0.1, 0.3, 0.6];
    const values = [1, 2, 4];
    const estimate = (cap: number): number =>
      behaviour.reduce(
        (sum, mu, i) =>
          sum +
          mu * truncatedWeight(importanceRatios([Math.log(target[i]!)], [Math.log(mu)], 'token')[0]!, cap) * values[i]!,
        0,
      );
    expect(estimate(Number.POSITIVE_INFINITY)).toBeCloseTo(0.1 + 0.6 + 2.4, 12);
    // Only the third outcome (ratio 3) is cut, to 2: its part falls from 2.4 to 0.2 · 2 · 4.
    expect(estimate(2)).toBeCloseTo(0.1 + 0.6 + 1.6, 12);
  });
});

describe('the effective sample size', () => {
  it('is all of equal weights, one of n where one weight is all, and between them by hand', () => {
    expect(effectiveSampleRatio([2, 2, 2])).toBeCloseTo(1, 12);
    expect(effectiveSampleRatio([5, 0, 0, 0])).toBe(0.25);
    expect(effectiveSampleRatio([3, 1])).toBeCloseTo(16 / 20, 12);
    expect(effectiveSampleRatio([])).toBe(0);
  });
});

describe('k3', () => {
  it('is zero for equal probabilities and e − 2 one nat below the other', () => {
    expect(k3(-1, -1)).toBe(0);
    expect(k3(-2, -1)).toBeCloseTo(Math.E - 2, 12);
  });

  it('has the KL divergence as its mean, by exact enumeration', () => {
    const p = [0.5, 0.3, 0.2];
    const q = [0.1, 0.3, 0.6];
    const kl = p.reduce((sum, each, i) => sum + each * Math.log(each / q[i]!), 0);
    const estimate = p.reduce((sum, each, i) => sum + each * k3(Math.log(each), Math.log(q[i]!)), 0);
    expect(estimate).toBeCloseTo(kl, 12);
  });
});
