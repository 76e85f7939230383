/** Answers that no verifier judges and that are not settled: they wait for feedback, or for their deadline. */
import { TOPIC, tenantsAttempt } from '@seamstream/events';
import { type Cells, MemoryCells } from './cells.js';
import { advance, type FoldedOffsets, type KeptProjection } from './projection.js';

export interface WaitingAnswersState {
  readonly folded: FoldedOffsets;
  /** The attempts of tenants that were answered or settled. */
  readonly cells: Cells;
  /** By attempt of a tenant the end of the time in which feedback on it counts. */
  readonly waiting: Map<string, number>;
}

export interface WaitingAnswers {
  readonly answers: number;
  /** When the time of the first of them is over, in milliseconds since the Unix epoch; null where none waits. */
  readonly firstEndsAt: number | null;
}

export const waitingAnswersProjection: KeptProjection<WaitingAnswersState, WaitingAnswers> = {
  name: 'waiting',
  topics: [TOPIC.answers],

  initialState: (cells = new MemoryCells()) => ({ folded: new Map(), cells, waiting: new Map() }),

  evolve(state, event, position) {
    if (!advance(state.folded, position)) return state;
    if (event.type === 'AnswerSettled') {
      const attempt = tenantsAttempt(event);
      state.cells.set(attempt, '');
      state.waiting.delete(attempt);
    } else if (event.type === 'AnswerRecorded') {
      const attempt = tenantsAttempt(event);
      if (state.cells.get(attempt) !== undefined) return state;
      state.cells.set(attempt, '');
      state.waiting.set(attempt, event.feedbackUntil);
    }
    return state;
  },

  read: ({ waiting }) => ({
    answers: waiting.size,
    firstEndsAt: waiting.values().reduce<number | null>((first, end) => Math.min(first ?? end, end), null),
  }),
};
