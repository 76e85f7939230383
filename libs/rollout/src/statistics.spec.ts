import { Random } from '@seamstream/kernel';
import fc from 'fast-check';
import { cyclicDerangement, wilsonInterval } from './statistics.js';

describe("Wilson's interval", () => {
  it('agrees with published values', () => {
    // R 4.x, prop.test(x, n, correct = FALSE)$conf.int
    expect(wilsonInterval(8, 10).map((bound) => bound.toFixed(4))).toEqual(['0.4902', '0.9433']);
    expect(wilsonInterval(0, 10).map((bound) => bound.toFixed(4))).toEqual(['0.0000', '0.2775']);
    expect(wilsonInterval(10, 10).map((bound) => bound.toFixed(4))).toEqual(['0.7225', '1.0000']);
    expect(wilsonInterval(0, 0)).toEqual([0, 1]);
  });
});

describe('a cyclic derangement', () => {
  it('is a permutation in which nobody keeps his own, for any size but one', () => {
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
