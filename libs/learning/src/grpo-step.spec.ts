import { few, grpo, onPolicy, planOf, sampledUnder } from './grpo-plans.fake.js';
import { logOf } from './recorded-groups.fake.js';

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
