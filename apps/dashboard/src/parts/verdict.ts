/** What an interval says, and why a lift may come from something other than experiences. In the words of `seam lift`. Pure. */
import type { Comparison, ExperimentCheck, LiftAnswer } from '@seamstream/operations/read-models';
import { count, percent } from './words.js';

export type Verdict = 'helps' | 'harms' | 'open';

export const sideOf = ([low, high]: readonly [number, number]): Verdict =>
  low > 0 ? 'helps' : high < 0 ? 'harms' : 'open';

/** @param isCausal false: an experiment did not go as it was drawn, so that no interval decides */
export function verdictOf(lift: Comparison['lift'], isCausal: boolean): Verdict {
  return lift === null || !isCausal ? 'open' : sideOf(lift.interval95);
}

/** None where each experiment went as it was drawn. */
export function doubtsOf(experiments: LiftAnswer['experiments']): readonly string[] {
  return experiments.flatMap((check) => [
    ...(check.isUneven ? [unevenWords(check)] : []),
    ...(check.isMissingUnevenly ? [missingWords(check)] : []),
  ]);
}

/** Where fewer problems are solved with experiences than without. Only where arms are as they were drawn does that come from experiences. */
export function harmWords({ harmed, isCausal }: Pick<LiftAnswer, 'harmed' | 'isCausal'>): string {
  return isCausal
    ? `Experiences do harm in ${harmed.join(', ')}: 5 % risk that any is named wrongly, at any look.`
    : `Fewer are solved with experiences in ${harmed.join(', ')}; this may come from the arms.`;
}

const nameOf = ({ experiment, controlShare }: ExperimentCheck): string =>
  `${experiment} (${percent(controlShare)} controls)`;

function unevenWords(check: ExperimentCheck): string {
  const { treated, control } = check;
  return `Not causal: ${nameOf(check)} has ${count(control)} controls of ${count(treated + control)}, which is not as it was drawn.`;
}

function missingWords(check: ExperimentCheck): string {
  const { treatedMissing, controlMissing } = check;
  return `Not causal: of ${nameOf(check)} ${count(treatedMissing)} treated and ${count(controlMissing)} controls have no verdict, which is not as often.`;
}
