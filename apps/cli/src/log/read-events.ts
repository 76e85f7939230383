import type { EventLog } from '@seamstream/event-log';
import type { SeamEvent } from '@seamstream/events';
import { decodeRecord } from './decode-record.js';
import { readMerged } from './read-merged.js';

/** All events of a topic in the order of time, up to its end at the time of the call; records that are none are passed over. */
export async function* readEvents(log: EventLog, topic: string, onRecord?: () => void): AsyncIterable<SeamEvent> {
  const marks = await log.watermarks(topic);
  const ranges = marks.map(({ partition, low, high }) => ({ topic, partition, from: low, to: high }));
  for await (const record of readMerged(log, ranges)) {
    const decoded = decodeRecord(record);
    onRecord?.();
    if ('event' in decoded) yield decoded.event;
  }
}
