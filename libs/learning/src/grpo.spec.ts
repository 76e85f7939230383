import { canonicalJson } from '@seamstream/kernel';
import fc from 'fast-check';
import {
  algorithms,
  bareSequences,
  type LearningContext,
  type LogInput,
  type Preparation,
  type ResultEvent,
  type TrainingPlan,
} from './index.js';
import { logOf, metaOf, resultOf, together } from './recorded-groups.fake.js';

const grpo = algorithms.get('grpo')!;

const context: LearningContext = {
  baseModelDigest: 'base',
  servedAdapters: [null, 'a1', 'a2'],
  entrySchemaOf: (domain) => ({ enum: [domain] }),
};

const few = { minLiveGroups: 1 };
const prepare = (log: LogInput, config: object = few, seed = 'run'): Preparation =>
  grpo.prepare(log, config, context, seed);

function planOf(log: LogInput, config: object = few, seed = 'run'): TrainingPlan {
  const prepared = prepare(log, config, seed);
  if (prepared.status === 'refused') throw new Error(prepared.reason);
  return prepared.plan;
}

const advantagesOf = ({ examples }: TrainingPlan): Record<string, number | undefined> =>
  Object.fromEntries(examples.map(({ exampleId, policy }) => [exampleId, policy?.advantage]));

/** The distribution that the examples were sampled from: without it a step's probabilities are others than those logged. */
const sampledUnder = { schema: { enum: ['timber'] }, continuationStart: 3, maxTokens: 9 };

/** ln ½ and ln ¼ for every example: the policy that sampled them. */
const onPolicy = (plan: TrainingPlan): number[][] => plan.examples.map(() => [Math.log(1 / 2), Math.log(1 / 4)]);

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

describe('dynamic sampling', () => {
  const log = logOf({ g1: [1, 0], g2: [1, 1], g3: [0, 0], g4: [0, 1] });
  const wanting = (liveGroups: number): object => ({ window: { rounds: 2 }, dynamicSampling: { liveGroups } });

  it('replays from the rounds of the window up to ten, and none but these without it', () => {
    expect(grpo.replayedRounds({ window: { rounds: 2 } })).toEqual({ least: 2, most: 2 });
    expect(grpo.replayedRounds(wanting(8))).toEqual({ least: 2, most: 10 });
    expect(algorithms.get('sft')?.replayedRounds({})).toEqual({ least: 0, most: 0 });
  });

  it('is content with as many live groups as it wants: dead ones do not count', () => {
    expect(grpo.hasEnoughSignal(log, wanting(2), context)).toBe(true);
    expect(grpo.hasEnoughSignal(log, wanting(3), context)).toBe(false);
    expect(grpo.hasEnoughSignal(log, {}, context)).toBe(true);
  });

  it('refuses fewer rounds at most than are replayed in any case', () => {
    const config = { window: { rounds: 4 }, dynamicSampling: { liveGroups: 2, maxRounds: 3 } };
    expect(() => grpo.resolveConfiguration(config)).toThrow(/at least window\.rounds/);
  });
});

describe('overlong shaping', () => {
  const overlong = { maxTokens: 4, bufferTokens: 2 };

  it('takes reward from long entries before advantages are formed', () => {
    // Entries of three tokens: one over 4 − 2, so half of the punishment.
    const log = logOf({ g1: [1, 0] });
    const shorter = log.experiences.map((each) =>
      each.candidateIndex === 0
        ? each
        : { ...each, tokenIds: [10, 11], logProbs: [0, Math.log(1 / 2)], forced: [true, false], legalMass: [1, 1] },
    );
    const plan = planOf({ ...log, experiences: shorter }, { ...few, overlong });
    // Rewards 1 − ½ and 0 − 0, their mean ¼.
    expect(advantagesOf(plan)).toEqual({ 'g1-0': 0.25, 'g1-1': -0.25 });
    expect(plan.diagnostics).toMatchObject({ overlongMembers: 1, meanPunishment: -0.25, meanReward: 0.5 });
  });

  it("can look at the executor's response instead", () => {
    const log = logOf({ g1: [1, 0, 0] });
    const results = log.results.map((each, index) =>
      each.type === 'OutcomeRecorded' ? { ...each, responseTokens: [9, 3, 1][index]! } : each,
    );
    const plan = planOf({ ...log, results }, { ...few, overlong: { ...overlong, of: 'response', penalty: 0.6 } });
    // Punishments 0.6, 0.3, 0: rewards 0.4, −0.3, 0 with the mean 1/30.
    expect(advantagesOf(plan)).toEqual({
      'g1-0': expect.closeTo(0.4 - 1 / 30, 12),
      'g1-1': expect.closeTo(-0.3 - 1 / 30, 12),
      'g1-2': expect.closeTo(-1 / 30, 12),
    });
  });

  it('does not bring a dead group to life, for lengths are no verdicts', () => {
    const log = logOf({ g1: [1, 1], g2: [1, 0] });
    const results = log.results.map((each, index) =>
      each.type === 'OutcomeRecorded' ? { ...each, responseTokens: index } : each,
    );
    const plan = planOf({ ...log, results }, { ...few, overlong: { ...overlong, of: 'response' } });
    expect(plan.diagnostics).toMatchObject({ liveGroups: 1, deadGroups: 1, examples: 2 });
  });

  it('is refused with advantages that divide by the mean reward, and with a buffer beyond its limit', () => {
    expect(() => grpo.resolveConfiguration({ advantage: 'maxrl', overlong })).toThrow(
      /expected null .* "maxrl".*at overlong/,
    );
    expect(() => grpo.resolveConfiguration({ overlong: { maxTokens: 4, bufferTokens: 5 } })).toThrow(
      /at most maxTokens/,
    );
  });
});

