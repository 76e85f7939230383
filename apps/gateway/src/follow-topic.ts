/** A topic, followed for as long as the gateway runs: records as they come, or a state in memory that knows what is stored. */
import type { EventLog, LogRecord } from '@seamstream/event-log';
import type { SeamEvent, TopicName } from '@seamstream/events';
import { isSeamError, sleep } from '@seamstream/kernel';
import { decodeRecord, type PlacedEvent, rangesSince, readEvents, storedRanges } from '@seamstream/log-reader';

/** Before the log is followed again after an outage. */
const AGAIN_AFTER_MS = 500;

export interface TopicFollower {
  readonly topic: TopicName;
  /** Older records are not read; all where absent. Milliseconds since the Unix epoch. */
  readonly sinceMs?: number;
  /** Events of one partition in their order, also with their places. */
  readonly apply: (events: readonly SeamEvent[], placed: readonly PlacedEvent[]) => void;
}

/**
 * Resolves when everything that is stored now was applied. Undecodable records are skipped.
 * @returns the following, which ends with the signal
 */
export async function followTopic(
  log: EventLog,
  { topic, sinceMs, apply }: TopicFollower,
  signal: AbortSignal,
): Promise<{ readonly reading: Promise<void> }> {
  const stored = await storedRanges(log, topic);
  const ranges = sinceMs === undefined ? stored : await rangesSince(log, stored, sinceMs);
  // Up to the end that was taken, not to the last record: a log of Kafka's has offsets without a record.
  for await (const { events } of readEvents(log, ranges, { undecodable: 'skip', signal }))
    apply(
      events.map(({ event }) => event),
      events,
    );
  const next = new Map(stored.map(({ partition, to }) => [partition, to]));
  const take = (records: readonly LogRecord[]): void => {
    const placed = records.map(decodeRecord).filter((each) => 'event' in each);
    apply(
      placed.map(({ event }) => event),
      placed,
    );
  };
  return { reading: followRecords(log, { topic, next, take }, signal) };
}

/**
 * Takes what is appended until the signal aborts, over outages of the log.
 * @param next offset of the next record by partition; it moves on as records are taken
 */
export async function followRecords(
  log: EventLog,
  {
    topic,
    next,
    take,
  }: {
    readonly topic: TopicName;
    readonly next: Map<number, number>;
    readonly take: (records: readonly LogRecord[]) => void;
  },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const from = [...next].map(([partition, nextOffset]) => ({ topic, partition, nextOffset }));
    try {
      for await (const records of log.follow({ topics: [topic], from, signal })) {
        for (const { partition, offset } of records) next.set(partition, offset + 1);
        take(records);
      }
    } catch (error) {
      if (!isSeamError(error) || !error.retryable) throw error;
      await sleep(AGAIN_AFTER_MS, signal);
    }
  }
}
