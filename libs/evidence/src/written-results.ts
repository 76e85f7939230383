/**
 * Which ends of waits have their result. The executor's service writes both in one transaction, so an end alone is a client's word: an attempt
 * that it ended would have no result for ever, and lift would wait for one.
 *
 * A result is near the time of its end. Reading begins a little before, and stops behind it.
 */
import { type EventLog, partitionForKey } from '@seamstream/event-log';
import { type EventOf, TOPIC } from '@seamstream/events';
import { readEvents } from '@seamstream/log-reader';

/** Both are stamped at once, perhaps in two steps of one process. */
const APART_MS = 5_000;
/** Later records in a row behind which reading stops: one alone may have a wrong clock. */
const LATER_IN_A_ROW = 1_000;

/** An end, and when it was appended. */
export interface WrittenEnd {
  readonly event: Pick<EventOf<'AnswerSettled'>, 'problemId' | 'resultId'>;
  readonly timestampMs: number;
}

export class WrittenResults {
  /** Of the topic: their number never changes while a log lives. */
  private partitions: number | undefined;

  constructor(private readonly log: EventLog) {}

  /** Those of the ends whose result is in the log, or may have been: what was before its first record is not known. */
  async borneOut<End extends WrittenEnd>(ends: readonly End[]): Promise<ReadonlySet<End>> {
    const found = new Set<End>();
    if (ends.length === 0) return found;
    const marks = await this.log.watermarks(TOPIC.outcomes);
    this.partitions ??= marks.length;
    const byPartition = Map.groupBy(ends, ({ event }) => partitionForKey(event.problemId, this.partitions!));
    for (const [partition, own] of byPartition) {
      const { low = 0, high = 0 } = marks.find((each) => each.partition === partition) ?? {};
      await this.find(own, { partition, low, high }, found);
    }
    return found;
  }

  private async find<End extends WrittenEnd>(
    ends: readonly End[],
    { partition, low, high }: { readonly partition: number; readonly low: number; readonly high: number },
    found: Set<End>,
  ): Promise<void> {
    const topic = TOPIC.outcomes;
    const times = ends.map(({ timestampMs }) => timestampMs);
    const [firstMs, lastMs] = [Math.min(...times) - APART_MS, Math.max(...times) + APART_MS];
    const from = await this.log.offsetForTime(topic, partition, Math.max(0, firstMs));
    if (low > 0 && from <= low) {
      for (const end of ends) found.add(end);
      return;
    }
    const wanted = Map.groupBy(ends, ({ event }) => event.resultId);
    const keys = new Set<string | null>(ends.map(({ event }) => event.problemId));
    const options = { undecodable: 'skip', wants: ({ key }: { key: string | null }) => keys.has(key) } as const;
    let later = 0;
    for await (const { events, records } of readEvents(this.log, [{ topic, partition, from, to: high }], options)) {
      for (const { event } of events) {
        if (event.type !== 'OutcomeRecorded' && event.type !== 'AttemptUngraded') continue;
        for (const end of wanted.get(event.meta.messageId) ?? []) found.add(end);
        wanted.delete(event.meta.messageId);
      }
      for (const { timestampMs } of records) later = timestampMs > lastMs ? later + 1 : 0;
      if (wanted.size === 0 || later >= LATER_IN_A_ROW) return;
    }
  }
}
