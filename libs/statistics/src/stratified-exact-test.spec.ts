import { Random } from '@seamstream/kernel';
import fc from 'fast-check';
import { type Stratum, stratifiedExactTest } from './stratified-exact-test.js';

describe('the exact test over groups', () => {
  it('is what counting every way comes to', () => {
    fc.assert(
      fc.property(strata, (tables) => {
        expect(stratifiedExactTest(tables)).toBeCloseTo(counted(tables), 10);
      }),
    );
  });

  it('has the value of a case by hand: Fisher, 3 of 3 successes with the trait of 3 in 6', () => {
    expect(stratifiedExactTest([{ members: 6, successes: 3, withTrait: 3, both: 3 }])).toBeCloseTo(1 / 20, 12);
  });

  it('says nothing of groups in which nothing varies', () => {
    expect(stratifiedExactTest([])).toBe(1);
    expect(stratifiedExactTest([{ members: 8, successes: 8, withTrait: 4, both: 4 }])).toBe(1);
  });

  it('is below a level at most as often as the level says, where the trait means nothing', () => {
    const random = Random.of('exact test');
    let below = 0;
    const trials = 2000;
    for (let trial = 0; trial < trials; trial++) {
      const tables = Array.from({ length: 6 }, (): Stratum => {
        const members = Array.from({ length: 8 }, () => ({
          success: random.float() < 0.3,
          trait: random.float() < 0.4,
        }));
        const count = (is: (each: (typeof members)[number]) => boolean): number => members.filter(is).length;
        return {
          members: 8,
          successes: count(({ success }) => success),
          withTrait: count(({ trait }) => trait),
          both: count(({ success, trait }) => success && trait),
        };
      });
      if (stratifiedExactTest(tables) <= 0.05) below++;
    }
    expect(below / trials).toBeLessThan(0.06);
  });
});

/** The same by counting: every way to give the trait to as many members of each group. */
function counted(strata: readonly Stratum[]): number {
  let ways: ReadonlyMap<number, number> = new Map([[0, 1]]);
  let all = 1;
  for (const { members, successes, withTrait } of strata) {
    const next = new Map<number, number>();
    let subsets = 0;
    for (let subset = 0; subset < 2 ** members; subset++) {
      const bits = Array.from({ length: members }, (_, i) => (subset >> i) & 1);
      if (bits.reduce((sum, bit) => sum + bit, 0) !== withTrait) continue;
      subsets++;
      const both = bits.slice(0, successes).reduce((sum, bit) => sum + bit, 0);
      for (const [sum, count] of ways) next.set(sum + both, (next.get(sum + both) ?? 0) + count);
    }
    ways = next;
    all *= subsets;
  }
  const seen = strata.reduce((sum, { both }) => sum + both, 0);
  return [...ways].reduce((sum, [both, count]) => (both >= seen ? sum + count : sum), 0) / all;
}

const strata = fc.array(
  fc
    .tuple(fc.integer({ min: 1, max: 6 }), fc.nat(6), fc.nat(6), fc.nat(6))
    .map(([members, successes, withTrait, both]): Stratum => {
      const [s, t] = [successes % (members + 1), withTrait % (members + 1)];
      const [least, most] = [Math.max(0, s + t - members), Math.min(s, t)];
      return { members, successes: s, withTrait: t, both: least + (both % (most - least + 1)) };
    }),
  { maxLength: 3 },
);
