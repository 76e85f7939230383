import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { clippedGroupAdvantages, clippedValueLoss, generalisedAdvantages } from './advantages.js';
import { type CertificateConstants, certificateOf, certificateText } from './certificate.js';
import { decideGate, distancePerState, upperQuantile } from './kl-gate.js';
import { keptTurns, lostPerState } from './lost-successes.js';
import { sequenceRatio, truncatedTeamWeight } from './sequence-ratio.js';
import { meanK3, surrogateOf } from './surrogate.js';

/** By another implementation, test/golden/make-team-tuning.py. */
const golden = JSON.parse(
  readFileSync(new URL('../../../../test/golden/team-tuning.json', import.meta.url), 'utf8'),
) as Golden;

describe('the ratio of a turn', () => {
  it('is that of the golden values, with both clamps', () => {
    for (const { new: now, current, ratio } of golden.ratios)
      expect(sequenceRatio(now, current).ratio / ratio).toBeCloseTo(1, 12);
  });

  it('clamps one token to e¹⁰ and a turn to e²⁰, and does not move where it is clamped', () => {
    expect(sequenceRatio([-1, -2], [-31, -2])).toEqual({ ratio: Math.exp(10), moves: [false, true] });
    expect(sequenceRatio([-1, -1, -1], [-10, -10, -10])).toEqual({ ratio: Math.exp(20), moves: [false, false, false] });
  });

  it('is one for a turn of nothing, and for a policy that did not change', () => {
    expect(sequenceRatio([], []).ratio).toBe(1);
    expect(sequenceRatio([-0.3, -2], [-0.3, -2])).toEqual({ ratio: 1, moves: [true, true] });
  });

  it("weights a rollout by the others' ratios together, and never by more than one", () => {
    const turn = (now: number, then: number) => ({ logProbs: [now], sampledLogProbs: [then] });
    expect(truncatedTeamWeight([])).toBe(1);
    expect(truncatedTeamWeight([turn(-2, -1), turn(-1.5, -1)])).toBeCloseTo(Math.exp(-1.5), 12);
    expect(truncatedTeamWeight([turn(-2, -1), turn(-1, -3)])).toBe(1);
  });
});

