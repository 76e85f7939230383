import { decideRound, type RoundPlan } from './round-driver.decide.js';
import { initialLoopProgress, type LoopProgress, type RunProgress } from './round-progress.js';

const plan: RoundPlan = { roundSize: 4, maxBaseRounds: 5, maxShiftedRounds: 2, targetPerDomain: 0.9, patience: 3 };

/** Progress after the given rounds (phase, published) and run results (validation of a promoted run, or null for a rejected one). */
function progress(rounds: readonly ['base' | 'shifted', number][], results: readonly (number | null)[]): LoopProgress {
  return {
    ...initialLoopProgress,
    buffer: { ...initialLoopProgress.buffer, sequence: rounds.length },
    rounds: new Map(
      rounds.map(([phase, published], index) => [
        index + 1,
        {
          round: index + 1,
          phase,
          published,
          byAdapter: { executed: 0, solved: 0 },
          byBase: { executed: 0, solved: 0 },
          control: { executed: 0, solved: 0 },
          quoting: { executed: 0, solved: 0 },
          firstPublishedAtMs: 0,
        },
      ]),
    ),
    runs: new Map(
      results.map((validation, index): [string, RunProgress] => [
        `run-${index}`,
        {
          runId: `run-${index}`,
          window: index + 1,
          algorithm: 'sft',
          startedAtMs: 0,
          endedAtMs: 1,
          parent: null,
          adapterDigest: 'd',
          adapterKey: null,
          status: validation === null ? 'rejected' : 'promoted',
          validation,
          validationPerDomain: validation === null ? {} : { timber: validation },
          parentPerDomain: {},
          askedPerDomain: {},
          rescued: null,
          broken: null,
          repeated: 0,
          level: null,
          parentValidation: null,
          validationProblems: null,
          metrics: {},
          reason: null,
        },
      ]),
    ),
  };
}