describe('the mean of several verdicts', () => {
  it('is a reward like any other: groups that would be dead by one verdict live', () => {
    // Two of four and three of four answers were right.
    expect(advantagesOf(planOf(logOf({ g1: [2 / 4, 3 / 4] })))).toEqual({ 'g1-0': -0.125, 'g1-1': 0.125 });
  });
});

describe('the two means of the loss', () => {
  it('give every token of the step, or every entry, the same share', () => {
    const log = logOf({ g1: [1, 0] });
    // The second entry has one free token, the first two.
    const experiences = log.experiences.map((each) =>
      each.candidateIndex === 0 ? each : { ...each, forced: [true, true, false] },
    );
    const sharesBy = (lossAverage: string): readonly number[] | undefined =>
      planOf({ ...log, experiences }, { ...few, lossAverage, batchSize: 2, duration: { unit: 'steps', steps: 1 } })
        .steps[0]?.tokenWeights;
    expect(sharesBy('token-mean')).toEqual([1 / 3, 1 / 3]);
    expect(sharesBy('sequence-mean')).toEqual([1 / 4, 1 / 2]);
  });
});

describe('a grpo plan', () => {
  it('trains on the sampled ids, on free tokens only, under the schema and the budget they were sampled with', () => {
    const [example] = planOf(logOf({ g1: [1, 0] })).examples;
    expect(example).toEqual({
      exampleId: 'g1-0',
      tokenIds: [1, 2, 3, 10, 11, 12],
      targets: [4, 5],
      continuationStart: 3,
      maxTokens: 9,
      schema: { enum: ['timber'] },
      policy: { advantage: 0.5, behaviourLogProbs: [Math.log(1 / 2), Math.log(1 / 4)] },
    });
  });

  it('is a function of the set of records and of the seed: not of their order, nor of repeats', () => {
    const log = logOf({ g1: [1, 0, 'failed'], g2: [1, 0, 0], g3: [0, 0, 0], g4: [0, 1, 1] });
    const config = { minLiveGroups: 1, batchSize: 4 };
    const expected = canonicalJson(prepare(log, config));
    const orders = fc.tuple(
      fc.shuffledSubarray([...log.experiences], { minLength: log.experiences.length }),
      fc.shuffledSubarray([...log.results], { minLength: log.results.length }),
      fc.subarray([...log.results]),
    );
    fc.assert(
      fc.property(orders, ([experiences, results, again]) => {
        const same: LogInput = {
          reads: 'log',
          experiences: [...experiences, ...experiences.slice(0, 2)],
          results: [...results, ...again],
        };
        expect(canonicalJson(prepare(same, config))).toBe(expected);
      }),
      { numRuns: 50 },
    );
    expect(canonicalJson(prepare(log, config, 'another run'))).not.toBe(expected);
  });

  it('has steps whose shares add up to one', () => {
    const plan = planOf(logOf({ g1: [1, 0, 0], g2: [1, 1, 0] }), {
      batchSize: 4,
      duration: { unit: 'steps', steps: 3 },
    });
    expect(plan.steps).toHaveLength(3);
    for (const { examples, tokenWeights } of plan.steps) {
      const total = examples.reduce(
        (sum, index, i) => sum + tokenWeights[i]! * plan.examples[index]!.targets.length,
        0,
      );
      expect(total).toBeCloseTo(1, 12);
    }
  });

  it('asks for reference log-probabilities only when the KL term counts', () => {
    const log = logOf({ g1: [1, 0] });
    expect(planOf(log).needs).toEqual({ proximalLogProbs: true, referenceLogProbs: null });
    expect(planOf(log, { ...few, kl: { coefficient: 0.01, reference: 'base' } }).needs.referenceLogProbs).toBe('base');
  });

  it('lists the sequences whose log-probabilities are to be computed', () => {
    const plan = planOf(logOf({ g1: [1, 0] }));
    const sequence = { tokenIds: [1, 2, 3, 10, 11, 12], targets: [4, 5], weights: [0, 0], ...sampledUnder };
    expect(bareSequences(plan)).toEqual([sequence, sequence]);
  });
});

