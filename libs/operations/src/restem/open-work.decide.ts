/**
 * Which problems wait: published, and not every attempt that was asked for has a result, an answer or a dead letter. An answer that waits
 * for a person's feedback is no work any more. Folded from events of problems, experiences, answers, outcomes and dead letters; they may be
 * repeated, and the topics may be read in any order.
 */
import type { LogRecord } from '@seamstream/event-log';
import { attemptIdOf, decodeEvent, type EventOf, type SeamEvent } from '@seamstream/events';
import { isAttemptResult, isComplete } from '@seamstream/experience-groups';
import { placeOf, REDRIVE_HEADER } from '../dead-letters/dead-letter.js';

interface OpenGroup {
  readonly groupSize: number;
  /** Attempts that were written. */
  readonly written: Set<string>;
  /** Attempts with a result or an answer. */
  readonly settled: Set<string>;
  /** Attempts that the executor gave up, by the place of the record. */
  readonly givenUp: Map<string, string>;
}

interface OpenWork {
  /** By problem its groups, as far as they are known; those that wait alone. */
  readonly open: Map<string, Map<string, OpenGroup>>;
  /** Problems that wait no more: what is recorded of them again is no work. */
  readonly ended: Set<string>;
  /** Places of problems' records that the writer gave up, by problem. */
  readonly unwritten: Map<string, Set<string>>;
  /** Places of records that were sent again: what their letters say does not hold any more. */
  readonly redriven: Set<string>;
}

export function initialOpenWork(): OpenWork {
  return { open: new Map(), ended: new Set(), unwritten: new Map(), redriven: new Set() };
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
      noteLetter(work, event);
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
function isGivenUp({ open, unwritten, redriven }: OpenWork, problemId: string): boolean {
  const isValid = (place: string): boolean => !redriven.has(place);
  const groups = [...(open.get(problemId)?.values() ?? [])];
  // Of a problem that its writer gave up, no more attempts are written than there are.
  const isWritten = [...(unwritten.get(problemId) ?? [])].some(isValid);
  if (groups.length === 0) return isWritten;
  return groups.every(({ groupSize, written, settled, givenUp }) => {
    const lost = [...givenUp].filter(([place]) => isValid(place)).map(([, attemptId]) => attemptId);
    const members = new Set([...settled, ...lost]).size;
    return isComplete({ groupSize: isWritten ? written.size : groupSize, members });
  });
}

/** A record that cannot be read is no work that a letter could end: anyone may write one under a problem's key. */
function noteLetter(work: OpenWork, letter: EventOf<'DeadLettered'>): void {
  const event = recordOf(letter);
  const place = placeOf(letter);
  if (event?.type === 'ProblemPublished') {
    const { problemId } = event.problem;
    work.unwritten.set(problemId, (work.unwritten.get(problemId) ?? new Set<string>()).add(place));
  } else if (event?.type === 'ExperienceGenerated') {
    const group = groupOf(work, event.problem.problemId, event.groupId, event.groupSize);
    group?.givenUp.set(place, attemptIdOf(event));
  }
}

function recordOf(letter: EventOf<'DeadLettered'>): SeamEvent | undefined {
  try {
    return decodeEvent(letter);
  } catch {
    return undefined;
  }
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

function end({ open, ended, unwritten }: OpenWork, problemId: string): void {
  open.delete(problemId);
  unwritten.delete(problemId);
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
  const group = groups.get(groupId) ?? { groupSize, written: new Set(), settled: new Set(), givenUp: new Map() };
  groups.set(groupId, group);
  return group;
}
