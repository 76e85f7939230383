import fc from 'fast-check';
import { logMissingEvidence, logSampleRatioEvidence } from './allocation-evidence.js';

const share = fc.double({ min: 0.02, max: 0.98, noNaN: true });
const count = fc.nat(300);

describe('the evidence of a wrong sample ratio', () => {
  it('is 1 before the first problem, and does not grow on average while the share is as it was drawn', () => {
    expect(logSampleRatioEvidence({ treatedShare: 0.3, treated: 0, control: 0 })).toBeCloseTo(0, 12);
    fc.assert(
      fc.property(share, count, count, (treatedShare, treated, control) => {
        const at = (t: number, c: number): number =>
          Math.exp(
            logSampleRatioEvidence({ treatedShare, treated: t, control: c }) -
              logSampleRatioEvidence({ treatedShare, treated, control }),
          );
        const mean = treatedShare * at(treated + 1, control) + (1 - treatedShare) * at(treated, control + 1);
        expect(mean).toBeCloseTo(1, 8);
      }),
    );
  });

  it('gives the upper bound for 30 of 100 that the package ville 0.1.0 gives', () => {
    // The rate at which 30 of 100 become evidence of 20: 0.457245988.
    const at = (treatedShare: number): number => logSampleRatioEvidence({ treatedShare, treated: 30, control: 70 });
    expect(at(0.457245986)).toBeLessThan(Math.log(20));
    expect(at(0.457245989)).toBeGreaterThan(Math.log(20));
  });

  it('sees an arm that loses a fifth of its problems, and stays finite for as many as anybody has', () => {
    expect(logSampleRatioEvidence({ treatedShare: 0.5, treated: 2000, control: 1600 })).toBeGreaterThan(Math.log(1000));
    expect(logSampleRatioEvidence({ treatedShare: 0.1, treated: 100_000, control: 900_000 })).toBeLessThan(0);
  });

  it('is refused for what cannot have been drawn or counted', () => {
    expect(() => logSampleRatioEvidence({ treatedShare: 1, treated: 1, control: 0 })).toThrow(/share between 0 and 1/);
    expect(() => logSampleRatioEvidence({ treatedShare: 0.5, treated: -1, control: 0 })).toThrow(/got -1 \(treated\)/);
    expect(() => logSampleRatioEvidence({ treatedShare: 0.5, treated: 0.5, control: 0 })).toThrow(/counts of problems/);
  });
});

describe('the evidence of results that are missing more often in one arm', () => {
  const missing = (treatedMissing: number, controlMissing: number, treatedShare = 0.25): number =>
    logMissingEvidence({ treatedShare, treated: 2500, control: 7500, treatedMissing, controlMissing });

  it('is 1 where none is missing, little where as many as the share says are, and grows with the others', () => {
    expect(missing(0, 0)).toBeCloseTo(0, 12);
    expect(missing(50, 150)).toBeLessThan(Math.log(2));
    expect(missing(120, 150)).toBeGreaterThan(Math.log(20));
    expect(missing(10, 190)).toBeGreaterThan(Math.log(20));
  });

  it('does not grow on average while results are missing alike', () => {
    fc.assert(
      fc.property(share, fc.nat(200), fc.nat(200), (treatedShare, t, c) => {
        const at = (treatedMissing: number, controlMissing: number): number =>
          Math.exp(
            logMissingEvidence({ treatedShare, treated: 1000, control: 1000, treatedMissing, controlMissing }) -
              logMissingEvidence({ treatedShare, treated: 1000, control: 1000, treatedMissing: t, controlMissing: c }),
          );
        expect(treatedShare * at(t + 1, c) + (1 - treatedShare) * at(t, c + 1)).toBeCloseTo(1, 6);
      }),
    );
  });

  it('is refused for more that are missing than there are', () => {
    expect(() => missing(2501, 0)).toThrow(/at most 2500 and 7500, got 2501 and 0/);
  });
});
