import fc from 'fast-check';
import { groupSuccessRate, helpfulness, helpfulnessClass } from './helpfulness.js';

describe('how much a success owes to its entry', () => {
  it('has a class of the given number, the higher the more of its group failed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 16 }), fc.integer({ min: 1, max: 8 }), (judged, classes) => {
        const all = Array.from({ length: judged + 1 }, (_, solved) => helpfulnessClass({ solved, judged }, classes));
        expect(all[0]).toBe(classes - 1);
        expect(all.at(-1)).toBe(0);
        expect(all).toEqual([...all].sort((a, b) => b - a));
      }),
      { numRuns: 100, seed: 18 },
    );
  });

  it('is in the middle where one verdict alone gives no contrast', () => {
    expect([1, 2, 3, 4].map((classes) => helpfulnessClass({ solved: 1, judged: 1 }, classes))).toEqual([0, 1, 1, 2]);
    expect(groupSuccessRate({ solved: 1, judged: 1 })).toBe(0.5);
    expect(groupSuccessRate({ solved: 1, judged: 4 })).toBe(0.25);
  });

  it('is less where the frozen model succeeds alone', () => {
    expect([undefined, 0, 0.5, 1].map((control) => helpfulness(0.25, control))).toEqual([0.75, 0.75, 0.375, 0]);
  });
});
