/** A record of a batch, decoded, and whether the consumer is to be asked about it. */
import type { LogRecord } from '@seamstream/event-log';
import { decodeEvent, type SeamEvent } from '@seamstream/events';
import { isSeamError, messageOf } from '@seamstream/kernel';
import type { Fault } from './dead-letter.js';

export interface Item {
  readonly record: LogRecord;
  readonly event: SeamEvent | undefined;
  /** Set once the record is given up. */
  readonly fault: Fault | undefined;
  /** The log already holds what follows from it, or an equal record before it is being answered. */
  readonly isAnswered: boolean;
}

/** A record that does not decode is given up at once. */
export function decodedItem(record: LogRecord): Item {
  try {
    return { record, event: decodeEvent(record), fault: undefined, isAnswered: false };
  } catch (error) {
    const code = isSeamError(error) ? error.code : 'MALFORMED_RECORD';
    return { record, event: undefined, fault: { code, reason: messageOf(error), attempts: 1 }, isAnswered: false };
  }
}

/** Whether the consumer is to be asked. */
export function isAlive({ event, fault, isAnswered }: Item): boolean {
  return event !== undefined && fault === undefined && !isAnswered;
}

/** Items from the front, up to and with so many that the consumer is to be asked about. */
export function upTo(items: readonly Item[], count: number): readonly Item[] {
  let alive = 0;
  const end = items.findIndex((item) => isAlive(item) && ++alive === count);
  return end < 0 ? items : items.slice(0, end + 1);
}

/** Offset after the last of them. */
export function offsetAfter(items: readonly Item[]): number {
  return items.at(-1)!.record.offset + 1;
}
