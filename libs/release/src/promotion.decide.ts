/**
 * When a run's adapter is promoted: rules as pure functions over recorded measurements. Whoever asks records the decision as an
 * event with its inputs, so that it can be repeated from the log.
 */

import type { Evaluation } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';

export interface PromotionPolicy {
  /**
   * How much lower than its parent's the candidate's success may be, as a fraction of the set's problems. 0: solve at least
   * as many problems of the set as the parent. Both answer greedily, so on one set the comparison has no noise of its own.
   */
  readonly tolerance: number;
  /** Fewest problems that a decision may rest on. */
  readonly minProblems: number;
  /** What a candidate must reach where nothing is known of a parent, as a fraction; must be exceeded. */
  readonly floor: number;
}

export const DEFAULT_PROMOTION_POLICY: PromotionPolicy = { tolerance: 0, minProblems: 1, floor: 0 };

export interface PromotionDecision {
  readonly promote: boolean;
  /** The rule that decided, without figures: what AdapterPromoted.rule records. */
  readonly rule: string;
  /** The rule applied to the figures, for an operator. */
  readonly reason: string;
}

/**
 * Promotes a candidate that is not worse than its parent: with n problems of which the candidate solved s and the parent
 * p, when s ≥ p − tolerance · n, compared in whole problems. `parent` null is the bare base model; its success counts when the
 * evaluation has it (`parentSuccess`), else the candidate must exceed the policy's floor. A candidate that is its own parent,
 * or whose parent was not measured, is not promoted. Throws INVALID_INPUT for fractions outside 0 … 1 and no problems.
 */
export function decidePromotion(input: {
  /** Digest of the candidate. */
  readonly candidate: string;
  /** Digest of the adapter that it was trained from; null is the bare base model. */
  readonly parent: string | null;
  readonly evaluation: Evaluation;
  readonly policy?: PromotionPolicy;
}): PromotionDecision {
  const { candidate, parent, evaluation, policy = DEFAULT_PROMOTION_POLICY } = input;
  const { problems, success, parentSuccess, problemSet } = evaluation;
  checkFraction('success', success);
  if (parentSuccess !== null) checkFraction('parentSuccess', parentSuccess);
  if (!Number.isInteger(problems) || problems < 0) {
    throw new SeamError(
      'INVALID_INPUT',
      `Deciding on a promotion: expected a number of problems, came ${problems}. Evaluate again.`,
    );
  }
  const figures = `${percent(success)} of ${problems} problems of ${problemSet}`;
  if (candidate === parent) {
    return {
      promote: false,
      rule: 'a candidate differs from its parent',
      reason: `training changed nothing: the candidate is its parent ${parent}`,
    };
  }
  if (problems < policy.minProblems) {
    return {
      promote: false,
      rule: `at least ${policy.minProblems} problems were tried`,
      reason: `${problems} problems of ${problemSet} are too few`,
    };
  }
  if (parentSuccess === null) {
    if (parent !== null) {
      return {
        promote: false,
        rule: 'the parent was measured on the same set',
        reason: `nothing is known of the parent ${parent} on ${problemSet}`,
      };
    }
    const rule = `without a parent: success above ${percent(policy.floor)}`;
    return {
      promote: success > policy.floor,
      rule,
      reason: `${figures} solved, ${percent(policy.floor)} must be exceeded`,
    };
  }
  // Fractions are k / n: back to whole problems, so that no rounding error decides.
  const lead = Math.round(success * problems) - Math.round(parentSuccess * problems);
  return {
    promote: lead >= -policy.tolerance * problems - 1e-9,
    rule:
      policy.tolerance === 0
        ? 'not worse than its parent'
        : `at most ${percent(policy.tolerance)} worse than its parent`,
    reason: `${figures} solved, ${percent(parentSuccess)} by ${parent === null ? 'the base model' : 'its parent'}`,
  };
}

function checkFraction(name: string, value: number): void {
  if (!(value >= 0 && value <= 1)) {
    throw new SeamError(
      'INVALID_INPUT',
      `Deciding on a promotion: expected ${name} between 0 and 1, came ${value}. Evaluate again.`,
    );
  }
}

function percent(fraction: number): string {
  return `${(fraction * 100).toFixed(1)} %`;
}
