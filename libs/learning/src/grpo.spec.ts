import { canonicalJson } from '@seamstream/kernel';
import fc from 'fast-check';
import { context, few, grpo, planOf, prepare, sampledUnder } from './grpo-plans.fake.js';
import { bareSequences, type LogInput } from './index.js';
import { logOf } from './recorded-groups.fake.js';

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
