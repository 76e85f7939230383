import fc from 'fast-check';
import type { AttributesReport } from '../report/attributes-report.js';
import {
  type CurvePoint,
  callsByRound,
  callsTo,
  type LearningReport,
  learningOfAttributes,
  loopCurve,
  type SpeedRun,
  speedRatio,
  speedTable,
  trlCurve,
  trlMeasurements,
} from './learning-speed.js';

const line = (changes: object = {}): string =>
  JSON.stringify({ step: 1, calls: 100, completions: 128, solved: 10, valid: 30, problems: 40, ...changes });
const to90 = (calls: number): readonly CurvePoint[] => [
  { calls: 0, success: 0.1 },
  { calls, success: 0.9 },
];
const anyCurve = fc.array(
  fc.record({ calls: fc.nat({ max: 1e6 }), success: fc.integer({ min: 0, max: 100 }).map((each) => each / 100) }),
);

/** Two rounds: 100 candidates each, controls and comparisons as given. */
const report = {
  rounds: [
    { rollouts: 100, controls: 5 },
    { rollouts: 200, controls: 7 },
    { rollouts: 300, controls: 0 },
  ],
  runs: [
    { status: 'promoted', digest: 'a', validationProblems: 64 },
    { status: 'rejected', digest: 'b', validationProblems: 128 },
    { status: 'promoted', digest: 'c', validationProblems: null },
  ],
} as unknown as LearningReport;

describe('the calls to a level', () => {
  it('are those of the first measurement that is at least as good, and of none where all are worse', () => {
    fc.assert(
      fc.property(anyCurve, fc.integer({ min: 0, max: 100 }), (curve, percent) => {
        const calls = callsTo(curve, percent / 100);
        const at = curve.findIndex(({ success }) => success >= percent / 100);
        expect(calls).toBe(at === -1 ? null : curve[at]!.calls);
      }),
    );
    expect(callsTo(to90(700), 0.9)).toBe(700);
    expect(callsTo(to90(700), 0.901)).toBeNull();
  });
});

describe("the loop's calls", () => {
  it('are candidates and controls, and with comparisons both adapters of each', () => {
    expect(callsByRound(report)).toEqual([
      { exploring: 105, all: 105 + 128 },
      { exploring: 212, all: 212 + 128 + 256 },
      { exploring: 312, all: 312 + 128 + 256 },
    ]);
  });

  it('have of a comparison what its record counts: one attempt where both wrote one entry', () => {
    const runs = report.runs.map((run, at) => ({ ...run, comparedAttempts: [100, 200, null][at] ?? null }));
    expect(callsByRound({ ...report, runs }).map(({ all }) => all)).toEqual([105 + 100, 212 + 300, 312 + 300]);
  });

  it('end a round before its adapter serves; one that is rejected is no point of the curve and costs all the same', () => {
    const success = (digest: string | null): number => ({ a: 0.4, c: 0.9 })[digest ?? ''] ?? 0.05;
    expect(loopCurve(report, success, 'all')).toEqual([
      { calls: 0, success: 0.05 },
      { calls: 233, success: 0.4 },
      { calls: 696, success: 0.9 },
    ]);
  });
});

it('reads rounds of a world of attributes, each with its own attempts and its run', () => {
  const rounds = [
    { attempts: 100, controls: 5, status: 'promoted', digest: 'a', validationProblems: 64 },
    { attempts: 100, controls: 7, status: 'rejected', digest: 'b', validationProblems: 128 },
  ] as unknown as AttributesReport['rounds'];
  expect(callsByRound(learningOfAttributes({ rounds }))).toEqual(callsByRound(report).slice(0, 2));
});

describe("TRL's log", () => {
  it('is a curve of calls and of the share that is solved', () => {
    const measured = trlMeasurements(`${line({ step: 0, calls: 0, solved: 2 })}\n${line()}\n`);
    expect(trlCurve(measured)).toEqual([
      { calls: 0, success: 0.05 },
      { calls: 100, success: 0.25 },
    ]);
    expect(trlMeasurements('')).toEqual([]);
  });

  it.each([
    ['a line that was cut', line().slice(0, 30)],
    ['a count that is missing', line({ solved: undefined })],
    ['a field that it does not know', line({ reward: 1 })],
    ['more solved than written as entries', line({ solved: 31 })],
    ['more entries than problems', line({ valid: 41 })],
    ['fewer calls than before', line({ calls: 99 })],
    ['a part of a call', line({ calls: 100.5 })],
  ])('is refused with %s, and the line is named', (_, second) => {
    expect(() => trlMeasurements(`${line()}\n${second}\n`)).toThrow(/^Cannot read line 2 of TRL's log: expected/);
  });
});

describe('the ratio', () => {
  const runs: readonly SpeedRun[] = [500, 2000, 1000].map((calls, at) => ({
    ...{ seed: at + 1, loop: to90(at === 2 ? 5000 : calls), loopExploring: to90(at === 2 ? 5000 : calls / 2) },
    trl: at === 2 ? [{ calls: 4000, success: 0.7 }] : to90(1000),
  }));

  it('has a geometric mean over the seeds on which both reach the level', () => {
    const { bySeed, mean, interval95 } = speedRatio(runs, 0.9, 'loop');
    expect(bySeed).toEqual([{ ratio: 0.5, isBound: false }, { ratio: 2, isBound: false }, null]);
    expect(mean!.ratio).toBeCloseTo(1, 12);
    // The logarithms are ± ln 2: standard deviation √2 ln 2, t of 1 degree 12.706.
    expect(interval95![1]).toBeCloseTo(Math.exp(12.706 * Math.LN2), 6);
    expect(speedRatio(runs, 0.9, 'loopExploring').mean!.ratio).toBeCloseTo(0.5, 12);
  });

  it('is a bound where TRL spent more calls than the loop and never reached the level', () => {
    const all = runs.map((run, at) => (at === 2 ? { ...run, loop: to90(1000) } : run));
    const { bySeed, mean, interval95 } = speedRatio(all, 0.9, 'loop');
    expect(bySeed[2]).toEqual({ ratio: 0.25, isBound: true });
    expect(mean!.isBound).toBe(true);
    expect(mean!.ratio).toBeCloseTo(0.25 ** (1 / 3), 12);
    expect(interval95).toBeNull();
    expect(speedTable(all)).toContain('| 0.9 | the loop, all calls | 0.50 | 2.00 | below 0.25 | below 0.63 | none |');
  });

  it('is null where TRL had fewer calls than the loop, or the loop ends below the level', () => {
    expect(speedRatio(runs.slice(2), 0.9, 'loop')).toEqual({ bySeed: [null], mean: null, interval95: null });
    const ended = [{ ...runs[0]!, loop: [{ calls: 100, success: 0.8 }] }];
    expect(speedRatio(ended, 0.9, 'loop').bySeed).toEqual([null]);
    const table = speedTable(runs);
    expect(table).toContain("| 0.9 | TRL's GRPOTrainer | 1,000 | 1,000 | not in 4,000 (best 70.0 %) |");
    expect(table).toContain('| 0.9 | the loop, all calls | 0.50 | 2.00 | none | 1.00 |');
  });
});
