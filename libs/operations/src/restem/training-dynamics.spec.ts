import fc from 'fast-check';
import { dynamicsOf } from './training-dynamics.js';

describe('the dynamics of rewards', () => {
  it('are a slope and what is left around it', () => {
    const { trend, unsteadiness } = dynamicsOf([0.1, 0.4, 0.3, 0.6])!;
    // By hand: mean .35, slope (−1.5·−.25 − .5·.05 + .5·−.05 + 1.5·.25) / 5; residuals −.04, .12, −.12, .04.
    expect(trend).toBeCloseTo(0.14, 12);
    expect(unsteadiness).toBeCloseTo(Math.sqrt(0.008), 12);
    expect(dynamicsOf([0.5])).toBeNull();
  });

  it('of rewards on a line are its slope, and steady', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 40 }),
        fc.double({ min: -1, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (count, slope, start) => {
          const { trend, unsteadiness } = dynamicsOf(Array.from({ length: count }, (_, at) => start + slope * at))!;
          expect(trend).toBeCloseTo(slope, 9);
          expect(unsteadiness).toBeCloseTo(0, 9);
        },
      ),
    ));
});
