/**
 * Counts completed problems along seam.outcomes, and where in the log the current window of them stands. A problem is
 * complete when every candidate of its group has a result, or when it expired; once, however often results are told. A group that began before the window and
 * ends in it belongs to it: the window's ranges then reach back to its first result.
 */
import type { OffsetRange, SeamEvent } from '@seamstream/events';

interface OpenGroup {
  readonly partition: number;
  readonly firstOffset: number;
  readonly members: ReadonlySet<string>;
}

export interface OutcomeWindow {
  /** By partition: the offset after the last counted event. */
  readonly nextOffsets: ReadonlyMap<number, number>;
  /** By partition: where the window's records begin. */
  readonly firstOffsets: ReadonlyMap<number, number>;
  readonly completedProblems: number;
  /** By groupId: groups that still wait for a result. */
  readonly open: ReadonlyMap<string, OpenGroup>;
  /** groupIds and messageIds of the problems that were completed or expired in this window. */
  readonly completed: ReadonlySet<string>;
  /** The same of the window before: results that are told again after its end count no more. */
  readonly completedBefore: ReadonlySet<string>;
}

/** An empty window that begins at the given offsets; groups that are open in the one before stay open. */
export function windowAt(
  nextOffsets: ReadonlyMap<number, number>,
  before: Partial<Pick<OutcomeWindow, 'open' | 'completed'>> = {},
): OutcomeWindow {
  const { open = new Map(), completed: completedBefore = new Set() } = before;
  return {
    nextOffsets,
    firstOffsets: nextOffsets,
    completedProblems: 0,
    open,
    completed: new Set(),
    completedBefore,
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
  const isKnown = (id: string): boolean => window.completed.has(id) || window.completedBefore.has(id);
  if (event.type === 'ProblemExpired') {
    const { messageId } = event.meta;
    if (isKnown(messageId)) return next;
    return {
      ...next,
      completed: new Set(window.completed).add(messageId),
      completedProblems: window.completedProblems + 1,
    };
  }
  if ((event.type !== 'OutcomeRecorded' && event.type !== 'ExecutionFailed') || isKnown(event.groupId)) return next;
  const known = window.open.get(event.groupId);
  const members = new Set(known?.members).add(event.experienceId);
  const firstOffset = known?.firstOffset ?? offset;
  const open = new Map(window.open);
  if (members.size < event.groupSize)
    return { ...next, open: open.set(event.groupId, { partition, firstOffset, members }) };
  open.delete(event.groupId);
  const begins = Math.min(window.firstOffsets.get(partition) ?? 0, firstOffset);
  return {
    ...next,
    open,
    firstOffsets: new Map(window.firstOffsets).set(partition, begins),
    completed: new Set(window.completed).add(event.groupId),
    completedProblems: window.completedProblems + 1,
  };
}

/** Where the window's records stand, in the order of partitions. */
export function windowRanges(window: OutcomeWindow, topic: string): readonly OffsetRange[] {
  return [...window.nextOffsets]
    .sort(([a], [b]) => a - b)
    .map(([partition, to]) => ({ topic, partition, from: window.firstOffsets.get(partition) ?? 0, to }));
}
