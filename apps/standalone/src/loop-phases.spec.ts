import fc from 'fast-check';
import { loopPhases } from './loop-phases.js';
import { initialLoopProgress, type LoopProgress, type RoundProgress, type RunProgress } from './round-progress.js';

const seconds = (toMs: number): number => toMs / 1000;

describe('the phases of the loop', () => {
  it('are exploring until a run starts, training until its candidate is made, comparing until it ends', () => {
    const progress = progressOf([
      { publishedAtMs: 0, startedAtMs: 7_000, madeAtMs: 10_000, endedAtMs: 12_000 },
      // Half a second of hand-over belongs to no phase. A run without a candidate is training all the time.
      { publishedAtMs: 12_500, startedAtMs: 20_000, madeAtMs: null, endedAtMs: 24_000 },
    ]);
    expect(loopPhases(progress, seconds)).toEqual({ exploring: 14.5, training: 7, comparing: 2 });
  });

  it('do not count time in which no process worked', () => {
    // No process worked from 8 to 9 s.
    const worked = (toMs: number): number => seconds(toMs) - Math.min(1, Math.max(0, seconds(toMs) - 8));
    const progress = progressOf([{ publishedAtMs: 0, startedAtMs: 7_000, madeAtMs: 10_000, endedAtMs: 12_000 }]);
    expect(loopPhases(progress, worked)).toEqual({ exploring: 7, training: 2, comparing: 2 });
  });

  it('are together at most the whole, also where times overlap', () => {
    const time = fc.integer({ min: 0, max: 100_000 });
    const round = fc.record({
      publishedAtMs: time,
      startedAtMs: time,
      madeAtMs: fc.option(time),
      endedAtMs: time,
    });
    fc.assert(
      fc.property(fc.array(round, { maxLength: 6 }), (rounds) => {
        const { exploring, training, comparing } = loopPhases(progressOf(rounds), seconds);
        for (const each of [exploring, training, comparing]) expect(each).toBeGreaterThanOrEqual(0);
        expect(exploring + training + comparing).toBeLessThanOrEqual(100 + 1e-9);
      }),
    );
  });
});

interface Times {
  readonly publishedAtMs: number;
  readonly startedAtMs: number;
  readonly madeAtMs: number | null;
  readonly endedAtMs: number;
}

function progressOf(rounds: readonly Times[]): LoopProgress {
  return {
    ...initialLoopProgress(),
    rounds: new Map(
      rounds.map(({ publishedAtMs }, at) => [
        at + 1,
        { round: at + 1, firstPublishedAtMs: publishedAtMs } as RoundProgress,
      ]),
    ),
    runs: new Map(
      rounds.map(({ startedAtMs, madeAtMs, endedAtMs }, at) => [
        `run-${at}`,
        { window: at + 1, status: 'promoted', startedAtMs, madeAtMs, endedAtMs } as RunProgress,
      ]),
    ),
  };
}
