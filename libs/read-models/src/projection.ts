/**
 * What all read models have in common: a fold over the log's events that copes with every fact, in whatever order
 * partitions are read. Only the order within a partition is given; any interleaving of partitions gives the same answer.
 *
 * A fold changes its state in place and returns it, because it sees millions of events: the state belongs to one reader
 * and is handed out only as an answer.
 */
import type { SeamEvent } from '@seamstream/events';
import { compareText } from '@seamstream/kernel';

/** Where an event stands in the log. */
export interface EventPosition {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

export interface Projection<State, Answer> {
  /** The topics that it folds; events of others change nothing. */
  readonly topics: readonly string[];
  initialState(): State;
  /** The state after the event. An offset at or below one that was folded already changes nothing. */
  evolve(state: State, event: SeamEvent, position: EventPosition): State;
  /** The answer as plain data, in canonical order. */
  read(state: State): Answer;
}

/** How far each partition has been folded: makes a second reading of the same offsets harmless. */
export class FoldedOffsets {
  private readonly next = new Map<string, number>();

  /** Whether the position is new; if so it counts as folded from now on. */
  advance({ topic, partition, offset }: EventPosition): boolean {
    const name = `${topic}/${partition}`;
    if (offset < (this.next.get(name) ?? 0)) return false;
    this.next.set(name, offset + 1);
    return true;
  }
}

/**
 * Which candidates of which groups were met. A group of which all candidates were met is kept as its id alone, so memory
 * grows with groups, not with candidates.
 */
export class MetCandidates {
  private readonly open = new Map<string, Set<number>>();
  private readonly complete = new Set<string>();

  /** Whether this candidate is met for the first time. */
  meet(groupId: string, candidateIndex: number, groupSize: number): boolean {
    if (this.complete.has(groupId)) return false;
    const met = this.open.get(groupId) ?? new Set();
    if (met.has(candidateIndex)) return false;
    met.add(candidateIndex);
    if (met.size < groupSize) this.open.set(groupId, met);
    else {
      this.open.delete(groupId);
      this.complete.add(groupId);
    }
    return true;
  }
}

/** Entries in the order of their names by code unit, which is the same everywhere. */
export function sortedEntries<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => compareText(a, b));
}
