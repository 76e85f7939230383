import { TOPIC } from '@seamstream/events';
import { onlineLevel } from '@seamstream/statistics';
import fc from 'fast-check';
import { type PlanGrounds, planDoubt, versionName } from './plan-doubt.decide.js';
import type { RunConfiguration, RunPlan, RunWindow } from './run-plan.js';

/** Results and experiences per window. */
const PER_WINDOW = 10;
const MOST_WINDOWS = 6;

const range = (topic: string, from: number, to: number) => ({ topic, partition: 0, from, to });
const windowOf = (index: number): RunWindow => ({
  index,
  outcomes: [range(TOPIC.outcomes, (index - 1) * PER_WINDOW, index * PER_WINDOW)],
  experiences: [range(TOPIC.experiences, (index - 1) * PER_WINDOW, index * PER_WINDOW)],
});
const BETTER = { rule: 'better', risk: 0.05, look: 3, promoted: 1, level: onlineLevel(3, 1, 0.05) } as const;

/** The plan of a window that learns from it and from `earlier` windows before it, over adapter "b". */
function planFor(index: number, earlier: number, changes: Partial<RunPlan & RunConfiguration> = {}): RunPlan {
  const from = (index - 1 - earlier) * PER_WINDOW;
  const { servedAdapters = [null, 'a', 'b'], promotion = BETTER, window = windowOf(index), ...facts } = changes;
  return {
    ...{ runId: 'run', method: 'grpo', slot: 'generator', manifests: [], parentAdapter: 'b' },
    inputs: [TOPIC.experiences, TOPIC.outcomes].map((topic) => range(topic, from, index * PER_WINDOW)),
    ...facts,
    configuration: { window, servedAdapters, promotion } as unknown as RunConfiguration,
  } as RunPlan;
}

/** A log in which `planned` windows have their plans and all records of {@link MOST_WINDOWS} are there. */
const groundsAfter = (planned: number, changes: Partial<PlanGrounds> = {}): PlanGrounds => ({
  ends: new Map([TOPIC.outcomes, TOPIC.experiences].map((topic) => [`${topic}/0`, MOST_WINDOWS * PER_WINDOW])),
  windows: new Map(Array.from({ length: planned }, (_, i) => [i + 1, windowOf(i + 1)])),
  isTrimmed: false,
  servedAdapters: () => [null, 'a', 'b'],
  versions: new Set(),
  ...changes,
});

