import { MOST_TRIES, nextTry, waitAsked } from './asking-again.js';

describe('a page that is refused because too many ask', () => {
  it.each([
    [429, '7', 7_000],
    [429, '0', 1_000],
    [429, '86400', 60_000],
    [429, null, 5_000],
    [429, 'Fri, 27 Nov 2026 09:00:00 GMT', 5_000],
    [503, '7', null],
    [403, '7', null],
  ])('of status %s with Retry-After %s waits %s ms', (status, header, expected) => {
    expect(waitAsked(status, header)).toBe(expected);
  });

  it('asks again, says when, and stops after so many refusals in a row', () => {
    expect(nextTry(7_000, 1)).toEqual({ waitMs: 7_000, told: 'The page asks again in 7 s (1 of 20).' });
    expect(nextTry(7_000, MOST_TRIES - 1).waitMs).toBe(7_000);
    expect(nextTry(7_000, MOST_TRIES)).toEqual({
      waitMs: null,
      told: 'The page asked 20 times. Load it again later.',
    });
  });
});
