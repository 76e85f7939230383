/** Verdicts that are opinions of models: whose, and whether two are of the same one. Pure. */
import { areOfOneRevision, type JudgeIdentity, type JudgeTally } from '@seamstream/events';
import { plural } from '@seamstream/kernel';

/** Null: no model was asked about an answer. */
export type JudgedBy = JudgeIdentity | null;

/** Revisions that are told apart. A server that reports another one with each answer must not make a record grow without end. */
const MOST_TOLD = 16;

/** The most frequent first; those beyond the first sixteen in one row. */
export function tallyJudges(each: Iterable<JudgedBy>): readonly JudgeTally[] {
  const verdicts = [...each].filter((judge) => judge !== null).map((judge) => ({ ...judge, verdicts: 1 }));
  return toldOf(verdicts, []);
}

/** Tallies of several measurements as one. A revision in the last row of several is counted in each: its name is not known any more. */
export function addedTallies(...each: readonly (readonly JudgeTally[])[]): readonly JudgeTally[] {
  // By its place, because a server may report any words as its revision.
  return toldOf(
    each.flatMap((tallies) => tallies.slice(0, MOST_TOLD)),
    each.flatMap((tallies) => tallies.slice(MOST_TOLD)),
  );
}

/** @param others last rows, of revisions that are not told apart */
function toldOf(named: readonly JudgeTally[], others: readonly JudgeTally[]): readonly JudgeTally[] {
  const tallies = new Map<string, JudgeTally>();
  for (const { model, revision, verdicts } of named) {
    const name = nameOf({ model, revision });
    tallies.set(name, { model, revision, verdicts: (tallies.get(name)?.verdicts ?? 0) + verdicts });
  }
  const sorted = [...tallies.values()].sort((a, b) => b.verdicts - a.verdicts);
  const [told, untold] = [sorted.slice(0, MOST_TOLD), sorted.slice(MOST_TOLD)];
  const [last] = [...others, ...untold];
  if (last === undefined) return told;
  const revisions = others.reduce((sum, { revision }) => sum + revisionsIn(revision), untold.length);
  const verdicts = [...others, ...untold].reduce((sum, tally) => sum + tally.verdicts, 0);
  return [...told, { model: last.model, revision: plural(revisions, 'other revision'), verdicts }];
}

/** Of "1,984 other revisions". */
function revisionsIn(row: string | null): number {
  return Number.parseInt((row ?? '').replaceAll(',', ''), 10) || 1;
}

/** Whether two verdicts can be compared: of one model in one revision, or of none. A mix of revisions is the same as nothing. */
export function isSameJudge(one: JudgedBy, other: JudgedBy): boolean {
  return areOfOneRevision([one, other]);
}

/** Whether all verdicts of several measurements are of one model in one revision, or of none; a mix of revisions is not. */
export function areOfOneJudge(...tallies: readonly (readonly JudgeTally[])[]): boolean {
  return areOfOneRevision(tallies.flat());
}

function nameOf({ model, revision }: JudgeIdentity): string {
  return JSON.stringify([model, revision]);
}
