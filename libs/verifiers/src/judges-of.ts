/** Whose opinion several verdicts are. */
import type { JudgeIdentity } from '@seamstream/events';
import { compareText } from '@seamstream/kernel';

/**
 * The model that gave all of them; undefined where none was asked. Where several revisions judged, the whole is of none of them, and its
 * name says so.
 */
export function judgesOf(each: Iterable<JudgeIdentity | undefined>): JudgeIdentity | undefined {
  const judges = [...each].filter((judge) => judge !== undefined);
  const [first] = judges;
  if (first === undefined) return undefined;
  const revisions = [...new Set(judges.map(({ model, revision }) => revision ?? model))].sort(compareText);
  return revisions.length === 1 ? first : { model: first.model, revision: revisions.join(', ') };
}