describe("the rounds' driver", () => {
  it('begins with the first round of the base phase', () => {
    expect(decideRound(initialLoopProgress, plan)).toMatchObject({ kind: 'publish', round: 1, phase: 'base' });
  });

  it('goes on with a round that was published only in part', () => {
    expect(decideRound(progress([['base', 2]], []), plan)).toMatchObject({ kind: 'publish', round: 1, phase: 'base' });
  });

  it('waits for the decision on the training run of the last round', () => {
    expect(decideRound(progress([['base', 4]], []), plan)).toEqual({ kind: 'wait' });
  });

  it('waits for the version of the buffer that ends the round', () => {
    const decided = progress([['base', 4]], [0.2]);
    const without = { ...decided, buffer: { ...decided.buffer, sequence: 0 } };
    expect(decideRound(without, plan)).toEqual({ kind: 'wait' });
    expect(decideRound({ ...decided, buffer: initialLoopProgress.buffer }, plan)).toEqual({ kind: 'wait' });
  });

  it('publishes the next round after a decision, promoted or rejected', () => {
    expect(decideRound(progress([['base', 4]], [0.2]), plan)).toMatchObject({
      kind: 'publish',
      round: 2,
      phase: 'base',
    });
    expect(decideRound(progress([['base', 4]], [null]), plan)).toMatchObject({
      kind: 'publish',
      round: 2,
      phase: 'base',
    });
  });

  it('lets the new problems appear once an adapter at the target in every domain has been confirmed', () => {
    expect(decideRound(progress([['base', 4]], [0.95]), plan)).toMatchObject({
      kind: 'publish',
      round: 2,
      phase: 'base',
    });
    const two: ['base', number][] = [
      ['base', 4],
      ['base', 4],
    ];
    expect(decideRound(progress(two, [0.95, 0.93]), plan)).toMatchObject({
      kind: 'publish',
      round: 3,
      phase: 'shifted',
    });
    expect(decideRound(progress(two, [0.95, null]), plan)).toMatchObject({
      kind: 'publish',
      round: 3,
      phase: 'shifted',
    });
    expect(decideRound(progress(two, [0.95, 0.8]), plan)).toMatchObject({ kind: 'publish', round: 3, phase: 'base' });
    expect(decideRound(progress(two, [0.8, 0.95]), plan)).toMatchObject({ kind: 'publish', round: 3, phase: 'base' });
  });

  it('lets them appear when the base rounds are over', () => {
    const five = Array.from({ length: 5 }, (): ['base', number] => ['base', 4]);
    expect(decideRound(progress(five, [0.1, 0.2, 0.3, 0.4, 0.5]), plan)).toMatchObject({
      kind: 'publish',
      round: 6,
      phase: 'shifted',
    });
  });

  it('ends when the shifted phase has converged, counting only its own runs', () => {
    const rounds: ['base' | 'shifted', number][] = [
      ['base', 4],
      ['base', 4],
      ['shifted', 4],
    ];
    const roomy = { ...plan, maxShiftedRounds: 9 };
    expect(decideRound(progress(rounds, [0.95, 0.95]), roomy)).toEqual({ kind: 'wait' });
    expect(decideRound(progress(rounds, [0.95, 0.95, 0.95]), roomy)).toMatchObject({
      kind: 'publish',
      round: 4,
      phase: 'shifted',
    });
    expect(decideRound(progress([...rounds, ['shifted', 4]], [0.95, 0.95, 0.95, 0.93]), roomy)).toMatchObject({
      kind: 'finished',
      reason: expect.stringContaining('Converged'),
    });
  });

  it('takes what the served adapter reaches on problems that its promotion did not rest on for its success', () => {
    const two: ['base', number][] = [
      ['base', 4],
      ['base', 4],
    ];
    const compared = (parentPerDomain: Record<string, number>): LoopProgress => {
      const measured = progress(two, [0.99, null]);
      const asParent = { parentPerDomain, askedPerDomain: { timber: 100, herbs: 100 } };
      return {
        ...measured,
        runs: new Map([...measured.runs].map(([id, run]) => [id, run.window === 2 ? { ...run, ...asParent } : run])),
      };
    };
    expect(decideRound(compared({ timber: 0.92, herbs: 0.9 }), plan)).toMatchObject({ phase: 'shifted' });
    expect(decideRound(compared({ timber: 0.99, herbs: 0.89 }), plan)).toMatchObject({ phase: 'base' });
  });

  it('ends when the shifted rounds are over', () => {
    expect(
      decideRound(
        progress(
          [
            ['base', 4],
            ['shifted', 4],
            ['shifted', 4],
          ],
          [0.95, 0.5, 0.6],
        ),
        plan,
      ),
    ).toMatchObject({ kind: 'finished', reason: expect.stringContaining('planned rounds are over') });
  });

  it('gives up a phase when the last runs were all rejected', () => {
    const three: ['base', number][] = [
      ['base', 4],
      ['base', 4],
      ['base', 4],
    ];
    expect(decideRound(progress(three, [null, null, null]), plan)).toMatchObject({
      kind: 'publish',
      round: 4,
      phase: 'shifted',
    });
    expect(decideRound(progress(three, [null, null, null]), { ...plan, maxShiftedRounds: 0 })).toMatchObject({
      kind: 'finished',
      reason: expect.stringContaining('none of the last 3'),
    });
  });
});

describe('rounds of a file, of which problems went to the dead letters', () => {
  const refilled: RoundPlan = { ...plan, refills: true };

  it('get as many others of the stream, so that the trainer’s window fills', () => {
    expect(decideRound(progress([['base', 4]], []), refilled, 1)).toEqual({
      kind: 'publish',
      round: 1,
      phase: 'base',
      startIndex: 4,
      count: 1,
    });
    expect(decideRound(progress([['base', 5]], []), refilled, 1)).toEqual({ kind: 'wait' });
    expect(decideRound(progress([['base', 4]], []), plan, 1)).toEqual({ kind: 'wait' });
  });

  it('are over where most of them do', () => {
    expect(decideRound(progress([['base', 8]], []), refilled, 5)).toEqual({
      kind: 'finished',
      reason: 'Stopped: 5 of 8 problems went to the dead letters.',
      converged: false,
    });
  });
});
