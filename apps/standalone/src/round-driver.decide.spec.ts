import { decideRound, type RoundPlan } from './round-driver.decide.js';
import { initialLoopProgress, type LoopProgress, type RunProgress } from './round-progress.js';

const plan: RoundPlan = { roundSize: 4, maxBaseRounds: 5, maxShiftedRounds: 2, targetPerDomain: 0.9, patience: 3 };

const servedAs = (run: number) => ({ adapterDigest: `adapter-${run}`, key: 'k', fingerprint: 'f' });

/** What was served when the run began. */
const parentOf = (results: readonly (number | null)[], run: number): string | null => {
  const before = results.slice(0, run).findLastIndex((validation) => validation !== null);
  return before < 0 ? null : servedAs(before).adapterDigest;
};

/** Progress after the given rounds (phase, published) and run results (validation of a promoted run, or null for a rejected one). */
function progress(rounds: readonly ['base' | 'shifted', number][], results: readonly (number | null)[]): LoopProgress {
  const last = results.findLastIndex((validation) => validation !== null);
  return {
    ...initialLoopProgress(),
    adapters: { ...initialLoopProgress().adapters, served: last < 0 ? null : servedAs(last) },
    buffer: { ...initialLoopProgress().buffer, sequence: rounds.length },
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
          rewards: [],
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
          madeAtMs: null,
          endedAtMs: 1,
          parent: parentOf(results, index),
          adapterDigest: servedAs(index).adapterDigest,
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
          comparedAttempts: null,
          metrics: {},
          reason: null,
        },
      ]),
    ),
  };
}

describe("the rounds' driver", () => {
  it('begins with the first round of the base phase', () => {
    expect(decideRound(initialLoopProgress(), plan)).toMatchObject({ kind: 'publish', round: 1, phase: 'base' });
  });

  it('continues a round that was published only in part', () => {
    expect(decideRound(progress([['base', 2]], []), plan)).toMatchObject({ kind: 'publish', round: 1, phase: 'base' });
  });

  it('waits for the decision on the training run of the last round', () => {
    expect(decideRound(progress([['base', 4]], []), plan)).toEqual({ kind: 'wait' });
  });

  it('waits for the version of the buffer that ends the round', () => {
    const decided = progress([['base', 4]], [0.2]);
    const without = { ...decided, buffer: { ...decided.buffer, sequence: 0 } };
    expect(decideRound(without, plan)).toEqual({ kind: 'wait' });
    expect(decideRound({ ...decided, buffer: initialLoopProgress().buffer }, plan)).toEqual({ kind: 'wait' });
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

describe('what a person decides meanwhile', () => {
  const rounds = (count: number): ['base', number][] => Array.from({ length: count }, () => ['base', 4]);
  const without = { ...plan, maxShiftedRounds: 0 };
  /** The last adapters taken back, and what is served then. */
  const taken = (state: LoopProgress, served: ReturnType<typeof servedAs> | null, ...runs: number[]): LoopProgress => ({
    ...state,
    adapters: {
      ...state.adapters,
      served,
      rolledBack: new Map(
        runs.map((run) => [
          servedAs(run).adapterDigest,
          {} as LoopProgress['adapters']['rolledBack'] extends ReadonlyMap<string, infer Event> ? Event : never,
        ]),
      ),
    },
  });

  it('counts: the loop has not converged where what reached the target is served no more', () => {
    const reached = progress(rounds(3), [0.2, 0.95, 0.95]);
    expect(decideRound(reached, without)).toMatchObject({ kind: 'finished', converged: true });
    expect(decideRound(taken(reached, servedAs(0), 1, 2), without)).toMatchObject({ kind: 'publish', round: 4 });
    expect(decideRound(taken(reached, null, 0, 1, 2), without)).toMatchObject({ kind: 'finished', converged: false });
    const imported = { adapterDigest: 'imported', key: 'k', fingerprint: 'f' };
    expect(decideRound(taken(reached, imported), without)).toMatchObject({ kind: 'publish', round: 4 });
  });

  it('may bring back what had converged', () => {
    const worse = progress(rounds(3), [0.95, 0.95, 0.91]);
    expect(decideRound(taken(progress(rounds(3), [0.95, 0.95, 0.5]), servedAs(1), 2), without)).toMatchObject({
      kind: 'finished',
      converged: true,
    });
    expect(decideRound(worse, without)).toMatchObject({ converged: true });
  });

  it('makes comparisons with another parent say nothing', () => {
    const measured = progress(rounds(3), [0.5, 0.95, null]);
    const compared: LoopProgress = {
      ...measured,
      runs: new Map(
        [...measured.runs].map(([id, run]) => [
          id,
          run.window === 3 ? { ...run, parentPerDomain: { timber: 0.97 }, askedPerDomain: { timber: 100 } } : run,
        ]),
      ),
    };
    expect(decideRound(compared, without)).toMatchObject({ kind: 'finished', converged: true });
    expect(decideRound(taken(compared, servedAs(0), 1), without)).toMatchObject({ kind: 'publish', round: 4 });
  });

  it('is no progress of a run: adapters that were all taken back are a loop that is stuck', () => {
    const all = taken(progress(rounds(3), [0.5, 0.6, 0.7]), null, 0, 1, 2);
    expect(decideRound(all, without)).toMatchObject({
      kind: 'finished',
      reason: expect.stringContaining('none of the last 3'),
    });
    expect(decideRound(taken(all, servedAs(0), 1, 2), without)).toMatchObject({ kind: 'publish', round: 4 });
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
