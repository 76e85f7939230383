import { wilsonInterval } from './wilson-interval.js';

describe("Wilson's interval", () => {
  // Computed by hand from the formula; 10 of 20 and 0 of 10 also stand in Newcombe 1998, table I conventions.
  it.each([
    [10, 20, 0.2993, 0.7007],
    [0, 10, 0, 0.2775],
    [10, 10, 0.7225, 1],
    [450, 500, 0.8706, 0.9234],
  ])('of %d in %d is %d to %d', (successes, trials, low, high) => {
    const interval = wilsonInterval(successes, trials);
    expect(interval.low).toBeCloseTo(low, 3);
    expect(interval.high).toBeCloseTo(high, 3);
  });

  it('is everything when nothing was tried', () => {
    expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
  });
});
