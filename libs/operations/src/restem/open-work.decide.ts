/**
 * Which problems wait: published, and not every attempt that was asked for has a result or an answer. An answer that waits for a person's
 * feedback is no work any more. Folded from events of problems, experiences, answers, outcomes and dead letters; they may be repeated.
 */
import type { SeamEvent } from '@seamstream/events';
import { attemptIdOf } from '@seamstream/events';
import { isAttemptResult, isComplete } from '@seamstream/experience-groups';

interface OpenGroup {
  readonly groupSize: number;
  /** Attempts with a result or an answer. */
  readonly settled: Set<string>;
}

interface OpenWork {
  /** By problem its groups, as far as they are known; those that wait alone. */
  readonly open: Map<string, Map<string, OpenGroup>>;
  /** Problems that wait no more: what is recorded of them again is no work. */
  readonly ended: Set<string>;
}

export function initialOpenWork(): OpenWork {
  return { open: new Map(), ended: new Set() };
}

/** The state after an event, which is changed in place. */
export function evolveOpenWork(work: OpenWork, event: SeamEvent): OpenWork {
  switch (event.type) {
    case 'ProblemPublished':
      groupsOf(work, event.problem.problemId);
      break;
    case 'ExperienceGenerated':
    case 'ExperienceWithheld': {
      const groupSize = event.type === 'ExperienceGenerated' ? event.groupSize : 1;
      groupOf(work, event.problem.problemId, event.groupId, groupSize);
      break;
    }
    case 'ProblemExpired':
      end(work, event.problem.problemId);
      break;
    case 'DeadLettered':
      // Not ended: a letter may be redriven, and is work again then.
      if (event.key !== null) work.open.delete(event.key);
      break;
    default:
      if (isAttemptResult(event) || event.type === 'AnswerRecorded') settle(work, event);
  }
  return work;
}

/** Those that wait and are not one's own. */
export function othersWaiting({ open }: OpenWork, isOwn: (problemId: string) => boolean): number {
  return open.keys().reduce((sum, problemId) => sum + Number(!isOwn(problemId)), 0);
}

interface Settled {
  readonly problem: { readonly problemId: string };
  readonly groupId: string;
  readonly groupSize: number;
  readonly experienceId: string;
  readonly attemptId: string | null;
}

function settle(work: OpenWork, result: Settled): void {
  const { problemId } = result.problem;
  const groups = groupOf(work, problemId, result.groupId, result.groupSize);
  groups?.get(result.groupId)?.settled.add(attemptIdOf(result));
  const isSettled = groups
    ?.values()
    .every(({ groupSize, settled }) => isComplete({ groupSize, members: settled.size }));
  if (isSettled === true) end(work, problemId);
}

function end({ open, ended }: OpenWork, problemId: string): void {
  open.delete(problemId);
  ended.add(problemId);
}

function groupsOf({ open, ended }: OpenWork, problemId: string): Map<string, OpenGroup> | undefined {
  if (ended.has(problemId)) return undefined;
  const groups = open.get(problemId) ?? new Map<string, OpenGroup>();
  open.set(problemId, groups);
  return groups;
}

function groupOf(work: OpenWork, problemId: string, groupId: string, groupSize: number) {
  const groups = groupsOf(work, problemId);
  if (groups?.has(groupId) === false) groups.set(groupId, { groupSize, settled: new Set() });
  return groups;
}
