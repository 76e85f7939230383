/** Verdicts that are opinions of models: whose, and whether two are of the same one. Pure. */
import type { JudgeTally } from '@seamstream/events';
import { plural } from '@seamstream/kernel';
import type { JudgeIdentity } from '@seamstream/verifiers';

/** Null: no model was asked about an answer. */
export type JudgedBy = JudgeIdentity | null;

/** Revisions that are told apart. A server that reports another one with each answer must not make a record grow without end. */
const MOST_TOLD = 16;

/** The most frequent first; those beyond the first sixteen in one row. */
export function tallyJudges(each: Iterable<JudgedBy>): readonly JudgeTally[] {
  return addedTallies([...each].filter((judge) => judge !== null).map((judge) => ({ ...judge, verdicts: 1 })));
}

/** Tallies of several measurements as one. */
export function addedTallies(...each: readonly (readonly JudgeTally[])[]): readonly JudgeTally[] {
  const tallies = new Map<string, JudgeTally>();
  for (const { model, revision, verdicts } of each.flat()) {
    const name = nameOf({ model, revision });
    tallies.set(name, { model, revision, verdicts: (tallies.get(name)?.verdicts ?? 0) + verdicts });
  }
  const sorted = [...tallies.values()].sort((a, b) => b.verdicts - a.verdicts);
  const [told, rest] = [sorted.slice(0, MOST_TOLD), sorted.slice(MOST_TOLD)];
  if (rest.length === 0) return told;
  const verdicts = rest.reduce((sum, tally) => sum + tally.verdicts, 0);
  return [...told, { model: rest[0]!.model, revision: plural(rest.length, 'other revision'), verdicts }];
}

/** Whether two verdicts can be compared: of one model in one revision, or of none. */
export function isSameJudge(one: JudgedBy, other: JudgedBy): boolean {
  return one === null || other === null || nameOf(one) === nameOf(other);
}

/** Whether all verdicts of two measurements are of one model in one revision, or of none. */
export function areOfOneJudge(...tallies: readonly (readonly JudgeTally[])[]): boolean {
  return new Set(tallies.flat().map(nameOf)).size <= 1;
}

function nameOf({ model, revision }: JudgeIdentity): string {
  return JSON.stringify([model, revision]);
}
