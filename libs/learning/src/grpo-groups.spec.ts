import { advantagesOf, context, few, grpo, planOf, prepare } from './grpo-plans.fake.js';
import type { LogInput, ResultEvent } from './index.js';
import { logOf, metaOf, resultOf, together } from './recorded-groups.fake.js';

describe('grpo groups', () => {
  it('give each entry its reward minus the mean of its group', () => {
    expect(advantagesOf(planOf(logOf({ g1: [1, 0, 0, 0], g2: [1, 1, 0, 0] })))).toEqual({
      'g1-0': 0.75,
      'g1-1': -0.25,
      'g1-2': -0.25,
      'g1-3': -0.25,
      'g2-0': 0.5,
      'g2-1': 0.5,
      'g2-2': -0.5,
      'g2-3': -0.5,
    });
  });

  it('hear people where their settings say so: in advantages, and not in which groups are dead', () => {
    const said = { problemId: 'p', attemptId: 'g1-0', score: 1, by: '', reason: '' };
    const feedback = ['k1', 'k2'].map((subject) => ({ meta: { ...metaOf(subject), subject }, ...said }));
    const log = {
      ...logOf({ g1: [1, 1, 0, 0], alike: [1, 1] }),
      feedback: feedback.concat({ ...feedback[0]!, attemptId: 'alike-0' }),
    };
    const plan = planOf(log, { ...few, feedback: { weight: 0.4, people: 2 } });
    expect(advantagesOf(plan)).toEqual({
      'g1-0': expect.closeTo(0.8),
      'g1-1': expect.closeTo(0.4),
      'g1-2': expect.closeTo(-0.6),
      'g1-3': expect.closeTo(-0.6),
    });
    expect(plan.diagnostics).toMatchObject({ feedbackAttempts: 2, feedbackPeople: 2, deadGroups: 1 });
    expect(planOf(log)).toEqual(planOf(logOf({ g1: [1, 1, 0, 0], alike: [1, 1] })));
    expect([grpo.hearsFeedback({}), grpo.hearsFeedback({ feedback: { weight: 0.4 } })]).toEqual([false, true]);
  });

  it('are dropped and counted when dead, and the mean reward counts them still', () => {
    const plan = planOf(logOf({ live: [1, 0], solved: [1, 1], unsolved: [0, 0], alsoUnsolved: [0, 0] }));
    expect(plan.examples.map(({ exampleId }) => exampleId)).toEqual(['live-0', 'live-1']);
    expect(plan.diagnostics).toMatchObject({
      groups: 4,
      scoredGroups: 4,
      liveGroups: 1,
      deadGroups: 3,
      deadSolvedGroups: 1,
      meanReward: 3 / 8,
    });
  });

  it('are left out and counted where different revisions of a judge gave the verdicts', () => {
    const judgedBy = (of: (group: string, at: number) => string | null): LogInput => {
      const log = logOf({ apart: [1, 0, 1], mixed: [1, 0], alike: [1, 0, 1], exact: [0, 1] });
      const results = log.results.map((result, at) => {
        const revision = of(result.groupId, at);
        return { ...result, judge: revision === null ? null : { model: 'judge', revision } };
      });
      return { ...log, results };
    };
    const plan = planOf(
      // Equal mixes of revisions may rest on other shares of them.
      judgedBy((group, at) => {
        if (group === 'mixed') return 'fp_1, fp_2';
        return group === 'exact' ? null : group === 'apart' ? `fp_${at % 2}` : 'fp_1';
      }),
    );
    expect(new Set(plan.examples.map(({ exampleId }) => exampleId.split('-')[0]))).toEqual(new Set(['alike', 'exact']));
    expect(plan.diagnostics).toMatchObject({ judgedApartGroups: 2, scoredGroups: 2 });
    // What needed no model goes with any revision.
    const mixed = planOf(judgedBy((_, at) => (at % 2 === 0 ? null : 'fp_1')));
    expect(mixed.diagnostics).toMatchObject({ judgedApartGroups: 0, scoredGroups: 4 });
  });

  it('continue with the judged members where the infrastructure failed, but never with one alone', () => {
    const plan = planOf(logOf({ g1: [1, 0, 'failed'], g2: [1, 'failed', 'failed'] }));
    expect(advantagesOf(plan)).toEqual({ 'g1-0': 0.5, 'g1-1': -0.5 });
    expect(plan.diagnostics).toMatchObject({ failedMembers: 1, smallGroups: 1, scoredGroups: 1 });
  });

  it('count the verdict with the smaller id where an entry was judged twice', () => {
    const log = logOf({ g1: [1, 0] });
    const again: ResultEvent = { ...resultOf(log.experiences[0]!, 0), meta: metaOf('z-later') };
    for (const results of [
      [...log.results, again],
      [again, ...log.results],
    ]) {
      expect(advantagesOf(planOf({ ...log, results }))).toEqual({ 'g1-0': 0.5, 'g1-1': -0.5 });
    }
  });

  it('take a verdict that came after a failure of the same entry', () => {
    const log = logOf({ g1: [1, 0] });
    const failure = resultOf(log.experiences[0]!, 'failed');
    for (const results of [
      [...log.results, failure],
      [failure, ...log.results],
    ]) {
      expect(advantagesOf(planOf({ ...log, results }))).toEqual({ 'g1-0': 0.5, 'g1-1': -0.5 });
    }
  });

  it('of an adapter that is served again after a roll-back are fresh', () => {
    const rolledBack = { ...context, servedAdapters: ['a2', 'a3', 'a2'] };
    expect(grpo.prepare(logOf({ g1: [1, 0] }), few, rolledBack, 'run')).toMatchObject({
      plan: { diagnostics: { ageMax: 0 } },
    });
  });

  it('wait for their last result', () => {
    const log = logOf({ g1: [1, 0], g2: [1, 0, 1] });
    const plan = planOf({ ...log, results: log.results.filter(({ experienceId }) => experienceId !== 'g2-2') });
    expect(plan.diagnostics).toMatchObject({ incompleteGroups: 1, liveGroups: 1 });
  });

  it('of the deploy arm teach nothing', () => {
    const prepared = prepare(logOf({ g1: [1, 0] }, { arm: 'deploy' }));
    expect(prepared).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining('no explored group'),
      diagnostics: { groups: 0 },
    });
  });

  it('of another base model or another sampling distribution are left out', () => {
    const log = together(
      logOf({ g1: [1, 0] }),
      logOf({ g2: [1, 0] }, { baseModelDigest: 'other' }),
      logOf({ g3: [1, 0] }, { sampling: { temperature: 0.7, topK: 0, topP: 1, maxTokens: 9, seed: 's' } }),
    );
    expect(planOf(log).diagnostics).toMatchObject({
      groups: 3,
      liveGroups: 1,
      foreignGroups: 1,
      otherSamplingGroups: 1,
    });
    expect(planOf(log, { ...few, plainSamplingOnly: false }).diagnostics).toMatchObject({
      liveGroups: 2,
      otherSamplingGroups: 0,
    });
  });

  it('have an age in served adapters, and a limit to it', () => {
    const log = together(
      logOf({ now: [1, 0] }),
      logOf({ before: [1, 0] }, { adapterDigest: 'a1' }),
      logOf({ first: [1, 0] }, { adapterDigest: null }),
      logOf({ never: [1, 0] }, { adapterDigest: 'rejected' }),
    );
    expect(planOf(log, { ...few, window: { versions: 3 } }).diagnostics).toMatchObject({
      liveGroups: 3,
      staleGroups: 1,
      ageMax: 2,
      ageMean: 1,
    });
    expect(planOf(log, { ...few, window: { versions: 1 } }).diagnostics).toMatchObject({
      liveGroups: 1,
      staleGroups: 3,
      ageMax: 0,
    });
  });

  it("may hold scouts of the base model: they are left out where they are too old, the adapter's own entries stay", () => {
    const log = logOf({ g1: [1, 0, 0, 1] });
    const scouts = log.experiences.map((each) => (each.candidateIndex < 2 ? each : { ...each, adapterDigest: null }));
    const plan = planOf({ ...log, experiences: scouts }, { ...few, window: { versions: 1 } });
    expect(plan.diagnostics).toMatchObject({ liveGroups: 1, staleGroups: 0, staleMembers: 2, examples: 2 });
    const all = planOf({ ...log, experiences: scouts }, { ...few, window: { versions: 3 } });
    expect(all.diagnostics).toMatchObject({ liveGroups: 1, staleMembers: 0, examples: 4 });
    const tapered = planOf(
      { ...log, experiences: scouts },
      { ...few, window: { versions: 1 }, importance: { correction: 'taper' } },
    );
    expect(tapered.diagnostics).toMatchObject({ staleMembers: 0, examples: 4 });
  });

  it('is mastered when only scouts did worse: tapered, it would drown what there is to learn and is left out', () => {
    const config = { ...few, importance: { correction: 'taper' } };
    const log = logOf({ g1: [0, 0, 1, 1], g2: [0, 1, 1, 0] });
    const experiences = log.experiences.map((each) =>
      each.candidateIndex < 2 ? { ...each, adapterDigest: null } : each,
    );
    expect(planOf({ ...log, experiences }, config).diagnostics).toMatchObject({
      liveGroups: 1,
      deadGroups: 1,
      examples: 4,
    });
  });
});

