/** The result of comparing a candidate with its parent, for people and for programs that show it. */
import type { Evaluation } from '@seamstream/events';
import { percent, plural } from '@seamstream/kernel';
import { logPairedEvidence, logShareEvidence } from '@seamstream/statistics';

export interface Comparison {
  /** Problems that the candidate alone solved, and that its parent alone solved. */
  readonly rescued: number;
  readonly broken: number;
  /** Problems that earlier comparisons had asked already. */
  readonly repeated: number;
  /** What the counts are worth, at most {@link MOST_SHOWN}: 1 says nothing. */
  readonly evidence: number;
  /** What the comparison needed; null where the run's plan is not known. */
  readonly needed: number | null;
  /** Mean shares that are right, where these decide: the evidence is of them. */
  readonly shares?: { readonly candidate: number; readonly parent: number };
}

/** Above a billion the exact evidence does not matter, and may be too large for a number. */
const MOST_SHOWN = 1e9;

/**
 * @param level that the run's plan states: 1 / the evidence that is needed
 * @returns null where candidate and parent were not asked the same problems side by side
 */
export function comparisonOf(
  { rescued, broken, repeated, shares }: Pick<Evaluation, 'rescued' | 'broken' | 'repeated' | 'shares'>,
  level: number | null,
): Comparison | null {
  if (rescued === null || broken === null) return null;
  const needed = level === null ? null : 1 / level;
  const counts = { rescued, broken, repeated, needed };
  if (shares == null) return { ...counts, evidence: shownEvidence(logPairedEvidence({ rescued, broken })) };
  const { candidate, parent, differences } = shares;
  return { ...counts, evidence: shownEvidence(logShareEvidence(differences)), shares: { candidate, parent } };
}

/** Evidence for people, from its logarithm. */
export function shownEvidence(logarithm: number): number {
  return Math.exp(Math.min(logarithm, Math.log(MOST_SHOWN)));
}

/** "43 rescued, 21 broken: evidence 14, needed 200; 12 problems were asked before". */
export function comparisonText({ rescued, broken, repeated, evidence, needed, shares }: Comparison): string {
  const bar = needed === null ? '' : `, needed ${inTwoDigits(needed)}`;
  const again = repeated === 0 ? '' : `; ${repeated} problems were asked before`;
  const right =
    shares === undefined ? '' : `${percent(shares.candidate)} right, ${percent(shares.parent)} by its parent; `;
  return `${right}${rescued} rescued, ${broken} broken: evidence ${inTwoDigits(evidence)}${bar}${again}`;
}

/** "3 problems were judged apart": of those whose two answers different revisions of a judge judged. */
export function apartText(judgedApart: number): string {
  return `${plural(judgedApart, 'problem was', 'problems were')} judged apart`;
}

const TWO_DIGITS = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });

export function inTwoDigits(ratio: number): string {
  return TWO_DIGITS.format(ratio);
}
