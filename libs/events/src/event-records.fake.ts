/** Example events as the records of a log. */
import { isSeamError, type SeamError } from '@seamstream/kernel';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { encodeEvent } from './codec.js';
import type { EncodedRecord } from './codec-errors.js';
import { type SeamEvent, TOPIC_OF } from './generated/events.generated.js';

export const EXAMPLES: readonly SeamEvent[] = Object.values(EXAMPLE_EVENTS);
export const outcome = EXAMPLE_EVENTS.OutcomeRecorded;

/** The record of an event as a log would hand it out, with other bytes if wanted. */
export const recordOf = (event: SeamEvent, value: Uint8Array | null = encodeEvent(event).value): EncodedRecord => ({
  topic: TOPIC_OF[event.type],
  partition: 2,
  offset: 77,
  value,
});

export const failureOf = (action: () => unknown): SeamError => {
  try {
    action();
  } catch (error) {
    if (isSeamError(error)) return error;
    throw error;
  }
  throw new Error('expected an error');
};
