/** A topic as a state in memory: what is stored is read first, and what is appended later as it comes. */
import type { EventLog } from '@seamstream/event-log';
import type { SeamEvent, TopicName } from '@seamstream/events';
import { isSeamError, sleep } from '@seamstream/kernel';
import { decodeRecord, readEvents, storedRanges } from '@seamstream/log-reader';

/** Before the log is followed again after an outage. */
const AGAIN_AFTER_MS = 500;

export interface TopicFollower {
  readonly topic: TopicName;
  /** Older records are not read; all where absent. Milliseconds since the Unix epoch. */
  readonly sinceMs?: number;
  /** Events of one partition in their order. */
  readonly apply: (events: readonly SeamEvent[]) => void;
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
  const next = new Map<number, number>();
  for (const range of await storedRanges(log, topic)) {
    const since = sinceMs === undefined ? range.from : await log.offsetForTime(topic, range.partition, sinceMs);
    const from = Math.max(range.from, since);
    // Up to the end that was taken, not to the last record: a log of Kafka's has offsets without a record.
    for await (const { events } of readEvents(log, [{ ...range, from }], { undecodable: 'skip', signal }))
      apply(events.map(({ event }) => event));
    next.set(range.partition, range.to);
  }
  return { reading: follow(log, topic, next, apply, signal) };
}

async function follow(
  log: EventLog,
  topic: TopicName,
  next: Map<number, number>,
  apply: TopicFollower['apply'],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const from = [...next].map(([partition, nextOffset]) => ({ topic, partition, nextOffset }));
    try {
      for await (const records of log.follow({ topics: [topic], from, signal })) {
        const decoded = records.map(decodeRecord);
        for (const { partition, offset } of records) next.set(partition, offset + 1);
        apply(decoded.flatMap((each) => ('event' in each ? [each.event] : [])));
      }
    } catch (error) {
      if (!isSeamError(error) || !error.retryable) throw error;
      await sleep(AGAIN_AFTER_MS, signal);
    }
  }
}
