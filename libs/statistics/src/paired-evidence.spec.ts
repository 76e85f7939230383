import { Random } from '@seamstream/kernel';
import fc from 'fast-check';
import { fewestProblems, logPairedDifferenceEvidence, logPairedEvidence, pairedInterval } from './paired-evidence.js';

const evidence = (rescued: number, broken: number): number => Math.exp(logPairedEvidence({ rescued, broken }));
const count = fc.integer({ min: 0, max: 400 });

/** Simpson's rule on 2 (2p)^b (2(1 − p))^c over ½ … 1. */
function integral(b: number, c: number, steps = 2000): number {
  const at = (i: number): number => {
    const p = 0.5 + (0.5 * i) / steps;
    return 2 * (2 * p) ** b * (2 * (1 - p)) ** c;
  };
  let sum = at(0) + at(steps);
  for (let i = 1; i < steps; i++) sum += at(i) * (i % 2 === 1 ? 4 : 2);
  return (sum * 0.5) / (3 * steps);
}

describe('the evidence of paired results', () => {
  it('is the stake of a bet on every probability above one half', () => {
    for (const [b, c] of [
      [0, 0],
      [1, 0],
      [0, 1],
      [7, 2],
      [30, 12],
      [5, 60],
    ] as const)
      expect(evidence(b, c)).toBeCloseTo(integral(b, c), 6);
    expect(evidence(0, 0)).toBe(1);
    expect(evidence(1, 0)).toBeCloseTo(1.5, 12);
  });

  it('does not grow on average while both are equally good, from wherever it stands', () => {
    fc.assert(
      fc.property(count, count, (b, c) => {
        const mean = (evidence(b + 1, c) + evidence(b, c + 1)) / 2;
        expect(mean / evidence(b, c)).toBeCloseTo(1, 9);
      }),
    );
  });

  it('shrinks on average while the candidate is worse', () => {
    fc.assert(
      fc.property(count, count, fc.double({ min: 0, max: 0.499, noNaN: true }), (b, c, p) => {
        expect(p * evidence(b + 1, c) + (1 - p) * evidence(b, c + 1)).toBeLessThan(evidence(b, c));
      }),
    );
  });

  it('grows with every rescued problem and shrinks with every broken one, and not with a tie', () => {
    fc.assert(
      fc.property(count, count, (b, c) => {
        const here = logPairedEvidence({ rescued: b, broken: c });
        expect(logPairedEvidence({ rescued: b + 1, broken: c })).toBeGreaterThan(here);
        expect(logPairedEvidence({ rescued: b, broken: c + 1 })).toBeLessThan(here);
        expect(logPairedEvidence({ rescued: b, broken: b })).toBeLessThanOrEqual(0);
      }),
    );
  });

  it('stays finite for as many problems as anybody asks', () => {
    expect(logPairedEvidence({ rescued: 100_000, broken: 0 })).toBeCloseTo(100_001 * Math.LN2 - Math.log(100_001), 3);
    expect(logPairedEvidence({ rescued: 0, broken: 100_000 })).toBeCloseTo(-Math.log(100_001), 9);
  });

  it('is refused for what are no counts', () => {
    for (const rescued of [-1, 0.5, Number.NaN])
      expect(() => logPairedEvidence({ rescued, broken: 0 })).toThrow(/expected two counts of problems/);
  });
});

describe('the fewest problems of a level', () => {
  it('reach it when the candidate alone solves every one, and one fewer do not', () => {
    for (const level of [1, 0.5, 0.05, 0.0024, 1e-6]) {
      const fewest = fewestProblems(level);
      expect(evidence(fewest, 0)).toBeGreaterThanOrEqual(1 / level);
      if (fewest > 0) expect(evidence(fewest - 1, 0)).toBeLessThan(1 / level);
    }
    expect(fewestProblems(0.05)).toBe(7);
  });

  it('are refused for what is no level', () => {
    for (const level of [0, -1, 1.1, Number.NaN])
      expect(() => fewestProblems(level)).toThrow(/Cannot count the problems/);
  });
});

describe('the interval of a paired difference', () => {
  it('holds the difference, and is narrower with more problems', () => {
    expect(pairedInterval({ rescued: 0, broken: 0, problems: 0 })).toBeNull();
    const few = pairedInterval({ rescued: 15, broken: 5, problems: 100 })!;
    const many = pairedInterval({ rescued: 150, broken: 50, problems: 1000 })!;
    expect(few.value).toBeCloseTo(0.1, 12);
    for (const { interval95 } of [few, many]) {
      expect(interval95[0]).toBeLessThan(0.1);
      expect(interval95[1]).toBeGreaterThan(0.1);
    }
    expect(many.interval95[1] - many.interval95[0]).toBeLessThan(few.interval95[1] - few.interval95[0]);
    expect(many.interval95[0]).toBeGreaterThan(0);
  });

  it('misses the difference at some look in at most one of twenty streams', () => {
    let missed = 0;
    for (let stream = 0; stream < 60; stream++) {
      const random = Random.of('paired', stream);
      const counts = { rescued: 0, broken: 0, problems: 0 };
      let hasMissed = false;
      for (let i = 1; i <= 800 && !hasMissed; i++) {
        const drawn = random.float();
        counts.problems++;
        if (drawn < 0.12) counts.rescued++;
        else if (drawn < 0.2) counts.broken++;
        if (i % 20 !== 0) continue;
        const against = ([1, -1] as const).map((side) => logPairedDifferenceEvidence(counts, 0.04, side));
        hasMissed = Math.max(...against) >= Math.log(40);
      }
      missed += Number(hasMissed);
    }
    expect(missed).toBeLessThan(8);
  });

  it('is refused for more differing problems than there are', () => {
    expect(() => pairedInterval({ rescued: 6, broken: 5, problems: 10 })).toThrow(/6 rescued and 5 broken of 10/);
  });
});