describe('a grpo step', () => {
  const oneStep = { ...few, batchSize: 2, duration: { unit: 'steps', steps: 1 } };

  it('has the loss of the formula at the proximal policy, computed by hand', () => {
    const plan = planOf(logOf({ g1: [1, 0] }), oneStep);
    // The policy now gives the first choice ¾ (ratio 1.5) and the second 1 (ratio 4, cut to 2).
    const proximal = plan.examples.map(() => [Math.log(3 / 4), Math.log(1)]);
    const sequences = grpo.complete(plan, oneStep, 0, { proximal });
    expect(sequences.map(({ policy }) => policy?.importanceWeights)).toEqual([
      [expect.closeTo(1.5, 12), 2],
      [expect.closeTo(1.5, 12), 2],
    ]);
    // At π = π_proximal every ratio r is 1 and k3 is 0: L = −Σ w ρ A with w = ¼.
    const losses = sequences.map(({ weights, policy }) =>
      weights.reduce((sum, w, n) => sum - w * policy!.importanceWeights[n]! * policy!.advantages[n]!, 0),
    );
    expect(losses).toEqual([expect.closeTo((-(1.5 + 2) * 0.5) / 4, 12), expect.closeTo(((1.5 + 2) * 0.5) / 4, 12)]);
    expect(sequences[0]?.policy?.referenceLogProbs).toEqual(proximal[0]);
  });

  it('forms its probabilities under the schema and the budget that the entry was sampled with', () => {
    const plan = planOf(logOf({ g1: [1, 0] }), oneStep);
    for (const sequence of grpo.complete(plan, oneStep, 0, { proximal: onPolicy(plan) }))
      expect(sequence).toMatchObject({ tokenIds: [1, 2, 3, 10, 11, 12], targets: [4, 5], ...sampledUnder });
  });

  it('is held to the computed reference when the KL term counts', () => {
    const config = { ...oneStep, kl: { coefficient: 0.001, reference: 'base' } };
    const plan = planOf(logOf({ g1: [1, 0] }), config);
    const reference = plan.examples.map(() => [-1, -2]);
    const [first] = grpo.complete(plan, config, 0, { proximal: onPolicy(plan), reference });
    expect(first?.policy?.referenceLogProbs).toEqual([-1, -2]);
    expect(() => grpo.complete(plan, config, 0, { proximal: onPolicy(plan) })).toThrow(
      /use reference log-probabilities/,
    );
  });

  it('on fresh data is the plain policy gradient: all importance weights are one', () => {
    const plan = planOf(logOf({ g1: [1, 0] }), oneStep);
    for (const { policy } of grpo.complete(plan, oneStep, 0, { proximal: onPolicy(plan) }))
      expect(policy?.importanceWeights).toEqual([1, 1]);
  });

  it('tapers: imitates what was better than its siblings, and turns from what was worse by a ratio of at most one', () => {
    const config = { ...oneStep, importance: { correction: 'taper' } };
    const plan = planOf(logOf({ g1: [1, 0] }), config);
    const proximal = plan.examples.map(() => [Math.log(3 / 4), Math.log(1 / 8)]);
    const [better, worse] = grpo.complete(plan, config, 0, { proximal });
    expect(better?.policy).toMatchObject({ imitationWeights: [0.5, 0.5], advantages: [0, 0] });
    // The behaviour policy gave ½ and ¼ (ratios 1.5 and ½).
    expect(worse?.policy).toMatchObject({
      imitationWeights: [0, 0],
      advantages: [-0.5, -0.5],
      importanceWeights: [1, expect.closeTo(0.5, 12)],
    });
  });

  it('gives all tokens of an entry one weight where the entry has the ratio', () => {
    const config = { ...oneStep, importance: { unit: 'entry' } };
    const plan = planOf(logOf({ g1: [1, 0] }), config);
    // Ratios 1.5 and ½ of the tokens: √¾ of the entry. By tokens nothing is cut, by the entry nothing either.
    const proximal = plan.examples.map(() => [Math.log(3 / 4), Math.log(1 / 8)]);
    for (const { policy } of grpo.complete(plan, config, 0, { proximal }))
      expect(policy?.importanceWeights).toEqual([
        expect.closeTo(Math.sqrt(3 / 4), 12),
        expect.closeTo(Math.sqrt(3 / 4), 12),
      ]);
    expect(grpo.review(plan, config, { proximal }).diagnostics.effectiveSampleRatio).toBeCloseTo(1, 12);
  });

  it('refuses log-probabilities that do not fit', () => {
    const plan = planOf(logOf({ g1: [1, 0] }), oneStep);
    expect(() => grpo.complete(plan, oneStep, 0, {})).toThrow(/expected one list per example \(2\), got none/);
    expect(() => grpo.complete(plan, oneStep, 0, { proximal: [[0], [0, 0]] })).toThrow(
      /of g1-0: expected 2, one per trained token, got 1/,
    );
    expect(() =>
      grpo.complete(plan, oneStep, 0, {
        proximal: [
          [0, Number.NaN],
          [0, 0],
        ],
      }),
    ).toThrow(/got NaN at token 5/);
  });
});

