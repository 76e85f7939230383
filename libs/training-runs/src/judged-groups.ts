/** The groups that a library is learned from, and in words why none of them is. */
import { isWhole, toldAttempt } from '@seamstream/events';
import { areJudgedAlike, definiteResults, isComplete } from '@seamstream/experience-groups';
import type { TracedAttempt } from '@seamstream/experience-library';
import { compareText, plural } from '@seamstream/kernel';
import type { LogInput } from '@seamstream/learning';

/** A complete group of the base model's attempts, by id. */
interface JudgedGroup {
  readonly attempts: readonly TracedAttempt[];
  /** Whether one revision of a judge gave all verdicts, so that they can be compared. */
  readonly isAlike: boolean;
}

/** Groups with a result that say nothing, by the first reason that holds. */
interface LeftOut {
  /** A result is still missing. */
  readonly incomplete: number;
  /** All entries are of another base model. */
  readonly foreign: number;
  /** Fewer attempts than needed have both a verdict and a problem that the log still holds. */
  readonly small: number;
}

/**
 * The complete groups of the base model's own problems, ascending by id, each with its judged members by id: a function of the set of
 * records. Attempts that the machine failed at say nothing.
 * @param least judged attempts of a group that says something
 */
export function judgedGroups(
  { experiences, results }: LogInput,
  baseModelDigest: string,
  least: number,
): { readonly groups: readonly JudgedGroup[]; readonly leftOut: LeftOut } {
  const written = new Map(experiences.map((each) => [each.experienceId, each]));
  const byGroup = Map.groupBy(definiteResults(results).values(), ({ groupId }) => groupId);
  const groups: JudgedGroup[] = [];
  const leftOut = { incomplete: 0, foreign: 0, small: 0 };
  for (const [groupId, members] of [...byGroup].sort(([a], [b]) => compareText(a, b))) {
    const [first] = members;
    const models = new Set(members.flatMap(({ experienceId }) => written.get(experienceId)?.baseModelDigest ?? []));
    const judged = members.flatMap((result) => {
      const experience = written.get(result.experienceId);
      if (result.type !== 'OutcomeRecorded' || experience === undefined) return [];
      const { experienceId, entry, adapterDigest: writer, problem } = experience;
      if (experience.baseModelDigest !== baseModelDigest || !isWhole(problem)) return [];
      const { domain, prompt, reference } = problem;
      const { success } = result;
      const trace = { prompt, reference, response: toldAttempt(result) };
      return [{ result, attempt: { experienceId, groupId, domain, entry, success, writer, trace } }];
    });
    if (!isComplete({ groupSize: first!.groupSize, members: members.length })) leftOut.incomplete++;
    else if (models.size > 0 && !models.has(baseModelDigest)) leftOut.foreign++;
    else if (judged.length < least) leftOut.small++;
    else {
      const attempts = judged.map(({ attempt }) => attempt);
      groups.push({
        attempts: attempts.sort((a, b) => compareText(a.experienceId, b.experienceId)),
        isAlike: areJudgedAlike(judged.map(({ result }) => result)),
      });
    }
  }
  return { groups, leftOut };
}

/** 0 < mean < 1: only then members tell something of one another. */
export function hasBoth(group: readonly TracedAttempt[]): boolean {
  return group.some(({ success }) => success) && group.some(({ success }) => !success);
}

/** Why no group can be learned from: what each of them is, with counts. */
export function whyNoGroup(groups: readonly JudgedGroup[], leftOut: LeftOut, usesVerdicts: boolean): string {
  const alike = groups.filter(({ isAlike }) => isAlike);
  const solved = alike.filter(({ attempts }) => attempts.every(({ success }) => success)).length;
  const apart = groups.length - alike.length;
  const all = groups.length + leftOut.incomplete + leftOut.foreign + leftOut.small;
  const kinds: readonly (readonly [count: number, is: string])[] = [
    [leftOut.incomplete, 'not complete'],
    [leftOut.foreign, 'of another base model'],
    [leftOut.small, 'without enough judged attempts'],
    [usesVerdicts ? apart : 0, 'judged by several revisions of a judge'],
    [usesVerdicts ? solved : 0, 'solved by every attempt'],
    [usesVerdicts ? alike.length - solved : 0, 'solved by no attempt'],
  ];
  const told = kinds.flatMap(([count, is]) => (count === 0 ? [] : [`${count} ${is}`])).join(', ');
  const what = usesVerdicts
    ? 'no group has both an attempt that succeeded and one that failed'
    : 'no group of attempts is complete';
  return all === 0 ? `${what}: no attempt of these rounds has a result` : `${what}: of ${plural(all, 'group')} ${told}`;
}
