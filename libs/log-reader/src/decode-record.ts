import type { LogRecord } from '@seamstream/event-log';
import { decodeEvent, type SeamEvent } from '@seamstream/events';
import { isSeamError, messageOf } from '@seamstream/kernel';

/** Why a record is no event. */
export interface RecordFault {
  readonly code: string;
  readonly message: string;
}

/** A record's event, or why it has none. */
export type DecodedRecord =
  | { readonly record: LogRecord; readonly event: SeamEvent }
  | { readonly record: LogRecord; readonly fault: RecordFault };

/** The record's event, or the fault that its reader would report. Never throws: a view shows poison records too. */
export function decodeRecord(record: LogRecord): DecodedRecord {
  try {
    return { record, event: decodeEvent(record) };
  } catch (error) {
    return { record, fault: { code: isSeamError(error) ? error.code : 'INTERNAL', message: messageOf(error) } };
  }
}