describe('what an update maximises', () => {
  it('is that of the golden values, and so are its slopes', () => {
    for (const { new: logProbs, current, gain, slopes, low, high, beta, ...turn } of golden.surrogates) {
      const surrogate = surrogateOf(
        { logProbs, currentLogProbs: current, ...turn },
        { clipLow: low, clipHigh: high, beta },
      );
      expect(Math.abs(surrogate.gain - gain)).toBeLessThan(1e-9 * (1 + Math.abs(gain)));
      // Differences of a large gain are known to fewer digits.
      surrogate.slopes.forEach((slope, at) =>
        expect(Math.abs(slope - slopes[at]!)).toBeLessThan(1e-5 * (1 + Math.abs(slopes[at]!)) + 1e-10 * Math.abs(gain)),
      );
    }
  });

  it('gains nothing by moving a turn past its clip', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.3, max: 5, noNaN: true }),
        fc.double({ min: 0.1, max: 4, noNaN: true }),
        (by, advantage) => {
          const at = (difference: number) =>
            surrogateOf(
              { logProbs: [-1 + difference], currentLogProbs: [-1], advantage, weight: 1 },
              { clipLow: 0.2, clipHigh: 0.28, beta: 0 },
            );
          expect(at(by)).toMatchObject({ isClipped: true, slopes: [0] });
          expect(at(by).gain).toBeCloseTo(1.28 * advantage, 9);
          expect(at(-by).isClipped).toBe(false);
        },
      ),
    );
  });

  it('holds the policy back by a distance that is never below zero', () => {
    const nats = fc.double({ min: -6, max: 0, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(nats, nats), { minLength: 1, maxLength: 8 }), (pairs) => {
        const distance = meanK3(
          pairs.map(([now]) => now),
          pairs.map(([, then]) => then),
        );
        expect(distance).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('advantages', () => {
  it('are those of the golden values, by group and by values', () => {
    for (const { rewards, most, advantages } of golden.advantages)
      clippedGroupAdvantages(rewards, most).forEach((each, at) => expect(each).toBeCloseTo(advantages[at]!, 9));
    for (const { rewards, values, gamma, lambda, advantages, returns } of golden.estimates) {
      const found = generalisedAdvantages(rewards, values, { gamma, lambda });
      found.advantages.forEach((each, at) => expect(each).toBeCloseTo(advantages[at]!, 12));
      found.returns.forEach((each, at) => expect(each).toBeCloseTo(returns[at]!, 12));
    }
  });

  it('are zero in a group that was judged alike, and at most five in one that has a single success', () => {
    expect(clippedGroupAdvantages([1, 1, 1], 5)).toEqual([0, 0, 0]);
    expect(Math.max(...clippedGroupAdvantages([...Array<number>(99).fill(0), 1], 5))).toBe(5);
  });

  it('are refused for a group of one and for rewards that are no numbers', () => {
    expect(() => clippedGroupAdvantages([1], 5)).toThrow(/expected at least two finite rewards/);
    expect(() => clippedGroupAdvantages([1, Number.NaN], 5)).toThrow(/expected at least two finite rewards/);
  });

  it('have values whose loss is that of the golden values', () => {
    for (const { values, before, returns, range, loss } of golden.valueLosses) {
      const own = values.map(
        (value, at) => clippedValueLoss(value, { before: before[at]!, target: returns[at]! }, range).loss,
      );
      expect(own.reduce((sum, each) => sum + each, 0) / own.length).toBeCloseTo(loss, 12);
    }
  });

  it('have values whose loss has the slope of its differences, on both sides of the range', () => {
    const near = fc.double({ min: -2, max: 2, noNaN: true });
    fc.assert(
      fc.property(near, near, near, (value, before, target) => {
        const [range, step] = [0.2, 1e-6];
        const lossAt = (at: number): number => clippedValueLoss(at, { before, target }, range).loss;
        // At the range itself the loss has two slopes.
        fc.pre(Math.abs(Math.abs(value - before) - range) > 2 * step);
        const difference = (lossAt(value + step) - lossAt(value - step)) / (2 * step);
        expect(clippedValueLoss(value, { before, target }, range).slope).toBeCloseTo(difference, 6);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the gate', () => {
  it('measures each state by all of its turns, weighted by their tokens', () => {
    const turn = (state: string, logProbs: number[]) => ({ state, logProbs, currentLogProbs: logProbs.map(() => -1) });
    const distances = distancePerState([turn('a', [-1, -1]), turn('a', [-2]), turn('b', [-1]), turn('c', [])]);
    expect([...distances.keys()]).toEqual(['a', 'b']);
    expect(distances.get('a')).toBeCloseTo(Math.exp(-1) / 3, 12);
    expect(distances.get('b')).toBe(0);
  });

  it('takes the quantile of the golden values', () => {
    for (const { values, share, quantile } of golden.quantiles) expect(upperQuantile(values, share)).toBe(quantile);
    expect(() => upperQuantile([], 0.9)).toThrow(/expected values and a share/);
  });

  it('accepts up to the target, takes back with a larger beta, and gives up after the most back-tracks', () => {
    const settings = { target: 0.05, quantile: 0.99, maxBacktracks: 2, mostLost: null };
    const decided = (distance: number, backtracks: number) =>
      decideGate({ distance, lost: 9 }, { beta: 0.1, backtracks }, settings);
    expect(decided(0.05, 0)).toEqual({ kind: 'accept' });
    expect(decided(0.0501, 1)).toEqual({ kind: 'backtrack', beta: expect.closeTo(0.15, 12) as number });
    expect(decided(0.0501, 2)).toEqual({ kind: 'give up' });
    expect(decided(Number.NaN, 0).kind).toBe('backtrack');
  });

  it('takes back a near step as well where successful turns lost more than they may', () => {
    const settings = { target: 0.05, quantile: 0.99, maxBacktracks: 2, mostLost: 1 };
    const decided = (lost: number) => decideGate({ distance: 0.01, lost }, { beta: 0.1, backtracks: 0 }, settings).kind;
    expect([decided(0), decided(1), decided(1.001), decided(Number.NaN)]).toEqual([
      'accept',
      'accept',
      'backtrack',
      'backtrack',
    ]);
  });

  it('sees the losses of the golden values', () => {
    for (const { turns, lost } of golden.losses) {
      const found = lostPerState(turns);
      expect([...found.keys()].sort()).toEqual(Object.keys(lost).sort());
      for (const [state, nats] of found) expect(nats).toBeCloseTo(lost[state]!, 9);
    }
  });

  it('sees what successful turns lost, by state and whole turn, and nothing of those that failed', () => {
    const turn = (state: string, success: boolean, logProbs: number[]) => ({
      ...{ state, success, logProbs },
      currentLogProbs: logProbs.map(() => -1),
    });
    const lost = lostPerState([
      ...[turn('a', true, [-2, -1.5]), turn('a', true, [-1]), turn('a', false, [-9])],
      ...[turn('b', true, [-0.5]), turn('c', false, [-4]), turn('d', true, [])],
    ]);
    expect([...lost]).toEqual([
      ['a', 0.75],
      ['b', -0.5],
    ]);
  });
});

describe('what an update keeps after it was taken back', () => {
  it('is what succeeded in states that lost more than half of the limit, with a least advantage', () => {
    const turn = (state: string, success: boolean, advantage: number) => ({ state, success, advantage });
    const lostBy = new Map([
      ['lost', 3],
      ['partly', 1.1],
      ['half', 1],
    ]);
    const kept = keptTurns(
      [
        ...[turn('lost', true, 0), turn('lost', true, 2), turn('lost', false, -1), turn('lost', true, -0.1)],
        ...[turn('partly', true, 0), turn('half', true, 0), turn('unknown', true, 0)],
      ],
      lostBy,
      { mostLost: 2, keptAdvantage: 0.5 },
    );
    expect(kept.map(({ advantage }) => advantage)).toEqual([0.5, 2, -1, 0.5, 0.5, 0, 0]);
  });
});

describe('the certificate', () => {
  it('is that of the golden values, term by term', () => {
    for (const { updates, constants, ...terms } of golden.certificates) {
      const found = certificateOf(updates, constants);
      expect(found.constants).toEqual(constants);
      for (const [name, value] of Object.entries(terms)) {
        const own = found[name as 'bound'];
        expect(Math.abs(own - value)).toBeLessThanOrEqual(1e-9 * (1 + Math.abs(value)));
      }
    }
  });

  it('says in words that it is vacuous with the constants of the release', () => {
    const certificate = certificateOf([{ distance: 0.05, rollouts: 512 }]);
    expect(certificate.isVacuous).toBe(true);
    expect(certificateText(certificate)).toMatch(
      /^vacuous: the bound is -\d+, and no success rate falls by more than 1/,
    );
    const tight = { ...certificate, bound: 0.02, isVacuous: false };
    expect(certificateText(tight)).toBe("the team's success changes by at least 0.020 with the stated constants");
  });
});

interface Golden {
  readonly ratios: { new: number[]; current: number[]; ratio: number }[];
  readonly surrogates: {
    new: number[];
    current: number[];
    advantage: number;
    weight: number;
    low: number;
    high: number;
    beta: number;
    gain: number;
    slopes: number[];
  }[];
  readonly advantages: { rewards: number[]; most: number; advantages: number[] }[];
  readonly estimates: {
    rewards: number[];
    values: number[];
    gamma: number;
    lambda: number;
    advantages: number[];
    returns: number[];
  }[];
  readonly valueLosses: { values: number[]; before: number[]; returns: number[]; range: number; loss: number }[];
  readonly quantiles: { values: number[]; share: number; quantile: number }[];
  readonly losses: { turns: Parameters<typeof lostPerState>[0]; lost: Record<string, number> }[];
  readonly certificates: ({
    updates: { distance: number; rollouts: number }[];
    constants: CertificateConstants;
  } & Record<'gain' | 'occupancyShift' | 'estimatorBias' | 'finiteSample' | 'bound', number>)[];
}
