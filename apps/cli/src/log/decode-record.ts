import type { LogRecord } from '@seamstream/event-log';
import { decodeEvent } from '@seamstream/events';
import { isSeamError, messageOf } from '@seamstream/kernel';
import type { DecodedRecord } from '../tail/event-line.js';

/** The record's event, or the fault that its reader would report. Never throws: a view shows poison records too. */
export function decodeRecord(record: LogRecord): DecodedRecord {
  try {
    return { record, event: decodeEvent(record) };
  } catch (error) {
    return { record, fault: { code: isSeamError(error) ? error.code : 'INTERNAL', message: messageOf(error) } };
  }
}
