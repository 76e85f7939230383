/** The newest of many acts: the same lines that a list of all has last, for any acts in any order. */
import fc from 'fast-check';
import type { Act } from './act.decide.js';
import { NewestActs } from './newest-acts.js';

describe('The newest acts', () => {
  it('are the last of the whole list, in any order of reading, and the others are counted', () => {
    fc.assert(
      fc.property(actsArbitrary, fc.integer({ min: 1, max: 8 }), (read, most) => {
        const [all, newest] = [listed(read, Number.POSITIVE_INFINITY), listed(read, most)];
        expect(newest.acts).toEqual(all.acts.slice(-most));
        const shown = newest.acts.reduce((sum, { times }) => sum + times, 0);
        expect([all.older, newest.older]).toEqual([0, read.length - shown]);
      }),
      { numRuns: 500 },
    );
  });

  it('of many take the memory of a few: a list keeps no more', () => {
    const newest = new NewestActs(10);
    for (let n = 0; n < 5_000; n++) newest.add(actOf(n * 30_000, n, 'ada'), n % 2 === 0);
    const { singles, minutes } = newest as unknown as { singles: unknown[]; minutes: Map<string, unknown> };
    expect(singles.length + minutes.size).toBeLessThan(100);
    expect(newest.listed().older).toBe(4_990);
  });
});

interface Read {
  readonly act: Act;
  readonly isFrequent: boolean;
}

function listed(read: readonly Read[], most: number) {
  const newest = new NewestActs(most);
  for (const { act, isFrequent } of read) newest.add(act, isFrequent);
  return newest.listed();
}

const actOf = (at: number, offset: number, by: string): Act => ({
  ...{ at, by, act: 'ask', what: 'a question', times: 1, tenant: 'acme', source: 'seam/gateway' },
  place: { topic: 'seam.problems', partition: 0, offset },
});

/** Within a few minutes, so that many share one. */
const actsArbitrary = fc
  .array(
    fc.record({
      at: fc.integer({ min: 0, max: 40 }).map((n) => n * 7_000),
      by: fc.constantFrom('ada', 'bob'),
      isFrequent: fc.boolean(),
    }),
    { maxLength: 60, size: 'max' },
  )
  .map((all): readonly Read[] =>
    all.map(({ at, by, isFrequent }, n) => ({
      isFrequent,
      act: { ...actOf(at, n, by), ...(isFrequent ? {} : { act: 'sign in' as const }) },
    })),
  );
