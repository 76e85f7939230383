/**
 * Which verdicts count, for a fold of outcomes one by one: the rule of `libs/experience-groups`, as the ledger applies it. Of several verdicts on a
 * candidate the most definite counts. Once every candidate of a group has a verdict, later ones change nothing.
 */
import type { EventOf } from '@seamstream/events';
import { compareDefiniteness } from '@seamstream/experience-groups';
import type { Cells } from './cells.js';

/** Candidate's number, id of the outcome that counts, and what the fold counted it as. */
type VerdictCell<Facts> = readonly [number, string, Facts];

/** The cell of a group in which every candidate has a verdict. */
const ALL_JUDGED = '*';

/**
 * Notes an outcome by its group. Groups of which all candidates are judged take one character each.
 * @param facts what the fold counts it as: plain data
 * @returns the changes to the counts: facts to add (1), after those that they replace (-1); empty where the outcome does not count
 */
export function changesBy<Facts>(
  cells: Cells,
  { groupId, candidateIndex, groupSize, meta }: EventOf<'OutcomeRecorded'>,
  facts: Facts,
): readonly (readonly [Facts, 1 | -1])[] {
  const cell = cells.get(groupId);
  if (cell === ALL_JUDGED || candidateIndex < 0 || candidateIndex >= groupSize) return [];
  const verdicts = cell === undefined ? [] : (JSON.parse(cell) as VerdictCell<Facts>[]);
  const known = verdicts.find(([index]) => index === candidateIndex);
  const isLessDefinite = ([, id]: VerdictCell<Facts>): boolean =>
    compareDefiniteness({ hasVerdict: true, id: meta.messageId }, { hasVerdict: true, id }) >= 0;
  if (known !== undefined && isLessDefinite(known)) return [];
  const counting = [...verdicts.filter((each) => each !== known), [candidateIndex, meta.messageId, facts] as const];
  cells.set(groupId, counting.length < groupSize ? JSON.stringify(counting) : ALL_JUDGED);
  return known === undefined
    ? [[facts, 1]]
    : [
        [known[2], -1],
        [facts, 1],
      ];
}
