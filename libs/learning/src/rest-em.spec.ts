import type { FeedbackGiven } from '@seamstream/events';
import { Random } from '@seamstream/kernel';
import fc from 'fast-check';
import { algorithms, type LearningContext, type LogInput, type Preparation } from './index.js';
import { experience, logOf, metaOf, resultOf, together } from './recorded-groups.fake.js';

const restEm = algorithms.get('rest-em')!;
const context: LearningContext = {
  baseModelDigest: 'base',
  servedAdapters: [null, 'a1', 'a2'],
  entrySchemaOf: () => undefined,
};
const prepare = (log: LogInput, config: object = {}, seed = 'run'): Preparation =>
  restEm.prepare(log, { minExamples: 1, ...config }, context, seed);
/** The ids of what is learned from. */
const keptOf = (log: LogInput, config: object = {}): readonly string[] => {
  const prepared = prepare(log, config);
  return prepared.status === 'ready' ? prepared.plan.examples.map(({ exampleId }) => exampleId) : [];
};
/** Problems of the groups' domain that were tried without an entry. */
const controls = (...rewards: readonly number[]): LogInput => {
  const tried = rewards.map((reward, i) => ({ reward, of: experience(`control${i}`, 0, 1, { arm: 'control' }) }));
  return { reads: 'log', experiences: [], results: tried.map(({ of, reward }) => resultOf(of, reward)) };
};

