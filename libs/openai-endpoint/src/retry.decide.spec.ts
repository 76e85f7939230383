import { retryAfterMs, waitMs } from './retry.decide.js';

describe('Retry-After', () => {
  const nowMs = Date.parse('Sat, 21 Nov 2026 20:00:00 GMT');

  it.each<[string | null, number | null]>([
    ['3', 3000],
    ['0', 0],
    ['0.5', 500],
    [' 7 ', 7000],
    ['Sat, 21 Nov 2026 20:00:02 GMT', 2000],
    ['Sat, 21 Nov 2026 19:59:00 GMT', 0],
    ['-1', null],
    ['soon', null],
    ['', null],
    [null, null],
  ])('%p asks for %p ms', (header, expected) => {
    expect(retryAfterMs(header, nowMs)).toBe(expected);
  });
});

describe('the wait before another try', () => {
  const limits = { firstRetryMs: 100, maxRetryMs: 1000 };

  it('is uniform below a bound that doubles up to its limit', () => {
    expect([1, 2, 3, 4, 5, 50].map((failures) => waitMs(failures, null, limits, 1))).toEqual([
      100, 200, 400, 800, 1000, 1000,
    ]);
    expect(waitMs(3, null, limits, 0)).toBe(0);
    expect(waitMs(3, null, limits, 0.25)).toBe(100);
  });

  it('is never shorter than the server asks for', () => {
    expect(waitMs(1, 5000, limits, 0)).toBe(5000);
    expect(waitMs(1, 5000, limits, 0.5)).toBe(5050);
  });
});
