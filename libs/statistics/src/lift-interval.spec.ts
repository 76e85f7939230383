import { Random } from '@seamstream/kernel';
import fc from 'fast-check';
import { type ArmCount, liftInterval, logLiftEvidence } from './lift-interval.js';

/** Counts as [controls failed, controls solved, treated failed, treated solved]. */
const four = (counts: readonly number[]): ArmCount[] =>
  counts.map((problems, k) => ({ treated: k > 1, result: k % 2, problems }));
const width = ({ interval95: [low, high] }: { readonly interval95: readonly [number, number] }): number => high - low;

const interval = (counts: readonly ArmCount[], design: { readonly treatedShare: number }) =>
  liftInterval([{ counts, ...design }]);

describe('the interval of a lift', () => {
  it('says nothing before both arms have a problem, and refuses a share that leaves one arm empty', () => {
    expect(liftInterval([])).toBeNull();
    expect(liftInterval([{ counts: [], treatedShare: 0.9 }])).toBeNull();
    expect(interval(four([0, 0, 3, 4]), { treatedShare: 0.9 })).toBeNull();
    expect(() => interval(four([1, 1, 1, 1]), { treatedShare: 1 })).toThrow(/share between 0 and 1, got 1/);
    for (const centre of [-0.1, 1.5])
      expect(() => liftInterval([{ counts: four([1, 1, 1, 1]), treatedShare: 0.5, centre }])).toThrow(
        /a centre from 0/,
      );
    expect(() => interval([{ treated: true, result: 2, problems: 1 }], { treatedShare: 0.5 })).toThrow(/got 2/);
  });

  it('gives the values of an implementation by hand', () => {
    // 20 bets of 0.95 · 2^(−j/2) / bound, summed and bisected in another program (double precision).
    const share = 0.9;
    const z = [0.5 / 0.1, -0.5 / 0.1, -0.5 / 0.9, 0.5 / 0.9];
    const counts = [75, 25, 315, 585];
    const byHand = (mean: number): number => {
      let sum = 0;
      for (let j = 0; j < 20; j++) {
        const bet = (0.95 * 2 ** (-j / 2)) / 5;
        let log = 0;
        for (let k = 0; k < 4; k++) log += counts[k]! * Math.log((1 + bet * z[k]!) / (1 + bet * mean));
        sum += Math.exp(log);
      }
      return Math.log(sum / 20);
    };
    for (const mean of [-0.5, 0, 0.2, 0.4])
      expect(logLiftEvidence(four(counts), { treatedShare: share }, mean, 1)).toBeCloseTo(byHand(mean), 9);
    const { value, interval95 } = interval(four(counts), { treatedShare: share })!;
    expect(value).toBeCloseTo(0.4, 12);
    expect(byHand(interval95[0])).toBeCloseTo(Math.log(40), 6);
    // 1,000 problems at 90/10, .65 against .25: about .22 to .54.
    expect(interval95[0]).toBeCloseTo(0.22, 1);
    expect(interval95[1]).toBeCloseTo(0.56, 1);
  });

  it('depends on counts alone: split, in any order, it is the same', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(40), { minLength: 4, maxLength: 4 }), fc.nat(1000), (counts, seed) => {
        const once = four(counts);
        const split = once.flatMap((each): ArmCount[] => {
          const part = Math.floor(each.problems / 3);
          return [
            { ...each, problems: part },
            { ...each, problems: each.problems - part },
          ];
        });
        const random = Random.of('order', seed);
        const shuffled = split.map((each) => [random.float(), each] as const).sort(([a], [b]) => a - b);
        const whole = interval(once, { treatedShare: 0.7 });
        const other = interval(
          shuffled.map(([, each]) => each),
          { treatedShare: 0.7 },
        );
        if (whole === null) expect(other).toBeNull();
        else for (const end of [0, 1]) expect(other!.interval95[end]).toBeCloseTo(whole.interval95[end]!, 9);
      }),
    );
  });

  it('contains the difference, is narrower with more problems, and is its own mirror when results are exchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 4, maxLength: 4 }), (counts) => {
        const [a, b, c, d] = counts as [number, number, number, number];
        const design = { treatedShare: (c + d) / (a + b + c + d) };
        const one = interval(four(counts), design)!;
        expect(one.interval95[0]).toBeLessThanOrEqual(one.value);
        expect(one.interval95[1]).toBeGreaterThanOrEqual(one.value);
        const many = interval(four(counts.map((each) => each * 8)), design)!;
        expect(width(many)).toBeLessThan(width(one) + 1e-9);
        const mirrored = interval(four([b, a, d, c]), design)!;
        expect(mirrored.interval95[0]).toBeCloseTo(-one.interval95[1], 6);
        expect(mirrored.interval95[1]).toBeCloseTo(-one.interval95[0], 6);
      }),
    );
  });

  it.each([
    ['stationary', () => [0.4, 0.4], 0.9],
    ['drifting upwards', (t: number) => [0.1 + 0.8 * t, 0.1 + 0.8 * t], 0.9],
    ['rare successes, a small share', () => [0.03, 0.03], 0.1],
    ['an effect that grows', (t: number) => [0.3, 0.3 + 0.5 * t], 0.8],
  ] as const)('misses the running mean at some look in at most one of twenty streams: %s', (_, rates, share) => {
    let missed = 0;
    for (let stream = 0; stream < 60; stream++) {
      const random = Random.of('stream', share, stream);
      const counts = [0, 0, 0, 0];
      let effects = 0;
      let hasMissed = false;
      for (let i = 0; i < 600 && !hasMissed; i++) {
        const [control, treated] = rates(i / 600);
        effects += treated! - control!;
        const isTreated = random.float() < share;
        const isSolved = random.float() < (isTreated ? treated! : control!);
        counts[(isTreated ? 2 : 0) + (isSolved ? 1 : 0)]!++;
        if (i % 20 !== 19) continue;
        // The interval leaves the mean out exactly where the evidence against it is enough.
        const against = ([1, -1] as const).map((side) =>
          logLiftEvidence(four(counts), { treatedShare: share }, effects / (i + 1), side),
        );
        hasMissed = Math.max(...against) >= Math.log(40);
      }
      missed += Number(hasMissed);
    }
    // 5 % of 60 are 3; 8 or more come in one of a hundred runs of a method that just keeps its promise.
    expect(missed).toBeLessThan(8);
  });
});
