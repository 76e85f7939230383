import fc from 'fast-check';
import { MinuteBucket } from './rate-limit.js';

const MINUTE = 60_000;

/** Takes amounts one after the other, each as early as allowed; the times at which they were taken. */
function takeAll(perMinute: number, amounts: readonly number[]): number[] {
  const bucket = new MinuteBucket(perMinute, 0);
  let nowMs = 0;
  return amounts.map((amount) => {
    for (let wait = bucket.waitFor(amount, nowMs); wait > 0; wait = bucket.waitFor(amount, nowMs)) nowMs += wait;
    bucket.take(amount, nowMs);
    return nowMs;
  });
}

describe('a limit per minute', () => {
  it('holds in every minute, whenever it begins', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 7, max: 2000 }),
        fc.array(fc.double({ min: 0.01, max: 1, noNaN: true }), { minLength: 1, maxLength: 200 }),
        (perMinute, shares) => {
          const amounts = shares.map((share) => (share * perMinute) / 7);
          const times = takeAll(perMinute, amounts);
          for (const [first, from] of times.entries()) {
            let taken = 0;
            for (let i = first; i < times.length && times[i]! < from + MINUTE; i++) taken += amounts[i]!;
            expect(taken).toBeLessThanOrEqual(perMinute * (1 + 1e-6));
          }
        },
      ),
    );
  });

  it('of few requests spreads them', () => {
    const times = takeAll(2, [1, 1, 1, 1]);
    // 2/7 may be in debt to 1: then 6/7 · 2 in a minute.
    expect(times.map((at) => Math.round(at / 1000))).toEqual([0, 35, 70, 105]);
  });

  it('takes back what was not used', () => {
    const bucket = new MinuteBucket(700, 0);
    bucket.take(100, 0);
    expect(bucket.waitFor(50, 0)).toBeCloseTo(5000, 6);
    bucket.giveBack(60);
    expect(bucket.waitFor(50, 0)).toBe(0);
    bucket.giveBack(1000);
    expect(bucket.waitFor(100, 0)).toBe(0);
    bucket.take(100, 0);
    expect(bucket.waitFor(100, 0)).toBeCloseTo(10_000, 6);
  });
});
