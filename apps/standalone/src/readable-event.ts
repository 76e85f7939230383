import { decodeEvent, type EncodedRecord, type SeamEvent } from '@seamstream/events';
import { isSeamError } from '@seamstream/kernel';

/** The record's event; undefined for one that is none of ours: its consumers send it to the dead letters. */
export function readableEvent(record: EncodedRecord): SeamEvent | undefined {
  try {
    return decodeEvent(record);
  } catch (error) {
    if (isSeamError(error)) return undefined;
    throw error;
  }
}
