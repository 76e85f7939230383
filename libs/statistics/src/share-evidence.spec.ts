import { Random } from '@seamstream/kernel';
import fc from 'fast-check';
import { logPairedEvidence } from './paired-evidence.js';
import {
  fewestForShares,
  logShareEvidence,
  type ShareDifferences,
  shareStep,
  sharesMayDecide,
} from './share-evidence.js';

const LEVEL = 0.05;

describe('evidence on shares', () => {
  it('reaches 1 / level in at most that share of runs of equals, however often one looks', () => {
    const wrong = Array.from({ length: 400 }, (_, run) => everPromotes(Random.of('equals', run), 0).byShare).filter(
      Boolean,
    );
    expect(wrong.length).toBeLessThanOrEqual(400 * LEVEL);
    const worse = Array.from({ length: 100 }, (_, run) => everPromotes(Random.of('worse', run), -0.1).byShare).filter(
      Boolean,
    );
    expect(worse).toEqual([]);
  });

  it('sees a tenth more right of passages with one to five questions twice as often as whole passages show it', () => {
    const runs = Array.from({ length: 100 }, (_, run) => everPromotes(Random.of('better', run), 0.1));
    const [shares, whole] = [runs.filter(({ byShare }) => byShare), runs.filter(({ byProblem }) => byProblem)];
    expect(shares.length).toBeGreaterThan(60);
    expect(shares.length).toBeGreaterThan(2 * whole.length);
  });

  it('of a tie is at most 1, and a difference rounds against the candidate', () => {
    expect(logShareEvidence([{ thousandths: 0, problems: 500 }])).toBeLessThanOrEqual(0);
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (one, other) => {
          const step = shareStep(one, other);
          return step / 1000 <= one - other && step / 1000 > one - other - 0.001 - 1e-12;
        },
      ),
    );
  });

  it('does not depend on the order, and is refused for what no comparison can count', () => {
    const counts = [500, -200, 1000].map((thousandths, at) => ({ thousandths, problems: at + 1 }));
    expect(logShareEvidence(counts.toReversed())).toBeCloseTo(logShareEvidence(counts), 12);
    for (const [thousandths, problems] of [
      [1001, 1],
      [0.5, 1],
      [1, -1],
      [1, 0.5],
    ] as const)
      expect(() => logShareEvidence([{ thousandths, problems }])).toThrow(/Cannot weigh shares/);
  });

  it('needs the fewest problems where the candidate has all right and the other one nothing', () => {
    const all = (problems: number): number => logShareEvidence([{ thousandths: 1000, problems }]);
    const fewest = fewestForShares(1 / 410);
    expect(all(fewest)).toBeGreaterThanOrEqual(Math.log(410));
    expect(all(fewest - 1)).toBeLessThan(Math.log(410));
    expect(sharesMayDecide([], { left: 9, level: LEVEL })).toBe(true);
    expect(sharesMayDecide([{ thousandths: 1000, problems: fewest }], { left: 9, level: 1 / 410 })).toBe(false);
    expect(sharesMayDecide([{ thousandths: -500, problems: 99 }], { left: 99, level: LEVEL })).toBe(false);
  });
});

/** On 256 passages with one to five questions, each answered with a chance that differs by passage. @param ahead of the candidate */
function everPromotes(random: Random, ahead: number): { readonly byShare: boolean; readonly byProblem: boolean } {
  const counts = new Map<number, number>();
  const whole = { rescued: 0, broken: 0 };
  const told = (): ShareDifferences[] => [...counts].map(([thousandths, problems]) => ({ thousandths, problems }));
  const ever = { byShare: false, byProblem: false };
  for (let asked = 0; asked < 256; asked++) {
    const [questions, chance] = [1 + Math.floor(random.float() * 5), 0.1 + random.float() * 0.4];
    const share = (odds: number): number =>
      Array.from({ length: questions }, () => Number(random.float() < odds)).reduce((a, b) => a + b) / questions;
    const [own, others] = [share(chance + ahead), share(chance)];
    const step = shareStep(own, others);
    counts.set(step, (counts.get(step) ?? 0) + 1);
    whole.rescued += Number(own === 1 && others < 1);
    whole.broken += Number(own < 1 && others === 1);
    ever.byShare ||= logShareEvidence(told()) >= -Math.log(LEVEL);
    ever.byProblem ||= logPairedEvidence(whole) >= -Math.log(LEVEL);
  }
  return ever;
}
