/**
 * What all read models have in common: a fold over the log's events that copes with every fact, in any
 * order of reading partitions. Only the order within a partition is given; any interleaving of partitions gives the same answer.
 *
 * A fold changes its state in place and returns it, because it sees millions of events: the state belongs to one reader
 * and is handed out only as an answer.
 */
import { partitionName } from '@seamstream/event-log';
import type { SeamEvent } from '@seamstream/events';
import { compareText } from '@seamstream/kernel';

import type { Cells } from './cells.js';

/** The place of an event in the log. */
export interface EventPosition {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

export interface Projection<State, Answer> {
  /** The topics that it folds; events of others change nothing. */
  readonly topics: readonly string[];
  /** @param cells where it keeps what it remembers of each of many things; in memory where absent */
  initialState(cells?: Cells): State;
  /** The state after the event. An offset at or below one that was folded already changes nothing. */
  evolve(state: State, event: SeamEvent, position: EventPosition): State;
  /** The answer as plain data, in canonical order. */
  read(state: State): Answer;
}

/**
 * A projection that can be written down and taken up again: its state is plain data (what `structuredClone` takes) next to `cells`. Others
 * are folded afresh each time.
 */
export interface KeptProjection<State extends object, Answer> extends Projection<State, Answer> {
  /** Lower-case, the name of what is written down. */
  readonly name: string;
}

/** How far each partition has been folded, by its name: makes a second reading of the same offsets harmless. */
export type FoldedOffsets = Map<string, number>;

/** Whether the position is new; if so it counts as folded from now on. */
export function advance(folded: FoldedOffsets, { topic, partition, offset }: EventPosition): boolean {
  const name = partitionName(topic, partition);
  if (offset < (folded.get(name) ?? 0)) return false;
  folded.set(name, offset + 1);
  return true;
}

/** Entries in the order of their names by code unit, which is the same everywhere. */
export function sortedEntries<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => compareText(a, b));
}

/** A position as text, for keys. */
export const placeOf = ({ topic, partition, offset }: EventPosition): string => `${topic}/${partition}/${offset}`;

/** In the order of topics, partitions and offsets. */
export function comparePlaces(a: EventPosition, b: EventPosition): number {
  return compareText(a.topic, b.topic) || a.partition - b.partition || a.offset - b.offset;
}
