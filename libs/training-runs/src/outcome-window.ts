/**
 * Counts completed problems along seam.outcomes, and keeps where in the log the current window of them is. A problem is complete
 * when every candidate of its group has a result, or when it expired. It counts once, however often its results are recorded. A group
 * that began before the window and ends in it belongs to it: the window's ranges then reach back to its first result.
 */
import { attemptIdOf, type OffsetRange, type SeamEvent } from '@seamstream/events';
import { isAttemptResult, isComplete } from '@seamstream/experience-groups';

interface OpenGroup {
  readonly partition: number;
  readonly firstOffset: number;
  readonly members: ReadonlySet<string>;
}

/** Windows whose problems are recognised. A result that is recorded again later than that counts as a new one. */
export const REMEMBERED_WINDOWS = 4;

export interface OutcomeWindow {
  /** By partition: the offset after the last counted event. */
  readonly nextOffsets: ReadonlyMap<number, number>;
  /** By partition: where the window's records begin. */
  readonly firstOffsets: ReadonlyMap<number, number>;
  /**
   * By partition: the offset after the last event that completed a problem, where the window's records end. What follows it
   * is repeated or not complete: a version of the buffer that covers the same problems need not have seen it.
   */
  readonly ends: ReadonlyMap<number, number>;
  readonly completedProblems: number;
  /** By groupId: groups that still wait for a result. */
  readonly open: ReadonlyMap<string, OpenGroup>;
  /** groupIds and messageIds of the problems that were completed or expired in this window. */
  readonly completed: ReadonlySet<string>;
  /** The same of the windows before, the last one first. Results that are recorded again after their end count no more. */
  readonly completedBefore: readonly ReadonlySet<string>[];
  /** By groupId of these, where results were recorded again in this window: how many windows ago it was complete, 1 or more. */
  readonly repeated: ReadonlyMap<string, number>;
}

/** An empty window after the given offsets; it begins where the one before ended, whose open groups stay open. */
export function windowAt(
  nextOffsets: ReadonlyMap<number, number>,
  before: Partial<Pick<OutcomeWindow, 'open' | 'completed' | 'completedBefore' | 'ends'>> = {},
): OutcomeWindow {
  const { open = new Map(), completed = new Set(), completedBefore = [], ends = nextOffsets } = before;
  return {
    nextOffsets,
    firstOffsets: ends,
    ends,
    completedProblems: 0,
    open,
    completed: new Set(),
    completedBefore: [completed, ...completedBefore].slice(0, REMEMBERED_WINDOWS),
    repeated: new Map(),
  };
}

/** The window after one event of the outcomes' topic; one that was counted already changes nothing. */
export function evolveWindow(
  window: OutcomeWindow,
  event: SeamEvent,
  place: { readonly partition: number; readonly offset: number },
): OutcomeWindow {
  const { partition, offset } = place;
  if (offset < (window.nextOffsets.get(partition) ?? 0)) return window;
  const next = { ...window, nextOffsets: new Map(window.nextOffsets).set(partition, offset + 1) };
  const age = (id: string): number => 1 + window.completedBefore.findIndex((completed) => completed.has(id));
  const isKnown = (id: string): boolean => window.completed.has(id) || age(id) > 0;
  if (event.type === 'ProblemExpired') {
    const { messageId } = event.meta;
    if (isKnown(messageId)) return next;
    return {
      ...next,
      ends: new Map(window.ends).set(partition, offset + 1),
      completed: new Set(window.completed).add(messageId),
      completedProblems: window.completedProblems + 1,
    };
  }
  if (!isAttemptResult(event)) return next;
  if (isKnown(event.groupId)) {
    return age(event.groupId) === 0 || window.repeated.has(event.groupId)
      ? next
      : { ...next, repeated: new Map(window.repeated).set(event.groupId, age(event.groupId)) };
  }
  const known = window.open.get(event.groupId);
  const members = new Set(known?.members).add(attemptIdOf(event));
  const firstOffset = known?.firstOffset ?? offset;
  const open = new Map(window.open);
  if (!isComplete({ groupSize: event.groupSize, members: members.size }))
    return { ...next, open: open.set(event.groupId, { partition, firstOffset, members }) };
  open.delete(event.groupId);
  const begins = Math.min(window.firstOffsets.get(partition) ?? 0, firstOffset);
  return {
    ...next,
    open,
    ends: new Map(window.ends).set(partition, offset + 1),
    firstOffsets: new Map(window.firstOffsets).set(partition, begins),
    completed: new Set(window.completed).add(event.groupId),
    completedProblems: window.completedProblems + 1,
  };
}

/** Where the window's records stand, in the order of partitions. */
export function windowRanges(window: OutcomeWindow, topic: string): readonly OffsetRange[] {
  return [...window.nextOffsets.keys()]
    .sort((a, b) => a - b)
    .map((partition) => {
      const from = window.firstOffsets.get(partition) ?? 0;
      return { topic, partition, from, to: window.ends.get(partition) ?? from };
    });
}
