/** Waits for the experiences of requests under way: one reader of the log for all of them. */
import type { ConsumedOffset, EventLog } from '@seamstream/event-log';
import { type EventOf, TOPIC } from '@seamstream/events';
import { isSeamError, sleep } from '@seamstream/kernel';
import { decodeRecord } from '@seamstream/log-reader';

type Generated = EventOf<'ExperienceGenerated'>;

/** Before the log is followed again after an outage. */
const AGAIN_AFTER_MS = 500;

export class ExperienceArrivals {
  /** By problem: the key of the records, so that those of others are not decoded. */
  private readonly waiting = new Map<string, (experience: Generated | null) => void>();
  private readonly next = new Map<number, number>();

  private constructor(private readonly log: EventLog) {}

  /** Ready to see whatever is appended from now on. @returns the arrivals, and the reading, which ends with the signal */
  static async open(log: EventLog, signal: AbortSignal): Promise<[ExperienceArrivals, Promise<void>]> {
    const arrivals = new ExperienceArrivals(log);
    for (const { partition, high } of await log.watermarks(TOPIC.experiences)) arrivals.next.set(partition, high);
    return [arrivals, arrivals.read(signal)];
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

  private async read(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const records of this.log.follow({ topics: [TOPIC.experiences], from: this.places(), signal })) {
          for (const record of records) {
            this.next.set(record.partition, record.offset + 1);
            const resolve = record.key === null ? undefined : this.waiting.get(record.key);
            if (resolve === undefined) continue;
            const decoded = decodeRecord(record);
            if ('event' in decoded && decoded.event.type === 'ExperienceGenerated') resolve(decoded.event);
          }
        }
      } catch (error) {
        // Requests go on without experiences meanwhile, and say so.
        if (!isSeamError(error) || !error.retryable) throw error;
        await sleep(AGAIN_AFTER_MS, signal).catch(() => undefined);
      }
    }
  }

  private places(): readonly ConsumedOffset[] {
    return [...this.next].map(([partition, nextOffset]) => ({ topic: TOPIC.experiences, partition, nextOffset }));
  }
}
