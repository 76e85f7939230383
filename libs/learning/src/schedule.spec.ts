import fc from 'fast-check';
import { balancedByClass, type Draw, drawBatches, learningRateAt, learningRateSchema, stepsOf } from './schedule.js';

describe('batches', () => {
  const drawOf = (
    weights: readonly number[],
    steps: number,
    batchSize: number,
    seed = 's',
    classes = weights.map(() => ''),
  ): Draw[][] => drawBatches(weights, { steps, batchSize, seed, classes });

  const countsOf = (...args: Parameters<typeof drawOf>): number[] => {
    const counts = args[0].map(() => 0);
    for (const { index, times } of drawOf(...args).flat()) counts[index]! += times;
    return counts;
  };

  it('see every example equally often when weights are equal and the draws divide', () => {
    expect(countsOf([1, 1, 1, 1, 1, 1], 4, 3)).toEqual([2, 2, 2, 2, 2, 2]);
  });

  it('draw in proportion to the weights', () => {
    expect(countsOf([3, 1, 0, 4], 4, 4)).toEqual([6, 2, 0, 8]);
  });

  it('hold the batch size, or all examples where there are fewer', () => {
    const sizes = (count: number): number[] =>
      drawOf(
        Array.from({ length: count }, () => 1),
        3,
        8,
      ).map((batch) => batch.reduce((sum, { times }) => sum + times, 0));
    expect(sizes(100)).toEqual([8, 8, 8]);
    expect(sizes(5)).toEqual([5, 5, 5]);
  });

  it('give each example its share rounded down or up, for any weights', () => {
    const weights = fc
      .array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 40 })
      .filter((all) => all.some((weight) => weight > 1e-6));
    fc.assert(
      fc.property(weights, fc.integer({ min: 1, max: 12 }), fc.string(), (all, steps, seed) => {
        const counts = countsOf(all, steps, 8, seed);
        const draws = steps * Math.min(8, all.length);
        const total = all.reduce((a, b) => a + b, 0);
        expect(counts.reduce((a, b) => a + b, 0)).toBe(draws);
        counts.forEach((count, i) => expect(Math.abs(count - (draws * all[i]!) / total)).toBeLessThan(1 + 1e-6));
      }),
    );
  });

  it('are a function of the seed', () => {
    const draw = (seed: string): Draw[][] => drawOf([1, 1, 1, 1, 1, 1, 1, 1], 3, 4, seed);
    expect(draw('run-1')).toEqual(draw('run-1'));
    expect(draw('run-1')).not.toEqual(draw('run-2'));
  });

  it('hold every example once when there are no more than fit', () => {
    for (const batch of drawOf([1, 1, 1, 1], 10, 4))
      expect(batch).toEqual([0, 1, 2, 3].map((index) => ({ index, times: 1 })));
  });

  it('bring an example together with other partners in each epoch', () => {
    const batches = drawOf(
      Array.from({ length: 16 }, () => 1),
      4,
      8,
    ).map((batch) => batch.map(({ index }) => index).join());
    expect(new Set(batches).size).toBe(4);
  });

  it('can bring any two examples together', () => {
    const seeds = Array.from({ length: 20 }, (_, i) => `seed-${i}`);
    const together = seeds.filter((seed) =>
      drawOf([1, 1, 1, 1, 1, 1, 1, 1], 2, 4, seed).some(
        (batch) => batch.some(({ index }) => index === 0) && batch.some(({ index }) => index === 1),
      ),
    );
    expect(together.length).toBeGreaterThan(0);
  });

  it('give every step its share of every class', () => {
    const classes = ['a', 'a', 'a', 'b', 'b', 'b', 'b', 'b', 'b'];
    for (const batch of drawOf(
      classes.map(() => 1),
      5,
      6,
      's',
      classes,
    )) {
      expect(batch.filter(({ index }) => classes[index] === 'a').length).toBe(2);
    }
  });

  it('give classes equal shares when they are balanced', () => {
    const balanced = balancedByClass([1, 1, 1, 3], ['a', 'a', 'a', 'b']);
    expect(balanced).toEqual([1 / 3, 1 / 3, 1 / 3, 1]);
    expect(countsOf(balanced, 3, 4)).toEqual([2, 2, 2, 6]);
  });
});

describe('the learning rate', () => {
  const settings = (given: object) => learningRateSchema.parse({ peak: 1, ...given });

  it('is constant unless asked otherwise', () => {
    expect([0, 4, 9].map((step) => learningRateAt(settings({}), step, 10))).toEqual([1, 1, 1]);
  });

  it('rises linearly over the warm-up and falls to its final ratio', () => {
    const rates = [0, 1, 2, 3, 4].map((step) =>
      learningRateAt(settings({ warmupSteps: 1, decay: 'linear', finalRatio: 0.1 }), step, 5),
    );
    expect(rates).toEqual([0.5, 1, expect.closeTo(0.7, 12), expect.closeTo(0.4, 12), expect.closeTo(0.1, 12)]);
  });

  it('is the peak in the one step that a warm-up leaves, and in the only one of a run', () => {
    for (const decay of ['constant', 'linear', 'cosine']) {
      expect(learningRateAt(settings({ warmupSteps: 2, decay }), 2, 3)).toBe(1);
      expect(learningRateAt(settings({ decay }), 0, 1)).toBe(1);
    }
  });

  it('is half-way between peak and end in the middle of a cosine', () => {
    expect(learningRateAt(settings({ decay: 'cosine', finalRatio: 0 }), 2, 5)).toBeCloseTo(0.5, 12);
    expect(learningRateAt(settings({ decay: 'cosine', finalRatio: 0 }), 4, 5)).toBeCloseTo(0, 12);
  });
});

describe('the length of a run', () => {
  it('is its steps, or enough of them to see each example as often as asked', () => {
    expect(stepsOf({ unit: 'steps', steps: 7 }, 1000, 64)).toBe(7);
    expect(stepsOf({ unit: 'epochs', epochs: 2 }, 100, 64)).toBe(4);
    expect(stepsOf({ unit: 'epochs', epochs: 0.1 }, 10, 64)).toBe(1);
  });
});
