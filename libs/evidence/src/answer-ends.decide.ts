/** Which record ends the wait of an answer for feedback. Pure. */
import { type EventOf, resultRole } from '@seamstream/events';
import { derivedId } from '@seamstream/kernel';

/** What an end has to name. */
export interface ExpectedEnd {
  readonly answerId: string;
  /** Of the result that is written with the end. */
  readonly resultId: string;
}

export function expectedEnd({ meta, attemptId }: EventOf<'AnswerRecorded'>): ExpectedEnd {
  return { answerId: meta.messageId, resultId: derivedId(meta.causationId ?? '', resultRole({ attemptId })) };
}

/** Whether an answer's wait ends with this event, or any client only says so. */
export function isEndOf(
  { meta, resultId }: EventOf<'AnswerSettled'>,
  { answerId, resultId: expected }: ExpectedEnd,
): boolean {
  return meta.causationId === answerId && meta.messageId === derivedId(answerId, 'settled') && resultId === expected;
}
