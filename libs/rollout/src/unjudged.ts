/** Why problems of an evaluation have no judgement: a model could not be asked, or there was nothing to judge. Pure. */
import type { ErrorCode } from '@seamstream/kernel';

export interface Unjudged {
  readonly code: ErrorCode;
  readonly reason: string;
}

/** Problems whose reasons are alike. */
export interface UnjudgedGroup extends Unjudged {
  /** Of the first of them. */
  readonly reason: string;
  readonly problems: number;
}

/**
 * The most frequent first. Reasons are alike that differ in figures only: of every prompt that is too long the model says by how much.
 * @param each reasons of single problems, or groups of them
 */
export function groupUnjudged(each: Iterable<Unjudged | UnjudgedGroup>): readonly UnjudgedGroup[] {
  const groups = new Map<string, UnjudgedGroup>();
  for (const unjudged of each) {
    const { code, reason } = unjudged;
    const problems = 'problems' in unjudged ? unjudged.problems : 1;
    const likeness = `${code} ${reason.replaceAll(/\d+/g, '0')}`;
    const first = groups.get(likeness) ?? { code, reason, problems: 0 };
    groups.set(likeness, { ...first, problems: first.problems + problems });
  }
  return [...groups.values()].sort((a, b) => b.problems - a.problems);
}
