/**
 * Whose opinion a verdict is, and which verdicts can be compared. A verdict that rests on opinions of several revisions of a model has a
 * revision that names each of them once:
 *
 *   fp_1, fp_2
 *
 * Such a mix is the same as nothing, itself included: two verdicts with this name may rest on other shares of the two.
 */
import { compareText } from '@seamstream/kernel';
import type { JudgeIdentity } from './generated/events.generated.js';

/** Between the revisions of a mix. No revision of one judge has it: {@link asOneRevision}. */
const BETWEEN = ', ';

/** What a server reports as its revision, such that it is no mix. */
export function asOneRevision(reported: string): string {
  return reported.replaceAll(/,\s+/g, ',');
}

/**
 * The model that gave all of these verdicts of one model; undefined where none was asked. Where several revisions judged, the whole is of
 * none of them, and its name says so.
 */
export function judgesOf(each: Iterable<JudgeIdentity | undefined>): JudgeIdentity | undefined {
  const judges = [...each].filter((judge) => judge !== undefined);
  const [first] = judges;
  if (first === undefined) return undefined;
  const revisions = [...new Set(judges.flatMap(revisionsIn))].sort(compareText);
  return revisions.length === 1 ? first : { model: first.model, revision: revisions.join(BETWEEN) };
}

/** Whether verdicts can be compared: all are of one model in one revision, and none is of a mix. One that is no model's opinion is left out. */
export function areOfOneRevision(each: Iterable<JudgeIdentity | null | undefined>): boolean {
  const judges = [...each].filter((judge) => judge !== null && judge !== undefined);
  return (
    !judges.some(isMix) && new Set(judges.map(({ model, revision }) => JSON.stringify([model, revision]))).size < 2
  );
}

/** Whether this is the name of several revisions. */
export function isMix(judge: JudgeIdentity): boolean {
  return revisionsIn(judge).length > 1;
}

function revisionsIn({ model, revision }: JudgeIdentity): readonly string[] {
  return revision === null ? [model] : revision.split(BETWEEN);
}
