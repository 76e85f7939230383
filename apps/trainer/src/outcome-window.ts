/**
 * Counts completed problems along seam.outcomes, and where in the log the current window of them stands. A problem is
 * complete when every candidate of its group has a result, or when it expired. A group that began before the window and
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
  /** messageIds of the problems that expired in this window. */
  readonly expired: ReadonlySet<string>;
}

/** An empty window that begins at the given offsets; groups that are open stay open. */
export function windowAt(
  nextOffsets: ReadonlyMap<number, number>,
  open: OutcomeWindow['open'] = new Map(),
): OutcomeWindow {
  return { nextOffsets, firstOffsets: nextOffsets, completedProblems: 0, open, expired: new Set() };
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
  if (event.type === 'ProblemExpired') {
    const expired = new Set(window.expired).add(event.meta.messageId);
    return { ...next, expired, completedProblems: window.completedProblems + expired.size - window.expired.size };
  }
  if (event.type !== 'OutcomeRecorded' && event.type !== 'ExecutionFailed') return next;
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
    completedProblems: window.completedProblems + 1,
  };
}

/** Where the window's records stand, in the order of partitions. */
export function windowRanges(window: OutcomeWindow, topic: string): readonly OffsetRange[] {
  return [...window.nextOffsets]
    .sort(([a], [b]) => a - b)
    .map(([partition, to]) => ({ topic, partition, from: window.firstOffsets.get(partition) ?? 0, to }));
}
