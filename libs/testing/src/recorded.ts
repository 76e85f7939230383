/** What a log holds, for expectations. */
import type { EventLog, LogRecord } from '@seamstream/event-log';
import { decodeEvent, type EventOf, type SeamEvent, TOPIC_OF } from '@seamstream/events';
import { type Patience, until } from './eventually.js';
import { openLog, type World } from './in-memory-world.js';

/** All records of a topic that are still there, partition by partition. */
export async function recordsOf(log: EventLog, topic: string): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for (const { partition, low } of await log.watermarks(topic))
    for await (const chunk of log.read({ topic, partition, from: low })) records.push(...chunk);
  return records;
}

/**
 * All events of a type in a log or in the log of a world, from the topic that it belongs to. Tombstones are left out.
 * @throws SeamError when a record is not an event
 */
export async function eventsOf<T extends SeamEvent['type']>(
  source: EventLog | Pick<World, 'storage'>,
  type: T,
): Promise<EventOf<T>[]> {
  const log = 'watermarks' in source ? source : await openLog(source);
  const records = await recordsOf(log, TOPIC_OF[type]);
  const events = records.filter(({ value }) => value !== null).map(decodeEvent);
  return events.filter((event): event is SeamEvent & EventOf<T> => event.type === type);
}

/** How many records a topic has had, over all partitions. */
export const totalRecords = async (log: EventLog, topic: string): Promise<number> =>
  (await log.watermarks(topic)).reduce((sum, { high }) => sum + high, 0);

/** How many records a group has committed, over all topics and partitions. */
export const committedRecords = async (log: EventLog, group: string): Promise<number> =>
  (await log.committedOffsets(group)).reduce((sum, { nextOffset }) => sum + nextOffset, 0);

/** Waits until a group has committed all of a topic. The group must consume that topic alone. */
export const untilConsumed = (
  log: EventLog,
  { group, topic, ...patience }: Patience & { readonly group: string; readonly topic: string },
): Promise<void> =>
  until(
    async () => (await committedRecords(log, group)) === (await totalRecords(log, topic)),
    `${group} to consume all of ${topic}`,
    patience,
  );
