import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import {
  type KnownTurn,
  keptTurns,
  type Losses,
  lostPerState,
  meanLikeliestLost,
  type RewardedTurn,
  type SuccessLoss,
  successLostPerProblem,
} from './lost-successes.js';

/** By another implementation, test/golden/make-team-tuning.py. */
const golden = JSON.parse(
  readFileSync(new URL('../../../../test/golden/team-tuning.json', import.meta.url), 'utf8'),
) as {
  readonly losses: { turns: RewardedTurn[]; lost: Record<string, number> }[];
  readonly successLosses: { turns: KnownTurn[]; lost: Record<string, SuccessLoss> }[];
};

describe('what successful turns of a state lost', () => {
  it('is that of the golden values', () => {
    for (const { turns, lost } of golden.losses) expectClose(lostPerState(turns), lost);
  });

  it('is the mean of whole turns, and says nothing of those that failed', () => {
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

describe('what a problem lost of its known success', () => {
  it('is that of the golden values', () => {
    for (const { turns, lost } of golden.successLosses) {
      const found = successLostPerProblem(turns);
      for (const kind of ['sampled', 'likeliest'] as const)
        expectClose(
          new Map([...found].map(([problem, loss]) => [problem, loss[kind]])),
          Object.fromEntries(Object.entries(lost).map(([problem, loss]) => [problem, loss[kind]])),
        );
    }
  });

  it('counts a lucky turn that is rarely taken for little', () => {
    const lost = lossOf([turnOf('lucky', { before: 0.001, now: 1e-9 }), turnOf('usual', failing)]);
    expect(lost.sampled).toBeCloseTo(0.001, 6);
  });

  it('is nothing where success moves from one turn to another', () => {
    const moved = [turnOf('first', { before: 0.6, now: 0.2 }), turnOf('second', { before: 0.3, now: 0.7 })];
    expect(lossOf(moved).sampled).toBeCloseTo(0, 12);
    expect(lossOf(moved).likeliest).toBe(0);
  });

  it('is all that the likeliest turn had where one that fails becomes the likeliest, by however little', () => {
    const right = turnOf('right', { before: 0.5, now: 0.49 });
    const wrong = { before: 0.49, now: 0.5 };
    const near = lossOf([right, turnOf('wrong', { ...wrong, success: false })]);
    expect(near.likeliest).toBe(1);
    expect(near.sampled).toBeCloseTo(0.01, 12);
    expect(lossOf([right, turnOf('right too', wrong)]).likeliest).toBe(0);
  });

  it('is less where a turn that is taken less often succeeded in part', () => {
    const often = { before: 0.8, now: 0.3 };
    const lost = [true, true, true, false].map((success) => turnOf('often', { ...often, success }));
    expect(lossOf(lost).sampled).toBeCloseTo(0.75 * 0.5, 12);
  });

  it('weighs the states of a problem by how often they came about', () => {
    const rare = turnOf('a', { state: 'rare', before: 0.9, now: 0.1 });
    const usual = [1, 2, 3].map(() => turnOf('a', { state: 'usual', before: 0.9, now: 0.9 }));
    expect(lossOf([rare, ...usual]).sampled).toBeCloseTo(0.2, 12);
  });

  it('takes no notice of a turn whose verdict is not compared, nor of one without a choice', () => {
    const apart = turnOf('a', { before: 0.9, now: 0.1, success: null });
    const forced = { ...turnOf('a', {}), logProbs: [], currentLogProbs: [] };
    expect([...successLostPerProblem([apart, forced])]).toEqual([]);
  });

  it('is never above what was known, and nothing where nothing moved', () => {
    const share = fc.double({ min: 1e-6, max: 1, noNaN: true });
    const written = fc.constantFrom('a', 'b', 'c');
    fc.assert(
      fc.property(fc.array(fc.tuple(written, fc.boolean()), { minLength: 1 }), share, (turns, now) => {
        const moved = (to: number) =>
          lossOf(turns.map(([text, success]) => turnOf(text, { before: 1 / 3, now: to, success })));
        expect(moved(now).sampled).toBeLessThanOrEqual(1);
        expect(moved(1 / 3).sampled).toBeCloseTo(0, 12);
        expect(moved(1 / 3).likeliest).toBe(0);
      }),
    );
  });
});

describe('what an update keeps after it was taken back', () => {
  const turn = (lost: string, success: boolean, advantage: number) => ({
    ...{ state: lost, problem: `of ${lost}`, success, advantage },
  });
  const turns = [
    ...[turn('lost', true, 0), turn('lost', true, 2), turn('lost', false, -1), turn('lost', true, -0.1)],
    ...[turn('partly', true, 0), turn('half', true, 0), turn('unknown', true, 0)],
  ];
  const lostBy = Object.entries({ lost: 3, partly: 1.1, half: 1 });
  const none = new Map<string, never>();
  const advantages = (kept: readonly { readonly advantage: number }[]) => kept.map(({ advantage }) => advantage);

  it('is what succeeded in states that lost more than half of the limit in nats, with a least advantage', () => {
    const losses = { nats: new Map(lostBy), success: none };
    const kept = keptTurns(turns, losses, { mostLost: 2, mostSuccessLost: null, keptAdvantage: 0.5 });
    expect(advantages(kept)).toEqual([0.5, 2, -1, 0.5, 0.5, 0, 0]);
  });

  it('is what succeeded in problems that lost more than half of the limit as they are sampled', () => {
    expect(keptOf(([state, lost]) => [`of ${state}`, { sampled: lost / 10, likeliest: -1 }])).toEqual([
      ...[0.5, 2, -1, 0.5, 0.5, 0, 0],
    ]);
  });

  it('is what the likeliest turns lost, where they lost success over all problems', () => {
    const likeliest = ([state, lost]: [string, number]): [string, SuccessLoss] => [
      ...([`of ${state}`, { sampled: 0, likeliest: lost / 10 }] as const),
    ];
    expect(keptOf(likeliest)).toEqual([0.5, 2, -1, 0.5, 0.5, 0, 0]);
    const gained: [string, SuccessLoss] = ['of another', { sampled: 0, likeliest: -0.6 }];
    expect(keptOf(likeliest, gained)).toEqual(advantages(turns));
  });

  it('is nothing more than before without a limit', () => {
    const losses = { nats: new Map(lostBy), success: new Map([['of lost', { sampled: 1, likeliest: 1 }]]) };
    const kept = keptTurns(turns, losses, { mostLost: null, mostSuccessLost: null, keptAdvantage: 0.5 });
    expect(advantages(kept)).toEqual(advantages(turns));
  });

  function keptOf(of: (lost: [string, number]) => [string, SuccessLoss], ...more: [string, SuccessLoss][]): number[] {
    const losses: Losses = { nats: none, success: new Map([...lostBy.map(of), ...more]) };
    return advantages(keptTurns(turns, losses, { mostLost: null, mostSuccessLost: 0.2, keptAdvantage: 0.5 }));
  }
});

describe('what the likeliest turns lost over all problems', () => {
  it('is the mean over problems, so that one may gain what another lost', () => {
    const of = (...lost: number[]) =>
      new Map(lost.map((likeliest, at): [string, SuccessLoss] => [`${at}`, { sampled: 0, likeliest }]));
    expect(meanLikeliestLost(of(0.5, -0.25, 0, 0))).toBeCloseTo(0.0625, 12);
    expect(meanLikeliestLost(of())).toBe(0);
  });
});

const failing = { before: 0.5, now: 0.9, success: false };

interface Facts {
  readonly state?: string;
  readonly success?: boolean | null;
  /** Probability of the turn. */
  readonly before?: number;
  readonly now?: number;
}

const lossOf = (turns: readonly KnownTurn[]): SuccessLoss => successLostPerProblem(turns).get('p')!;

function turnOf(written: string, { state = 's', success = true, before = 0.5, now = 0.5 }: Facts): KnownTurn {
  const ln = (share: number): number[] => [Math.log(share) / 2, Math.log(share) / 2];
  return { problem: 'p', state, written, success, currentLogProbs: ln(before), logProbs: ln(now) };
}

function expectClose(found: ReadonlyMap<string, number>, expected: Readonly<Record<string, number>>): void {
  expect([...found.keys()].sort()).toEqual(Object.keys(expected).sort());
  for (const [key, value] of found) expect(value).toBeCloseTo(expected[key]!, 9);
}
