import { comparisonOf, comparisonText } from './comparison.js';

describe('the result of a comparison', () => {
  it('is the evidence of its counts, and the evidence that its plan needed', () => {
    const comparison = comparisonOf({ rescued: 13, broken: 2, repeated: 0 }, 0.03);
    expect(comparison).toMatchObject({ rescued: 13, broken: 2, evidence: expect.closeTo(39, 0), needed: 1 / 0.03 });
    expect(comparisonText(comparison!)).toBe('13 rescued, 2 broken: evidence 39, needed 33');
  });

  it('says how many problems were asked before, and nothing of a need that is not known', () => {
    const comparison = comparisonOf({ rescued: 2, broken: 2, repeated: 40 }, null);
    expect(comparisonText(comparison!)).toBe('2 rescued, 2 broken: evidence 0.53; 40 problems were asked before');
  });

  it('stays a number that JSON can hold, however many were rescued', () => {
    expect(comparisonOf({ rescued: 5000, broken: 0, repeated: 0 }, 0.01)?.evidence).toBeCloseTo(1e9, 3);
  });

  it('is null where the two were not asked the same problems', () => {
    expect(comparisonOf({ rescued: null, broken: null, repeated: 0 }, 0.01)).toBeNull();
  });
});
