/**
 * Which problems wait: published, and not every attempt that was asked for has a result, an answer or a dead letter. An answer that waits
 * for a person's feedback is no work any more. Folded from events of problems, experiences, answers, outcomes and dead letters; they may be
 * repeated, and the topics may be read in any order.
 */
import type { LogRecord } from '@seamstream/event-log';
import { attemptIdOf, type EventOf, type SeamEvent, TOPIC } from '@seamstream/events';
import { isAttemptResult, isComplete } from '@seamstream/experience-groups';
import { placeOf, REDRIVE_HEADER } from '../dead-letters/dead-letter.js';

interface OpenGroup {
  readonly groupSize: number;
  /** Attempts that were written. */
  readonly written: Set<string>;
  /** Attempts with a result or an answer. */
  readonly settled: Set<string>;
}

interface OpenWork {
  /** By problem its groups, as far as they are known; those that wait alone. */
  readonly open: Map<string, Map<string, OpenGroup>>;
  /** Problems that wait no more: what is recorded of them again is no work. */
  readonly ended: Set<string>;
  /** By problem its records that a service gave up: the topic by the record's place. */
  readonly letters: Map<string, Map<string, string>>;
  /** Places of records that were sent again: what their letters say does not hold any more. */
  readonly redriven: Set<string>;
}

export function initialOpenWork(): OpenWork {
  return { open: new Map(), ended: new Set(), letters: new Map(), redriven: new Set() };
}

/** The state after an event, which is changed in place. @param record where the event was read */
export function evolveOpenWork(
  work: OpenWork,
  { event, record }: { readonly event: SeamEvent; readonly record: Pick<LogRecord, 'headers'> },
): OpenWork {
  const repeats = record.headers[REDRIVE_HEADER];
  if (repeats !== undefined) work.redriven.add(repeats);
  switch (event.type) {
    case 'ProblemPublished':
      groupsOf(work, event.problem.problemId);
      break;
    case 'ExperienceGenerated':
    case 'ExperienceWithheld': {
      const groupSize = event.type === 'ExperienceGenerated' ? event.groupSize : 1;
      groupOf(work, event.problem.problemId, event.groupId, groupSize)?.written.add(attemptIdOf(event));
      break;
    }
    case 'ProblemExpired':
      end(work, event.problem.problemId);
      break;
    case 'DeadLettered':
      // Not ended: a letter may be redriven, and is work again then.
      if (event.key !== null) noteLetter(work, event.key, event);
      break;
    default:
      if (isAttemptResult(event) || event.type === 'AnswerRecorded') settle(work, event);
  }
  return work;
}

/** Those that wait and are not one's own. */
export function othersWaiting(work: OpenWork, isOwn: (problemId: string) => boolean): number {
  return work.open.keys().reduce((sum, problemId) => sum + Number(!isOwn(problemId) && !isGivenUp(work, problemId)), 0);
}

/** Whether its letters cover all attempts that have no result. */
function isGivenUp({ open, letters, redriven }: OpenWork, problemId: string): boolean {
  const valid = [...(letters.get(problemId) ?? [])].filter(([place]) => !redriven.has(place));
  if (valid.length === 0) return false;
  const groups = [...(open.get(problemId)?.values() ?? [])];
  // Of a problem that its writer gave up, no more attempts are written than there are.
  const isWritten = valid.some(([, topic]) => topic === TOPIC.problems);
  if (groups.length === 0) return isWritten;
  const missing = groups.reduce(
    (sum, { groupSize, written, settled }) => sum + Math.max(0, (isWritten ? written.size : groupSize) - settled.size),
    0,
  );
  return missing <= valid.filter(([, topic]) => topic === TOPIC.experiences).length;
}

function noteLetter({ letters }: OpenWork, problemId: string, letter: EventOf<'DeadLettered'>): void {
  const known = letters.get(problemId) ?? new Map<string, string>();
  letters.set(problemId, known.set(placeOf(letter), letter.topic));
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
  groupOf(work, problemId, result.groupId, result.groupSize)?.settled.add(attemptIdOf(result));
  const isSettled = work.open
    .get(problemId)
    ?.values()
    .every(({ groupSize, settled }) => isComplete({ groupSize, members: settled.size }));
  if (isSettled === true) end(work, problemId);
}

function end({ open, ended, letters }: OpenWork, problemId: string): void {
  open.delete(problemId);
  letters.delete(problemId);
  ended.add(problemId);
}

function groupsOf({ open, ended }: OpenWork, problemId: string): Map<string, OpenGroup> | undefined {
  if (ended.has(problemId)) return undefined;
  const groups = open.get(problemId) ?? new Map<string, OpenGroup>();
  open.set(problemId, groups);
  return groups;
}

function groupOf(work: OpenWork, problemId: string, groupId: string, groupSize: number): OpenGroup | undefined {
  const groups = groupsOf(work, problemId);
  if (groups === undefined) return undefined;
  const group = groups.get(groupId) ?? { groupSize, written: new Set(), settled: new Set() };
  groups.set(groupId, group);
  return group;
}
