import type { Evaluation } from '@seamstream/events';
import { DEFAULT_PROMOTION_POLICY, decidePromotion } from './promotion.decide.js';

const evaluation = (success: number, parentSuccess: number | null, problems = 128): Evaluation => ({
  problemSet: 'validation',
  problemSetDigest: 'd',
  problems,
  success,
  parentSuccess,
  perDomain: {},
});
const decide = (measured: Evaluation, options: Partial<Parameters<typeof decidePromotion>[0]> = {}) =>
  decidePromotion({ candidate: 'new', parent: 'old', evaluation: measured, ...options });

describe('a candidate', () => {
  it('is promoted when it solves more than its parent', () => {
    expect(decide(evaluation(0.75, 0.5))).toEqual({
      promote: true,
      rule: 'not worse than its parent',
      reason: '75.0 % of 128 problems of validation solved, 50.0 % by its parent',
    });
  });

  it('is promoted when it solves as many', () => {
    expect(decide(evaluation(0.5, 0.5)).promote).toBe(true);
  });

  it('is rejected when it solves one problem fewer', () => {
    expect(decide(evaluation(63 / 128, 64 / 128)).promote).toBe(false);
  });

  it('may be worse by as many problems as the tolerance says, and not by one more', () => {
    const policy = { ...DEFAULT_PROMOTION_POLICY, tolerance: 0.01 };
    // 0.01 of 300 problems are 3; 0.57 − 0.56 is 0.00999…: fractions alone would round either way.
    expect(decide(evaluation(168 / 300, 171 / 300, 300), { policy })).toMatchObject({
      promote: true,
      rule: 'at most 1.0 % worse than its parent',
    });
    expect(decide(evaluation(167 / 300, 171 / 300, 300), { policy }).promote).toBe(false);
  });

  it('that is its parent is nothing new', () => {
    expect(decide(evaluation(1, 1), { candidate: 'old' })).toMatchObject({
      promote: false,
      rule: 'a candidate differs from its parent',
    });
  });

  it('is not promoted on a parent that nobody measured', () => {
    expect(decide(evaluation(1, null))).toMatchObject({
      promote: false,
      rule: 'the parent was measured on the same set',
    });
  });

  it('is not promoted on too few problems', () => {
    expect(decide(evaluation(1, 0, 4), { policy: { ...DEFAULT_PROMOTION_POLICY, minProblems: 5 } })).toMatchObject({
      promote: false,
      reason: '4 problems of validation are too few',
    });
    expect(decide(evaluation(0, 0, 0)).promote).toBe(false);
  });
});

describe('a first candidate', () => {
  it('is measured against the base model where that was measured', () => {
    expect(decide(evaluation(0.25, 0.5), { parent: null })).toMatchObject({
      promote: false,
      reason: '25.0 % of 128 problems of validation solved, 50.0 % by the base model',
    });
  });

  it('must solve something where nothing is known of the base model', () => {
    expect(decide(evaluation(1 / 128, null), { parent: null }).promote).toBe(true);
    expect(decide(evaluation(0, null), { parent: null })).toMatchObject({
      promote: false,
      rule: 'without a parent: success above 0.0 %',
    });
  });
});

describe('a measurement that is none', () => {
  it.each([
    [Number.NaN, 0.5],
    [1.2, 0.5],
    [-0.1, 0.5],
    [0.5, Number.NaN],
    [0.5, 2],
  ])('of %d against %d is refused', (success, parentSuccess) => {
    expect(() => decide(evaluation(success, parentSuccess))).toThrow(
      /expected (success|parentSuccess) between 0 and 1/,
    );
  });

  it('over no number of problems is refused', () => {
    expect(() => decide(evaluation(0.5, 0.5, 1.5))).toThrow('expected a number of problems, came 1.5');
  });
});
