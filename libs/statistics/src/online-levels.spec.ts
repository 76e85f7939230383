import { onlineLevel } from './online-levels.js';

describe('the levels of decisions in a row', () => {
  it('spend the risk once while nothing is taken, however many there are', () => {
    let spent = 0;
    for (let look = 1; look <= 100_000; look++) spent += onlineLevel(look, 0, 0.05);
    expect(spent).toBeLessThan(0.05);
    expect(spent).toBeGreaterThan(0.049);
  });

  it('rise with every decision taken', () => {
    expect(onlineLevel(10, 7, 0.05)).toBeCloseTo(8 * onlineLevel(10, 0, 0.05), 12);
    expect(onlineLevel(1, 0, 0.05)).toBeCloseTo(0.00244, 5);
  });

  it('are refused for counts that cannot be', () => {
    for (const [look, taken, risk] of [
      [0, 0, 0.05],
      [1, 1, 0.05],
      [2, -1, 0.05],
      [1.5, 0, 0.05],
      [1, 0, 0],
      [1, 0, 1],
    ])
      expect(() => onlineLevel(look!, taken!, risk!)).toThrow(/Cannot set a decision's level/);
  });
});
