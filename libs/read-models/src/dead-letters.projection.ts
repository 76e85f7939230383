/** The records that consumers gave up, each once per consumer group, without their bytes: those stay in the log. */
import { TOPIC } from '@seamstream/events';
import { advance, type EventPosition, type FoldedOffsets, type Projection, sortedEntries } from './projection.js';

export interface DeadLetter extends EventPosition {
  /** The consumer group that gave up. */
  readonly group: string;
  readonly key: string | null;
  readonly code: string;
  readonly reason: string;
  readonly attempts: number;
  /** Length of the value; null is a tombstone. */
  readonly valueBytes: number | null;
  /** Milliseconds since the Unix epoch. */
  readonly deadLetteredAt: number;
  /** Where the dead letter itself stands, with the bytes. */
  readonly letter: EventPosition;
}

export interface DeadLettersState {
  readonly folded: FoldedOffsets;
  readonly letters: Map<string, DeadLetter>;
}

export interface DeadLetters {
  /** By topic, partition, offset and group. */
  readonly letters: readonly DeadLetter[];
  readonly byCode: Readonly<Record<string, number>>;
}

export const deadLettersProjection: Projection<DeadLettersState, DeadLetters> = {
  topics: [TOPIC.deadLetters],

  initialState: () => ({ folded: new Map(), letters: new Map() }),

  evolve(state, event, position) {
    if (!advance(state.folded, position) || event.type !== 'DeadLettered') return state;
    const { topic, partition, offset, group, key, code, reason, attempts, value, meta } = event;
    const id = `${topic}/${String(partition).padStart(10, '0')}/${String(offset).padStart(16, '0')}/${group}`;
    const letter = { topic: position.topic, partition: position.partition, offset: position.offset };
    // Letters about a record without a key may be in any partition: of several, the same one counts for every reader.
    const other = state.letters.get(id)?.letter;
    if (other !== undefined && (other.partition - letter.partition || other.offset - letter.offset) <= 0) return state;
    state.letters.set(id, {
      topic,
      partition,
      offset,
      group,
      key,
      code,
      reason,
      attempts,
      valueBytes: value?.length ?? null,
      deadLetteredAt: meta.occurredAt,
      letter,
    });
    return state;
  },

  read({ letters }) {
    const list = sortedEntries(letters).map(([, letter]) => letter);
    const byCode = new Map<string, number>();
    for (const { code } of list) byCode.set(code, (byCode.get(code) ?? 0) + 1);
    return { letters: list, byCode: Object.fromEntries(sortedEntries(byCode)) };
  },
};
