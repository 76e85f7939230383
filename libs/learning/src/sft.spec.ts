import type { BufferRow } from '@seamstream/success-buffer';
import { bufferRow as row } from '@seamstream/testing/buffer-rows';
import { algorithms, type BufferInput, type LearningContext, type TrainingPlan } from './index.js';

const sft = algorithms.get('sft')!;
const context: LearningContext = { baseModelDigest: 'base', servedAdapters: [null], entrySchemaOf: () => undefined };

const inputOf = (rows: readonly BufferRow[]): BufferInput => ({ reads: 'buffer', rows });
const small = { minRows: 1, batchSize: 4, duration: { unit: 'steps', steps: 10 } };

describe('sft', () => {
  it('makes the free tokens of kept entries more likely, each step a mean over its tokens', () => {
    const plan = planOf([row('a'), row('b', { tokenIds: [7, 8], forced: [true, false] })]);
    expect(plan.objective).toEqual({ kind: 'negative-log-likelihood' });
    const sequences = sft.complete(plan, small, 0, {});
    expect(sequences).toEqual([
      { tokenIds: [1, 2, 7, 8, 9], targets: [3, 4], weights: [1 / 3, 1 / 3] },
      { tokenIds: [1, 2, 7, 8], targets: [3], weights: [1 / 3] },
    ]);
  });

  it("forms its probabilities under the schema of the row's domain", () => {
    const masked = { ...context, entrySchemaOf: (domain: string) => ({ enum: [domain] }) };
    const prepared = sft.prepare(inputOf([row('a')]), small, masked, 'run');
    const plan = prepared.status === 'ready' ? prepared.plan : undefined;
    expect(sft.complete(plan!, small, 0, {})).toMatchObject([{ schema: { enum: ['sums'] }, continuationStart: 2 }]);
  });

  it('draws rows in proportion to their helpfulness, on a floor', () => {
    const rows = [row('a', { helpfulness: 0.9 }), row('b', { helpfulness: 0.3 })];
    const shares = sharesOf(
      planOf(rows, { ...small, helpfulness: { power: 1, floor: 1e-9 }, duration: { unit: 'steps', steps: 20 } }),
    );
    expect(shares['experience-a']).toBeCloseTo(0.75, 1);
    const even = sharesOf(planOf(rows, { ...small, helpfulness: { power: 0 } }));
    expect(even['experience-a']).toBeCloseTo(0.5, 12);
  });

  it('gives each domain the same share, however many rows it has', () => {
    const rows = [...Array.from({ length: 9 }, (_, i) => row(`t${i}`)), row('h', { domain: 'herbs' })];
    const config = { ...small, batchSize: 10 };
    expect(sharesOf(planOf(rows, config))['experience-h']).toBeCloseTo(0.5, 12);
    expect(sharesOf(planOf(rows, { ...config, balance: 'none' }))['experience-h']).toBeCloseTo(0.1, 12);
  });

  it('plans the same from the same rows in any order', () => {
    const rows = Array.from({ length: 20 }, (_, i) =>
      row(`r${i}`, { helpfulness: (i % 8) / 8, domain: i % 2 === 0 ? 'herbs' : 'sums' }),
    );
    expect(planOf(rows.toReversed())).toEqual(planOf(rows));
  });

  it('leaves out rows of another base model and entries without a choice', () => {
    const plan = planOf([row('a'), row('b', { baseModelDigest: 'other' }), row('c', { forced: [true, true, true] })]);
    expect(plan.examples.map(({ exampleId }) => exampleId)).toEqual(['experience-a']);
    expect(plan.diagnostics).toMatchObject({
      bufferRows: 3,
      examples: 1,
      strata: 1,
      freeTokens: 2,
      meanHelpfulness: 0.5,
    });
  });

  it('refuses to imitate too few rows and says what to do', () => {
    expect(sft.prepare(inputOf([row('a')]), {}, context, 'run')).toMatchObject({
      status: 'refused',
      reason:
        'the buffer holds 1 rows, of which 1 can be used (same base model, at least one token that was a choice); expected at least 16: explore more problems first',
    });
  });

  it('needs no log-probabilities', () => {
    const plan = planOf([row('a')]);
    expect(plan.needs).toEqual({ proximalLogProbs: false, referenceLogProbs: null });
    expect(sft.review(plan, small, {})).toEqual({ status: 'ready', diagnostics: {} });
  });
});

function planOf(rows: readonly BufferRow[], config: object = small): TrainingPlan {
  const prepared = sft.prepare(inputOf(rows), config, context, 'run');
  if (prepared.status === 'refused') throw new Error(prepared.reason);
  return prepared.plan;
}

/** Share of each example in the whole run's loss. */
function sharesOf(plan: TrainingPlan): Record<string, number> {
  const shares: Record<string, number> = {};
  for (const { examples, tokenWeights } of plan.steps) {
    examples.forEach((index, i) => {
      const { exampleId, targets } = plan.examples[index]!;
      shares[exampleId] = (shares[exampleId] ?? 0) + (tokenWeights[i]! * targets.length) / plan.steps.length;
    });
  }
  return shares;
}