describe('dead groups', () => {
  const log = logOf({ live: [1, 0], solved: [1, 1], unsolved: [0, 0] });

  it('that are kept are in the plan with an advantage of 0 and share the loss with the live ones', () => {
    const config = { ...few, deadGroups: 'keep', advantage: 'std', duration: { unit: 'steps', steps: 1 } };
    const plan = planOf(log, config);
    // std of (1, 0) without bias is √½, so A = ±½ / (√½ + 10⁻⁶).
    const expected = 0.5 / (Math.SQRT1_2 + 1e-6);
    expect(advantagesOf(plan)).toEqual({
      'live-0': expect.closeTo(expected, 12),
      'live-1': expect.closeTo(-expected, 12),
      'solved-0': 0,
      'solved-1': 0,
      'unsolved-0': 0,
      'unsolved-1': 0,
    });
    expect(plan.diagnostics).toMatchObject({ liveGroups: 1, deadGroups: 2, examples: 6 });
    // Six entries of two free tokens each in one step: a token's share is 1/12, without the dead ones 1/4.
    expect(plan.steps[0]?.tokenWeights).toEqual(Array(6).fill(1 / 12));
    expect(planOf(log, { ...config, deadGroups: 'drop' }).steps[0]?.tokenWeights).toEqual([1 / 4, 1 / 4]);
  });

  it('make nothing to learn from, kept or not', () => {
    expect(prepare(logOf({ solved: [1, 1] }), { ...few, deadGroups: 'keep' })).toMatchObject({ status: 'refused' });
  });
});
