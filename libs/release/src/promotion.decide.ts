/**
 * When a run's adapter is promoted: rules as pure functions over recorded measurements. The caller records the decision as
 * an event with its inputs, so that it can be repeated from the log.
 */

import type { Evaluation } from '@seamstream/events';
import { plural, SeamError } from '@seamstream/kernel';
import { logPairedEvidence, logShareEvidence, type PairedCounts } from '@seamstream/statistics';
import { sharesFault } from './compared-shares.js';
import { apartText, comparisonOf, inTwoDigits, shownEvidence } from './comparison.js';

/** The candidate must be better than its parent on the same problems, beyond chance. */
export interface BetterBeyondChance {
  readonly rule: 'better';
  /** What is compared: the share of each problem that is right. Absent: whole problems. */
  readonly measure?: 'share' | undefined;
  /** The evidence must reach 1 / level: the level that this decision has among all of its row (`onlineLevel`). */
  readonly level: number;
  /** Fewest problems that a decision may rest on. */
  readonly minProblems: number;
}

/** The candidate must not be worse than its parent by more than is tolerated. Chance is not considered. */
export interface ToleratedLoss {
  readonly rule: 'tolerance';
  /** How much lower than its parent's the candidate's success may be, as a fraction of the set's problems. 0: ties pass. */
  readonly tolerance: number;
  readonly minProblems: number;
  /** What a candidate must reach where nothing is known of a parent, as a fraction; must be exceeded. */
  readonly floor: number;
}

export type PromotionPolicy = BetterBeyondChance | ToleratedLoss;

/** What runs were decided by that recorded no rule. */
export const UNNAMED_PROMOTION_POLICY: ToleratedLoss = { rule: 'tolerance', tolerance: 0, minProblems: 1, floor: 0 };

export interface PromotionDecision {
  readonly promote: boolean;
  /** The rule that decided, without figures: what AdapterPromoted.rule records. */
  readonly rule: string;
  /** The rule applied to the figures, for an operator. */
  readonly reason: string;
}

interface Decided {
  /** Digest of the candidate. */
  readonly candidate: string;
  /** Digest of the adapter that it was trained from; null is the bare base model. */
  readonly parent: string | null;
  readonly evaluation: Evaluation;
  /** Problems of the set in the run's domains; absent where only the record is there. It decides nothing: only the reason names it. */
  readonly available?: number;
}

/**
 * Promotes a candidate that its policy lets pass. A candidate that is its own parent, that was tried on too few problems, or whose
 * parent was not measured, never is.
 * @throws INVALID_INPUT for an evaluation that cannot have been measured: fractions outside 0 … 1, counts that contradict them
 */
export function decidePromotion(input: Decided & { readonly policy: PromotionPolicy }): PromotionDecision {
  checkEvaluation(input.evaluation);
  const decision = decided(input);
  const { judgedApart = 0 } = input.evaluation;
  // An operator learns why so few problems decided.
  return judgedApart === 0 ? decision : { ...decision, reason: `${decision.reason}; ${apartText(judgedApart)}` };
}