describe('the review of computed log-probabilities', () => {
  const plan = planOf(logOf({ g1: [1, 0] }));

  it('finds a full effective sample size and no KL on fresh data', () => {
    expect(grpo.review(plan, few, { proximal: onPolicy(plan) })).toEqual({
      status: 'ready',
      diagnostics: {
        effectiveSampleRatio: 1,
        entryEffectiveSampleRatio: 1,
        truncatedRatio: 0,
        behaviourKlNats: 0,
        importanceWeightMax: 1,
      },
    });
  });

  it('refuses data that the present policy would hardly sample', () => {
    // Ratios 1.5, 4 · 10⁻⁶, … : one token of four carries nearly all weight.
    const proximal = [
      [Math.log(3 / 4), Math.log(1e-6)],
      [Math.log(1e-6), Math.log(1e-6)],
    ];
    const review = grpo.review(plan, few, { proximal });
    expect(review).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(/effective sample size of their tokens is 25\.0 % .* at least 30\.0 %/),
      // Of whole entries the first alone counts: 6 · 10⁻⁶ against 8 · 10⁻¹².
      diagnostics: { entryEffectiveSampleRatio: expect.closeTo(1 / 2, 4) },
    });
  });

  it('keeps the effective sample size of long entries finite, whose ratios overflow', () => {
    const long = planOf(
      logOf(
        { g1: [1, 0] },
        {
          tokenIds: Array<number>(900).fill(11),
          logProbs: Array<number>(900).fill(-2),
          legalMass: Array<number>(900).fill(1),
          forced: Array<boolean>(900).fill(false),
        },
      ),
    );
    const proximal = long.examples.map(({ targets }, index) => targets.map(() => (index === 0 ? -1 : -1.001)));
    const { diagnostics } = grpo.review(long, few, { proximal });
    // Weights 1 and e^−0.9.
    const w = Math.exp(-0.9);
    expect(diagnostics.entryEffectiveSampleRatio).toBeCloseTo((1 + w) ** 2 / (2 * (1 + w * w)), 6);
  });

  it('of tapered runs is reported, not acted upon', () => {
    const proximal = [
      [Math.log(3 / 4), Math.log(1e-6)],
      [Math.log(1e-6), Math.log(1e-6)],
    ];
    // Tapered, it only says so: a better entry counts regardless of its writer, a worse one has hardly any weight left.
    expect(grpo.review(plan, { ...few, importance: { correction: 'taper' } }, { proximal })).toMatchObject({
      status: 'ready',
      diagnostics: { effectiveSampleRatio: expect.closeTo(0.25, 4) },
    });
  });
});

describe('grpo refuses', () => {
  it('records without behaviour log-probabilities', () => {
    expect(() => prepare(logOf({ g1: [1, 0] }, { logProbs: [] }))).toThrow(/got 0 log-probabilities/);
    expect(() => prepare(logOf({ g1: [1, 0] }, { logProbs: [0, Number.NaN, 0] }))).toThrow(/not all finite/);
  });

  it('to run where nothing can be learned, and says why', () => {
    const reasonOf = (log: LogInput): string => {
      const prepared = prepare(log, {});
      return prepared.status === 'refused' ? prepared.reason : 'ready';
    };
    expect(reasonOf(logOf({ g1: [0, 0], g2: [0, 0], g3: [1, 0] }))).toBe(
      'no variance: only 1 of 3 groups have both better and worse entries (0 were solved by every entry, 2 by none); warm up with sft, or explore with larger groups',
    );
    expect(reasonOf(logOf({ g1: [1, 1], g2: [1, 1] }))).toContain(
      'the problems are mastered, or the verifier accepts anything',
    );
    expect(reasonOf(logOf({ g1: [1, 'failed'] }))).toContain('none of the 1 explored groups can be used');
  });

  it('unknown settings, all at once', () => {
    expect(() => grpo.resolveConfiguration({ clip: { low: -1 }, temprature: 1 })).toThrow(
      /Cannot resolve the settings of grpo: .*temprature.*low.*SEAM_TRAINER_ALGORITHMS/s,
    );
  });

  it('the buffer as its input', () => {
    expect(() => grpo.prepare({ reads: 'buffer', rows: [] }, {}, context, 'run')).toThrow(
      /expected input read from the log, got buffer/,
    );
  });
});