describe('ReST-EM', () => {
  it('keeps of each group what did best, the first of equals', () => {
    expect(keptOf(logOf({ g: [0.25, 0.75, 0.75, 0], h: [1, 0] }))).toEqual(['g-1', 'h-0']);
  });

  it('keeps nothing without a gain: over the group, and over problems without an entry where there are any', () => {
    const log = logOf({ alike: [0.5, 0.5], better: [0.25, 0.5] });
    expect(keptOf(log)).toEqual(['better-1']);
    expect(keptOf(together(log, controls(0.25, 0.5)))).toEqual(['alike-0', 'better-1']);
    expect(keptOf(together(log, controls(0.5)))).toEqual([]);
    expect(keptOf(together(log, controls(0.5)), { gainOver: 'group' })).toEqual(['better-1']);
    expect(keptOf(log, { minimumGain: 0.2 })).toEqual([]);
  });

  it('keeps on demand everything with reward 1', () => {
    expect(keptOf(logOf({ g: [1, 0, 1, 0.75] }), { keep: 'solved' })).toEqual(['g-0', 'g-2']);
  });

  it('learns from the present writer alone, and from its own base model', () => {
    const earlier = logOf({ earlier: [1, 0] }, { adapterDigest: 'a1' });
    const bare = logOf({ bare: [1, 0] }, { adapterDigest: null });
    const other = logOf({ other: [1, 0] }, { baseModelDigest: 'another' });
    expect(keptOf(together(earlier, bare, other, logOf({ own: [1, 0] })))).toEqual(['own-0']);
  });

  it('takes no failure of the machine for a reward of 0', () => {
    expect(keptOf(logOf({ g: ['failed', 0.5, 0.25] }))).toEqual(['g-1']);
    expect(keptOf(logOf({ g: ['failed', 'failed', 0.5] }))).toEqual([]);
  });

  it('imitates no edit that could not act, also where a gain below 0 is enough', () => {
    const log = logOf({ g: [0, 0] });
    const editRefusal = { reason: 'too_short', detail: 'tokens 3' };
    const results = log.results.map((result, at) =>
      at === 0 ? { ...result, editRefusal } : result,
    ) as typeof log.results;
    expect(keptOf(log, { minimumGain: -0.5 })).toEqual(['g-0']);
    expect(keptOf({ ...log, results }, { minimumGain: -0.5 })).toEqual(['g-1']);
  });

  it('imitates every kept entry as often as every other, over so many epochs', () => {
    const log = logOf(Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`g${i}`, [1, 0]])));
    const prepared = prepare(log, { batchSize: 3, duration: { unit: 'epochs', epochs: 3 } });
    if (prepared.status === 'refused') throw new Error(prepared.reason);
    const drawn = prepared.plan.steps.flatMap(({ examples }) => examples);
    expect(prepared.plan.steps).toHaveLength(7);
    expect(Object.values(Object.groupBy(drawn, String)).map((of) => of!.length)).toEqual(Array(7).fill(3));
    expect(prepared.plan.objective).toEqual({ kind: 'negative-log-likelihood' });
    expect(prepared.plan.trainable).toMatchObject({ kind: 'lora', rank: 64, alpha: 128 });
  });

  it('lets people decide between entries that measured alike, and never for one that measured nothing', () => {
    const log = { ...logOf({ g: [1, 1, 0], h: [0.5, 0.25] }), feedback: wordsOn('g-1', 1).concat(wordsOn('g-2', 1)) };
    const feedback = { weight: 0.5 };
    expect(keptOf(log, { feedback })).toEqual(['g-1', 'h-0']);
    expect(keptOf({ ...log, feedback: wordsOn('g-0', 0) }, { feedback })).toEqual(['g-1', 'h-0']);
    expect(keptOf(log, { feedback: { weight: 0 } })).toEqual(['g-0', 'h-0']);
    expect(keptOf(log)).toEqual(['g-0', 'h-0']);
    expect(prepare(log)).toEqual(prepare(logOf({ g: [1, 1, 0], h: [0.5, 0.25] })));
    expect(prepare(log, { feedback })).toMatchObject({
      plan: { diagnostics: { feedbackDecided: 1, feedbackAttempts: 2, feedbackPeople: 3, meanReward: 0.55 } },
    });
    expect([restEm.hearsFeedback({}), restEm.hearsFeedback({ feedback })]).toEqual([false, true]);
  });

  it('keeps of the solved ones what people do not speak against, and nothing that they alone call solved', () => {
    const log = { ...logOf({ g: [1, 1, 0.9, 0, 0, 0, 0] }), feedback: wordsOn('g-0', 0).concat(wordsOn('g-2', 1)) };
    expect(keptOf(log, { keep: 'solved', feedback: { weight: 0.5 } })).toEqual(['g-1']);
  });

  it('lets people lift no entry over the bar that its measurement did not pass, and rank those that did', () => {
    const log = { ...together(logOf({ g: [0.6, 0.55, 0.5] }), controls(0.5)), feedback: wordsOn('g-2', 1) };
    const feedback = { weight: 1 };
    expect(keptOf(log, { feedback })).toEqual(['g-0']);
    expect(keptOf({ ...log, feedback: wordsOn('g-1', 1) }, { feedback })).toEqual(['g-1']);
    expect(keptOf({ ...log, feedback: wordsOn('g-1', 1) }, { feedback, minimumGain: 0.08 })).toEqual(['g-0']);
    const grid = fc.integer({ min: 0, max: 8 }).map((eighths) => eighths / 8);
    const group = fc.array(grid, { minLength: 2, maxLength: 5 });
    const voices = fc.array(fc.tuple(fc.nat(4), grid), { maxLength: 8 });
    const settings = fc.record({
      keep: fc.constantFrom('best', 'solved'),
      gainOver: fc.constantFrom('control', 'group'),
      minimumGain: fc.constantFrom(-0.25, 0, 0.125, 0.3),
      weight: grid,
    });
    fc.assert(
      fc.property(group, grid, voices, settings, (rewards, control, said, { weight, ...config }) => {
        const measured = together(logOf({ g: rewards }), controls(control));
        const words = said.flatMap(([index, score]) => wordsOn(`g-${index}`, score));
        const bar =
          config.gainOver === 'control' ? control : rewards.reduce((sum, each) => sum + each) / rewards.length;
        const kept = keptOf({ ...measured, feedback: words }, { ...config, feedback: { weight } });
        const rewardsOfKept = kept.map((id) => rewards[Number(id.slice(2))]!);
        expect(rewardsOfKept.filter((reward) => reward - bar <= config.minimumGain)).toEqual([]);
        if (config.keep === 'solved') expect(rewardsOfKept.filter((reward) => reward < 1)).toEqual([]);
        // Where they have nothing to say it is as without them.
        if (words.length === 0 || weight === 0) expect(kept).toEqual(keptOf(measured, config));
      }),
      { numRuns: 500, seed: 128 },
    );
  });

  it('plans the same from the same records in any order, also where some came twice', () => {
    for (let seed = 0; seed < 50; seed++) {
      const random = Random.of('rest-em', seed);
      const groups = Array.from({ length: 6 }, (_, i): [string, number[]] => [
        `g${i}`,
        Array.from({ length: 2 + random.int(4) }, () => random.int(5) / 4),
      ]);
      const log = together(logOf(Object.fromEntries(groups)), controls(random.float()));
      const disordered: LogInput = {
        reads: 'log',
        experiences: random.shuffled([...log.experiences, ...log.experiences.slice(0, 3)]),
        results: random.shuffled([...log.results, ...log.results.slice(0, 3)]),
      };
      expect(prepare(disordered)).toEqual(prepare(log));
    }
  });

  it('never keeps an entry that a sibling beats, nor one without a gain', () => {
    for (let seed = 0; seed < 200; seed++) {
      const random = Random.of('rest-em kept', seed);
      const rewards = Array.from({ length: 2 + random.int(6) }, () => random.int(9) / 8);
      const kept = keptOf(logOf({ g: rewards }));
      const most = Math.max(...rewards);
      const isFlat = rewards.every((reward) => reward === most);
      expect(kept).toEqual(isFlat ? [] : [`g-${rewards.indexOf(most)}`]);
    }
  });

  it('refuses a run with too little, and says what there was', () => {
    expect(prepare(logOf({ g: [1, 0], h: [0, 0] }), { minExamples: 2 })).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(/of 2 groups of the present writer, 1 entries did best/),
      diagnostics: { scoredGroups: 2, attempts: 4, meanReward: 0.25, gainingShare: 0.25, keptEntries: 1 },
    });
    expect(prepare(logOf({}))).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(/no complete group of the present writer/),
    });
  });
});

/** Of three people. */
function wordsOn(attemptId: string, score: number): FeedbackGiven[] {
  return ['k1', 'k2', 'k3'].map((subject) => ({
    meta: { ...metaOf(`${subject} on ${attemptId}`), subject },
    ...{ problemId: 'p', attemptId, score, by: '', reason: '' },
  }));
}