function decided(input: Decided & { readonly policy: PromotionPolicy }): PromotionDecision {
  const { candidate, parent, evaluation, policy } = input;
  const { problems, problemSet } = evaluation;
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
      reason: `${plural(problems, 'problem')} of ${problemSet} ${problems === 1 ? 'is' : 'are'} too few${whySoFew(input)}`,
    };
  }
  switch (policy.rule) {
    case 'better':
      return better(input, policy);
    case 'tolerance':
      return tolerated(input, policy);
    default:
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot decide on a promotion: expected the rule better or tolerance, got ${JSON.stringify((policy satisfies never as PromotionPolicy).rule)}. Use a version that has it.`,
      );
  }
}

/** Where the others are, as far as the record and the set say it. Every decision names those that were judged apart. */
function whySoFew({ evaluation, policy, available }: Decided & { readonly policy: PromotionPolicy }): string {
  const { problems, asked, judgedApart = 0 } = evaluation;
  const isPaired = policy.rule === 'better';
  const tried = isPaired ? Object.values(asked).reduce((sum, count) => sum + count, 0) : (available ?? problems);
  if (available === 0) return ": the set has none of the run's domains";
  if (isPaired && tried === 0 && available !== undefined)
    return `: none was asked, since all ${available} of the set could not show evidence ${inTwoDigits(1 / policy.level)}`;
  const unjudged = tried - problems - judgedApart;
  const both = isPaired ? ' with both' : '';
  return unjudged <= 0 ? '' : `: ${unjudged} of ${tried} could not be judged${both}`;
}

/**
 * With b problems that only the candidate solved and c that only its parent did, when E(b, c) ≥ 1 / level. A tie never passes: E is
 * at most 1 then.
 */
function better({ parent, evaluation }: Decided, { level, measure }: BetterBeyondChance): PromotionDecision {
  if (measure === 'share') return betterByShare({ parent, evaluation }, level);
  const { problems, problemSet } = evaluation;
  const rule = 'better than its parent beyond chance, on the same problems';
  const comparison = comparisonOf(evaluation, level);
  if (comparison === null)
    return { promote: false, rule, reason: `${namesOf(parent)} was not asked the same problems of ${problemSet}` };
  const { rescued, broken } = comparison;
  return {
    promote: logPairedEvidence({ rescued, broken }) >= -Math.log(level),
    rule,
    reason: `of ${problems} problems of ${problemSet} ${rescued} were solved by the candidate alone and ${broken} by ${namesOf(parent)} alone: evidence ${inTwoDigits(comparison.evidence)}, needed ${inTwoDigits(1 / level)}`,
  };
}

/** With the shares of each problem that both have right, when the evidence of their differences reaches 1 / level. A tie never passes. */
function betterByShare({ parent, evaluation }: Omit<Decided, 'candidate'>, level: number): PromotionDecision {
  const { problems, problemSet, shares } = evaluation;
  const rule = 'better than its parent beyond chance, by the share that is right of the same problems';
  if (shares == null)
    return {
      promote: false,
      rule,
      reason: `no shares of ${problemSet} were measured of the candidate and ${namesOf(parent)}`,
    };
  const evidence = logShareEvidence(shares.differences);
  return {
    promote: evidence >= -Math.log(level),
    rule,
    reason: `of ${problems} problems of ${problemSet} the candidate has ${percent(shares.candidate)} right and ${namesOf(parent)} ${percent(shares.parent)}: evidence ${inTwoDigits(shownEvidence(evidence))}, needed ${inTwoDigits(1 / level)}`,
  };
}

/** With n problems of which the candidate solved s and the parent p, when s ≥ p − tolerance · n, compared in whole problems. */
function tolerated({ parent, evaluation }: Decided, { tolerance, floor }: ToleratedLoss): PromotionDecision {
  const { problems, success, parentSuccess, problemSet } = evaluation;
  const figures = `${percent(success)} of ${problems} problems of ${problemSet}`;
  if (parentSuccess === null) {
    if (parent !== null) {
      return {
        promote: false,
        rule: 'the parent was measured on the same set',
        reason: `nothing is known of the parent ${parent} on ${problemSet}`,
      };
    }
    return {
      promote: success > floor,
      rule: `without a parent: success above ${percent(floor)}`,
      reason: `${figures} solved, ${percent(floor)} must be exceeded`,
    };
  }
  // Fractions are k / n: back to whole problems, so that no rounding error decides.
  const lead = Math.round(success * problems) - Math.round(parentSuccess * problems);
  return {
    promote: lead >= -tolerance * problems - 1e-9,
    rule: tolerance === 0 ? 'not worse than its parent' : `at most ${percent(tolerance)} worse than its parent`,
    reason: `${figures} solved, ${percent(parentSuccess)} by ${parent === null ? 'the base model' : 'its parent'}`,
  };
}

/**
 * Whether it is worth asking more problems before {@link decidePromotion} judges by the rule `better`. A comparison ends when its evidence
 * is reached. It also ends when the evidence would not be reached even if the lead grew, over the problems left, by a standard deviation
 * more than it did so far. So most candidates that are no better are rejected after the first portion. Any reason to stop leaves the risk
 * as it is.
 * @param left problems that were not asked yet
 */
export function needsMoreProblems(
  { rescued, broken }: PairedCounts,
  { asked, left, level }: { readonly asked: number; readonly left: number; readonly level: number },
): boolean {
  const needed = -Math.log(level);
  if (left === 0 || logPairedEvidence({ rescued, broken }) >= needed) return false;
  if (logPairedEvidence({ rescued: rescued + left, broken }) < needed) return false;
  if (asked === 0) return true;
  // One more than were seen, so that none says something too. The lead's variance: of the problems left, and of the rate that they have.
  const differing = rescued + broken + 1;
  const growth = (asked + left) / asked;
  const lead = (rescued - broken) * growth + Math.sqrt((differing * growth * left) / asked);
  const hoped = {
    rescued: Math.min(rescued + left, Math.ceil((differing * growth + lead) / 2)),
    broken: Math.max(broken, Math.floor((differing * growth - lead) / 2)),
  };
  return logPairedEvidence(hoped) >= needed;
}

function checkEvaluation(evaluation: Evaluation): void {
  const { problems, success, parentSuccess, rescued, broken } = evaluation;
  const refuse = (expected: string, got: string | number): never => {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot decide on a promotion: expected ${expected}, got ${got}. Evaluate again.`,
    );
  };
  const isFraction = (value: number): boolean => value >= 0 && value <= 1;
  if (!isFraction(success)) refuse('success between 0 and 1', success);
  if (parentSuccess !== null && !isFraction(parentSuccess)) refuse('parentSuccess between 0 and 1', parentSuccess);
  if (!Number.isInteger(problems) || problems < 0) refuse('a number of problems', problems);
  const fault = sharesFault(evaluation);
  if (fault !== undefined) refuse('shares and differences of one measurement', fault);
  if (rescued === null || broken === null) return;
  const solved = Math.round(success * problems);
  const parentSolved = Math.round((parentSuccess ?? Number.NaN) * problems);
  const fits = rescued >= 0 && broken >= 0 && rescued <= solved && broken <= parentSolved;
  if (!fits || rescued - broken !== solved - parentSolved)
    refuse(
      `${solved} and ${parentSolved} solved problems to differ as they do`,
      `${rescued} rescued and ${broken} broken`,
    );
}

function namesOf(parent: string | null): string {
  return parent === null ? 'the base model' : 'its parent';
}

function percent(fraction: number): string {
  return `${(fraction * 100).toFixed(1)} %`;
}
