/**
 * Answers that no verifier judges and that are not settled: they wait for feedback, or for their deadline.
 *
 * Any client with access to seam.answers may append an end. One counts once the result that it names is in seam.outcomes, as for who ends
 * waits (libs/evidence/src/written-results.ts). An answer under another id than follows from its entry can get no end, and does not wait.
 */
import { partitionName } from '@seamstream/event-log';
import { type EventMeta, type EventOf, type SeamEvent, TOPIC, tenantOf } from '@seamstream/events';
import { expectedEnd, isEndOf } from '@seamstream/evidence';
import { derivedId } from '@seamstream/kernel';
import { type Cells, MemoryCells } from './cells.js';
import { advance, type FoldedOffsets, type KeptProjection } from './projection.js';

interface Wait {
  /** The end of the time in which feedback counts. */
  readonly until: number;
  readonly resultId: string;
  /** When it ended, as an end says whose result was not seen yet; null: no end was seen. */
  readonly endedAt: number | null;
}

export interface WaitingAnswersState {
  readonly folded: FoldedOffsets;
  /** Answers that were met, and results: the answer that ends with one, until it is there. */
  readonly cells: Cells;
  /** By answer of a tenant. */
  readonly waiting: Map<string, Wait>;
  /** Results before this time may be in the log no more. */
  resultsSinceMs: number;
}

export interface WaitingAnswers {
  readonly answers: number;
  /** When the time of the first of them is over, in milliseconds since the Unix epoch; null where none waits. */
  readonly firstEndsAt: number | null;
}

export const waitingAnswersProjection: KeptProjection<WaitingAnswersState, WaitingAnswers> = {
  name: 'waiting',
  topics: [TOPIC.answers, TOPIC.outcomes],

  initialState: (cells = new MemoryCells()) => ({
    ...{ folded: new Map(), cells, waiting: new Map(), resultsSinceMs: 0 },
  }),

  evolve(state, event, position) {
    const isFirst = !state.folded.has(partitionName(position.topic, position.partition));
    if (!advance(state.folded, position)) return state;
    if (isFirst && position.topic === TOPIC.outcomes && position.offset > 0)
      state.resultsSinceMs = Math.max(state.resultsSinceMs, event.meta.occurredAt);
    if (event.type === 'AnswerRecorded') answered(state, event);
    else if (event.type === 'AnswerSettled') settled(state, event);
    else if (isResultOfAnswer(event)) resulted(state, event.meta);
    return state;
  },

  read({ waiting, resultsSinceMs }) {
    const open = [...waiting.values()].filter(({ endedAt }) => endedAt === null || endedAt >= resultsSinceMs);
    return {
      answers: open.length,
      firstEndsAt: open.reduce<number | null>((first, { until }) => Math.min(first ?? until, until), null),
    };
  },
};

function answered({ cells, waiting }: WaitingAnswersState, event: EventOf<'AnswerRecorded'>): void {
  const { meta, experienceId, feedbackUntil } = event;
  if (meta.causationId !== experienceId || meta.messageId !== derivedId(experienceId, 'answer')) return;
  const name = nameOf(meta, meta.messageId);
  if (cells.get(name) !== undefined) return;
  cells.set(name, '');
  waiting.set(name, { until: feedbackUntil, resultId: expectedEnd(event).resultId, endedAt: null });
}

/** An end is in the partition of its answer, behind it. */
function settled({ cells, waiting }: WaitingAnswersState, event: EventOf<'AnswerSettled'>): void {
  const { meta } = event;
  const answerId = meta.causationId ?? '';
  const name = nameOf(meta, answerId);
  const wait = waiting.get(name);
  if (wait === undefined || !isEndOf(event, { answerId, resultId: wait.resultId })) return;
  const result = nameOf(meta, wait.resultId);
  if (cells.get(result) === undefined) {
    cells.set(result, name);
    waiting.set(name, { ...wait, endedAt: meta.occurredAt });
  } else waiting.delete(name);
}

function resulted({ cells, waiting }: WaitingAnswersState, meta: EventMeta): void {
  const result = nameOf(meta, meta.messageId);
  waiting.delete(cells.get(result) ?? '');
  cells.set(result, '');
}

const isResultOfAnswer = (event: SeamEvent): boolean =>
  event.type === 'AttemptUngraded' || (event.type === 'OutcomeRecorded' && event.feedbackId !== null);

const nameOf = (meta: EventMeta, id: string): string => `${tenantOf(meta)}/${id}`;
