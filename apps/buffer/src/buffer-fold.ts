/**
 * The buffer's state with its place in the log: how far each partition was read, and how many problems were completed
 * since the last version. A problem is complete when every candidate of its group has a result, or when it expired. Those of
 * other shards' domains count as well: all shards cut their versions after the same number of problems.
 */
import type { EventOf, OffsetRange, SeamEvent, Whole } from '@seamstream/events';
import { isAttemptResult } from '@seamstream/experience-groups';
import { type BufferState, evolve, isGroupComplete } from '@seamstream/success-buffer';

export interface BufferFold {
  readonly state: BufferState;
  /** By partition of the outcomes' topic: the offset after the last folded event. */
  readonly nextOffsets: Map<number, number>;
  /** Problems completed since the last committed version. */
  readonly completedProblems: number;
  /** Those of them that expired: messageIds, so that one delivered twice counts once. */
  readonly expired: ReadonlySet<string>;
}

/** Nothing folded on top of the given state, which was read as far as the given offsets. */
export function foldAt(state: BufferState, nextOffsets: ReadonlyMap<number, number>): BufferFold {
  return { state, nextOffsets: new Map(nextOffsets), completedProblems: 0, expired: new Set() };
}

/** Events of the outcomes' topic as they are folded: what was solved is kept with its prompt. */
export type FoldedEvent = Exclude<SeamEvent, { type: 'OutcomeRecorded' }> | Whole<EventOf<'OutcomeRecorded'>>;

export interface Place {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/**
 * Folds one event of the outcomes' topic; one that was folded already changes nothing. The buffer's state and the
 * offsets are taken over and changed in place, so the given fold is not to be used afterwards.
 */
export function evolveFold(fold: BufferFold, event: FoldedEvent, place: Place): BufferFold {
  const next = fold.nextOffsets.get(place.partition) ?? 0;
  if (place.offset < next) return fold;
  const { nextOffsets } = fold;
  nextOffsets.set(place.partition, place.offset + 1);
  if (event.type === 'ProblemExpired') {
    const expired = new Set(fold.expired).add(event.meta.messageId);
    return {
      ...fold,
      expired,
      completedProblems: fold.completedProblems + expired.size - fold.expired.size,
    };
  }
  if (!isAttemptResult(event)) return fold;
  const before = isGroupComplete(fold.state, event.groupId);
  const state = evolve(fold.state, event, place);
  const completed = !before && isGroupComplete(state, event.groupId) ? 1 : 0;
  return { ...fold, state, completedProblems: fold.completedProblems + completed };
}

/** The fold after a result that does not count: it was read, and that is all. */
export function passOver(fold: BufferFold, { partition, offset }: Place): BufferFold {
  fold.nextOffsets.set(partition, Math.max(offset + 1, fold.nextOffsets.get(partition) ?? 0));
  return fold;
}

/** What was folded, from the beginning of each partition, in the order of partitions. */
export function foldedRanges(fold: BufferFold, topic: string): readonly OffsetRange[] {
  return [...fold.nextOffsets].sort(([a], [b]) => a - b).map(([partition, to]) => ({ topic, partition, from: 0, to }));
}

/** The same the other way round: the offset after the last folded event, by partition. */
export function offsetsOf(ranges: readonly OffsetRange[]): ReadonlyMap<number, number> {
  return new Map(ranges.map(({ partition, to }) => [partition, to]));
}
