import fc from 'fast-check';
import { advantageKinds, groupAdvantages, isDead } from './advantage.js';

describe('group advantages', () => {
  it('are rewards minus their mean', () => {
    expect(groupAdvantages([1, 0, 0, 0], 'mean')).toEqual([0.75, -0.25, -0.25, -0.25]);
  });

  it('divide by the unbiased standard deviation on request', () => {
    // Mean 1/4, squares 9/16 + 3/16 = 12/16, /3 = 1/4, root 1/2.
    const [best, other] = groupAdvantages([1, 0, 0, 0], 'std');
    expect(best).toBeCloseTo(0.75 / (0.5 + 1e-6), 12);
    expect(other).toBeCloseTo(-0.25 / (0.5 + 1e-6), 12);
  });

  it('divide by the mean on request, so that a rare success weighs as much as its rarity', () => {
    expect(groupAdvantages([1, 0, 0, 0], 'maxrl')).toEqual([3, -1, -1, -1]);
    expect(groupAdvantages([1, 1, 1, 0], 'maxrl')[0]).toBeCloseTo(1 / 3, 12);
  });

  const rewards = fc.array(
    fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000),
    { minLength: 2, maxLength: 16 },
  );

  it.each(advantageKinds)('sum to zero and rank as the rewards do (%s)', (kind) => {
    fc.assert(
      fc.property(rewards, (group) => {
        const advantages = groupAdvantages(group, kind);
        const scale = Math.max(1, ...advantages.map(Math.abs));
        expect(Math.abs(advantages.reduce((a, b) => a + b, 0))).toBeLessThan(1e-9 * scale);
        for (let i = 1; i < group.length; i++) {
          if (group[i]! > group[0]!) expect(advantages[i]!).toBeGreaterThanOrEqual(advantages[0]!);
        }
      }),
    );
  });

  it.each(advantageKinds)('do not depend on the order of the members beyond rounding (%s)', (kind) => {
    fc.assert(
      fc.property(rewards, (group) => {
        const forwards = groupAdvantages(group, kind);
        const backwards = groupAdvantages(group.toReversed(), kind).toReversed();
        forwards.forEach((advantage, i) =>
          expect(Math.abs(advantage - backwards[i]!)).toBeLessThan(1e-6 * Math.max(1, Math.abs(advantage))),
        );
      }),
    );
  });

  it('estimate (1 − 1/G) times the gradient of the expected reward, by enumeration of all groups', () => {
    const logits = [0.3, -0.2, 0.9];
    const rewardOf = [0, 1, 0.5];
    const groupSize = 3;
    const mass = logits.reduce((sum, logit) => sum + Math.exp(logit), 0);
    const policy = logits.map((logit) => Math.exp(logit) / mass);
    const expected = policy.reduce((sum, p, i) => sum + p * rewardOf[i]!, 0);
    // ∂E[r]/∂z_k = π_k (r_k − E[r]) and ∂ln π_a/∂z_k = 1[a = k] − π_k for a softmax over logits z.
    const exact = policy.map((p, k) => p * (rewardOf[k]! - expected));
    const estimate = [0, 0, 0];
    for (let code = 0; code < 3 ** groupSize; code++) {
      const actions = Array.from({ length: groupSize }, (_, i) => Math.floor(code / 3 ** i) % 3);
      const probability = actions.reduce((product, action) => product * policy[action]!, 1);
      const advantages = groupAdvantages(
        actions.map((action) => rewardOf[action]!),
        'mean',
      );
      actions.forEach((action, i) =>
        estimate.forEach(
          (_, k) =>
            (estimate[k]! += (probability * advantages[i]! * ((action === k ? 1 : 0) - policy[k]!)) / groupSize),
        ),
      );
    }
    estimate.forEach((value, k) => expect(value).toBeCloseTo((1 - 1 / groupSize) * exact[k]!, 12));
  });

  it('are zero in a dead group', () => {
    expect(isDead([1, 1])).toBe(true);
    expect(isDead([1, 0])).toBe(false);
    for (const kind of advantageKinds) expect(groupAdvantages([0, 0, 0], kind)).toEqual([0, 0, 0]);
  });

  it('are refused for a group of one and for rewards that are no numbers', () => {
    expect(() => groupAdvantages([1], 'mean')).toThrow(/at least two finite rewards, got \[1\]/);
    expect(() => groupAdvantages([1, Number.NaN], 'mean')).toThrow(/got \[1, NaN\]/);
    expect(() => groupAdvantages([1, -1], 'maxrl')).toThrow(/0 or more/);
  });
});