describe('a plan', () => {
  it('is borne out where it learns from its window and any of those right before it, of any number', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: MOST_WINDOWS }), fc.nat(), (index, some) => {
        const earlier = some % index;
        expect(planDoubt(planFor(index, earlier), true, groundsAfter(index - 1))).toBeUndefined();
      }),
      { numRuns: 40, seed: 18 },
    );
  });

  it('is doubted where it learns from more or less than whole windows', () => {
    const all = groundsAfter(2);
    const told = /something else than its window and those before it/;
    const inputs = planFor(3, 1).inputs;
    for (const wrong of [
      inputs.map((each) => ({ ...each, from: each.from + 1 })),
      inputs.map((each) => ({ ...each, from: each.from - 1 })),
      inputs.slice(1),
      [],
    ])
      expect(planDoubt(planFor(3, 1, { inputs: wrong }), true, all)).toMatch(told);
    // Further back than the first window, of which there is nothing.
    const late = { outcomes: [range(TOPIC.outcomes, 5, 10)], experiences: [range(TOPIC.experiences, 5, 10)] };
    expect(planDoubt(planFor(1, 0, { window: { index: 1, ...late } }), true, groundsAfter(0))).toMatch(told);
    expect(planDoubt(planFor(3, 1, { inputs: [] }), true, groundsAfter(2, { isTrimmed: true }))).toBeUndefined();
    expect(planDoubt(planFor(3, 1, { inputs: [] }), false, all)).toBeUndefined();
  });

  it('is doubted where its records are not there', () => {
    const told = (inputs: RunPlan['inputs'], slot = 'generator') =>
      planDoubt(planFor(1, 0, { inputs, slot }), false, groundsAfter(0));
    expect(told([range(TOPIC.outcomes, 0, 61)])).toMatch(/the log ends at 60/);
    expect(told([range(TOPIC.outcomes, 3, 2)])).toMatch(/3 to 2/);
    expect(told([range(TOPIC.outcomes, -1, 2)])).toMatch(/-1 to 2/);
    expect(told([{ ...range(TOPIC.outcomes, 0, 1), partition: 1 }])).toMatch(/neither results nor experiences/);
    expect(told([range(TOPIC.outcomes, 0, 60)])).toBeUndefined();
    for (const name of ['outcomes', 'experiences'] as const) {
      const window = { ...windowOf(1), [name]: [range(TOPIC[name], 0, 61)] };
      expect(planDoubt(planFor(1, 0, { window }), false, groundsAfter(0))).toMatch(/the log ends at 60/);
    }
    const ends = new Map([[`${TOPIC.problems}/0`, 5]]);
    const problems = { inputs: [range(TOPIC.problems, 0, 5)], window: null };
    expect(planDoubt(planFor(1, 0, problems), false, groundsAfter(0, { ends }))).toMatch(/neither results/);
    expect(
      planDoubt(planFor(1, 0, { ...problems, slot: 'library' }), false, groundsAfter(0, { ends })),
    ).toBeUndefined();
  });

  it('is doubted where it hears what is no feedback of the log', () => {
    const ends = new Map([...groundsAfter(0).ends, [`${TOPIC.feedback}/0`, 5]]);
    const hearing = (ranges: RunPlan['inputs']) => {
      const plan = planFor(1, 0);
      const configuration = { ...plan.configuration, feedback: { ranges: [...ranges], keys: [] } };
      return planDoubt({ ...plan, configuration }, true, groundsAfter(0, { ends }));
    };
    const told = (topic: string, from: number, to: number) => hearing([range(topic, from, to)]);
    expect(told(TOPIC.feedback, 1, 5)).toBeUndefined();
    expect(told(TOPIC.feedback, 1, 6)).toMatch(/hears seam\.feedback\/0 1 to 6, and the log ends at 5/);
    expect(told(TOPIC.feedback, 3, 2)).toMatch(/3 to 2/);
    expect(told(TOPIC.outcomes, 0, 5)).toMatch(/which holds no feedback/);
    const twice = [range(TOPIC.feedback, 0, 2), range(TOPIC.feedback, 1, 3)];
    expect(hearing(twice)).toMatch(/hears seam\.feedback\/0 twice/);
    const inputs = [range(TOPIC.feedback, 0, 5)];
    expect(planDoubt(planFor(1, 0, { inputs }), false, groundsAfter(0, { ends }))).toMatch(/neither results/);
  });

  it('is doubted where its window is not the next of the row', () => {
    const told = (index: number, outcomes: RunWindow['outcomes'], grounds = groundsAfter(2)) =>
      planDoubt(planFor(index, 0, { window: { ...windowOf(index), outcomes } }), false, grounds);
    expect(told(2, windowOf(2).outcomes)).toMatch(/window 2 has a plan already/);
    expect(told(4, windowOf(4).outcomes)).toMatch(/there is no window 3/);
    const gone = groundsAfter(0, { isTrimmed: true });
    expect(told(4, windowOf(4).outcomes, gone)).toBeUndefined();
    expect(told(4, windowOf(4).outcomes, { ...groundsAfter(2), isTrimmed: true })).toMatch(/there is no window 3/);
    expect(told(3, windowOf(3).experiences)).toMatch(/not one of results/);
    expect(told(3, [...windowOf(3).outcomes, ...windowOf(3).outcomes])).toMatch(/names a partition twice/);
    expect(told(3, [range(TOPIC.outcomes, 21, 30)])).toMatch(/does not continue where window 2 ended/);
    expect(told(3, [range(TOPIC.outcomes, 10, 19)])).toMatch(/does not continue where window 2 ended/);
    expect(told(3, [])).toMatch(/does not continue where window 2 ended/);
    expect(told(3, [range(TOPIC.outcomes, 10, 20)])).toMatch(/holds no result that window 2 did not hold/);
    expect(told(3, [range(TOPIC.outcomes, 15, 21)])).toBeUndefined();
    expect(told(1, [range(TOPIC.outcomes, 5, 5)], groundsAfter(0))).toMatch(/holds no result/);
  });

  it('is doubted where it reads what is no version of the buffer', () => {
    const version = { key: 'buffer/1', digest: 'd1' };
    const versions = new Set([versionName(version)]);
    const told = (manifests: RunPlan['manifests']) =>
      planDoubt(planFor(1, 0, { manifests, inputs: [] }), true, groundsAfter(0, { versions }));
    expect(told([version])).toBeUndefined();
    expect(told([version, { ...version, digest: 'd2' }])).toMatch(/it reads buffer\/1, and no version/);
  });

  it('is doubted where its parent, or an adapter before it, was not served', () => {
    const told = (servedAdapters: readonly (string | null)[], parentAdapter: string | null) =>
      planDoubt(planFor(1, 0, { servedAdapters: [...servedAdapters], parentAdapter }), true, groundsAfter(0));
    expect(told(['a', 'b'], 'b')).toBeUndefined();
    expect(told(['c', 'b'], 'b')).toMatch(/builds on adapter c, which was never served/);
    expect(told(['a', 'b'], 'a')).toMatch(/its parent is not the last/);
    expect(told([], null)).toBeUndefined();
  });

  it('is doubted where its level is not that of its comparison', () => {
    const told = (changes: object) =>
      planDoubt(planFor(1, 0, { promotion: { ...BETTER, ...changes } as never }), true, groundsAfter(0));
    const told2 = (look: number, promoted: number, risk: number) => told({ look, promoted, risk, level: BETTER.level });
    expect(told({})).toBeUndefined();
    expect(told({ level: BETTER.level * (1 + 1e-12) })).toBeUndefined();
    expect(told({ level: BETTER.level * 1.001 })).toMatch(/does not follow from comparison 3 at risk 0.05/);
    for (const [look, promoted, risk] of [
      [0, 0, 0.05],
      [3, -1, 0.05],
      [3, 3, 0.05],
      [3, 1, 0],
      [3, 1, 1],
    ] as const)
      expect(told2(look, promoted, risk)).toMatch(/does not follow/);
    expect(told({ rule: 'tolerance', level: 2 })).toBeUndefined();
  });
});
