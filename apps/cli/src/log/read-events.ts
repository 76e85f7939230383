import type { EventLog } from '@seamstream/event-log';
import type { SeamEvent } from '@seamstream/events';
import { decodeRecord } from './decode-record.js';
import { readMerged } from './read-merged.js';
import { storedRanges } from './stored-ranges.js';

/** All events of a topic in the order of time, up to its end at the time of the call; records that are none are passed over. */
export async function* readEvents(log: EventLog, topic: string, onRecord?: () => void): AsyncIterable<SeamEvent> {
  for await (const record of readMerged(log, await storedRanges(log, topic))) {
    const decoded = decodeRecord(record);
    onRecord?.();
    if ('event' in decoded) yield decoded.event;
  }
}
