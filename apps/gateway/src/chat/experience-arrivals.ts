/** Waits for the experiences of requests under way: one reader of the log for all of them. */
import type { EventLog, LogRecord } from '@seamstream/event-log';
import { type EventOf, TOPIC } from '@seamstream/events';
import { decodeRecord } from '@seamstream/log-reader';
import { followRecords } from '../follow-topic.js';

type Generated = EventOf<'ExperienceGenerated'>;

export class ExperienceArrivals {
  /** By problem: the key of the records, so that those of others are not decoded. */
  private readonly waiting = new Map<string, (experience: Generated | null) => void>();

  /** Ready to see all that is appended from now on. @returns the arrivals, and the reading, which ends with the signal */
  static async open(log: EventLog, signal: AbortSignal): Promise<[ExperienceArrivals, Promise<void>]> {
    const arrivals = new ExperienceArrivals();
    const marks = await log.watermarks(TOPIC.experiences);
    const next = new Map(marks.map(({ partition, high }) => [partition, high]));
    const take = (records: readonly LogRecord[]): void => arrivals.take(records);
    // Requests continue without experiences while the log is out of reach, and say so.
    return [arrivals, followRecords(log, { topic: TOPIC.experiences, next, take }, signal)];
  }

  /**
   * The experience of a problem; null where none came in time, or the signal aborted. To be called before the problem is published.
   * @param within milliseconds, which begin with the returned `wait`
   */
  expect(problemId: string, signal: AbortSignal): { readonly wait: (within: number) => Promise<Generated | null> } {
    const { promise, resolve } = Promise.withResolvers<Generated | null>();
    this.waiting.set(problemId, resolve);
    const wait = async (within: number): Promise<Generated | null> => {
      const giveUp = (): void => resolve(null);
      const timer = setTimeout(giveUp, within);
      signal.addEventListener('abort', giveUp, { once: true });
      if (signal.aborted) giveUp();
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        this.waiting.delete(problemId);
      }
    };
    return { wait };
  }

  private take(records: readonly LogRecord[]): void {
    for (const record of records) {
      const resolve = record.key === null ? undefined : this.waiting.get(record.key);
      if (resolve === undefined) continue;
      const decoded = decodeRecord(record);
      if ('event' in decoded && decoded.event.type === 'ExperienceGenerated') resolve(decoded.event);
    }
  }
}
