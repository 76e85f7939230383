import fc from 'fast-check';
import { points } from './words.js';

describe('points', () => {
  it('are percentage points with one decimal and their sign', () => {
    expect([0.012, -0.3, 0, -0.0004, 0.0005, -1].map(points)).toEqual([
      '+1.2',
      '−30.0',
      '+0.0',
      '+0.0',
      '+0.1',
      '−100.0',
    ]);
  });

  it('are the same for a difference and its negative, up to the sign', () => {
    fc.assert(
      fc.property(fc.double({ min: -1, max: 1, noNaN: true }), (difference) => {
        expect(points(-difference).slice(1)).toBe(points(difference).slice(1));
        expect(points(difference)).toMatch(/^[+−]\d+\.\d$/);
      }),
    );
  });
});
