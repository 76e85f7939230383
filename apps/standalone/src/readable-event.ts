import type { EventLog, LogRecord } from '@seamstream/event-log';
import { decodeEvent, type EncodedRecord, type SeamEvent, type TopicName } from '@seamstream/events';
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

/** All events of topics that are there now, with their records: topic by topic, partition by partition. */
export async function* readableEvents(
  log: EventLog,
  topics: readonly TopicName[],
): AsyncGenerator<{ readonly event: SeamEvent; readonly record: LogRecord }> {
  for (const topic of topics) {
    for (const { partition, low, high } of await log.watermarks(topic)) {
      for await (const records of log.read({ topic, partition, from: low, to: high })) {
        for (const record of records) {
          const event = readableEvent(record);
          if (event !== undefined) yield { event, record };
        }
      }
    }
  }
}
