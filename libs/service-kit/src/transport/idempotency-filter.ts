/**
 * What a group has answered already, so that a repeated record is skipped instead of worked on. A record may have been
 * published twice, and all of them are repeated when the group's offsets were lost or set back.
 *
 * At the beginning of a claim the answers are read from the log: all that can follow from the claim's first record or a later
 * one, since an answer is appended after its cause, and a tail before that, for causes that were written twice. From then on
 * they are remembered as they are committed. A cause that went to the dead letters counts as unanswered: it may be redriven.
 * Where clocks differ by more than the margin a repeated record may be worked on again, under the same ids.
 */
import type { Claim, EventLog, LogRecord, RecordBatch } from '@seamstream/event-log';
import { decodeEvent, type SeamEvent, type TopicName } from '@seamstream/events';
import type { Item } from './batch-item.js';

/** Records of one partition that are read in addition, before the first that can be an answer. */
const TAIL_RECORDS = 2_000;
/** Causes of one partition that are remembered, besides those that were read. */
const REMEMBERED = 20_000;
/** How far the clock of the answering process may be behind that of the asking one. */
const CLOCK_MARGIN_MS = 10 * 60_000;

/** Which records of one partition were answered, as far as the current claim knows. */
export class AnsweredRecords {
  private known: { readonly claim: Claim; readonly causes: IdempotencyFilter } | undefined;

  /** @param answers topics that hold what follows from a record, under its key */
  constructor(
    private readonly log: EventLog,
    private readonly answers: readonly TopicName[],
  ) {}

  isKnownUnder(claim: Claim): boolean {
    return this.known?.claim === claim;
  }

  /**
   * Reads what was answered before the first batch of a claim.
   * @throws as the log does
   */
  async read(batch: RecordBatch): Promise<void> {
    this.known = { claim: batch.claim, causes: await IdempotencyFilter.before(this.log, this.answers, batch) };
  }

  /** The items, of which those are marked that were answered before, or follow an equal one. To be called once it is known. */
  marked(items: readonly Item[]): readonly Item[] {
    const { causes } = this.known!;
    const first = new Set<string>();
    return items.map((item) => {
      if (item.event === undefined) return item;
      const { messageId } = item.event.meta;
      const isAnswered = causes.has(item.event) || first.has(messageId);
      first.add(messageId);
      return isAnswered ? { ...item, isAnswered } : item;
    });
  }

  /** Of a cause whose answer is committed. */
  add(event: SeamEvent): void {
    this.known?.causes.add(event);
  }
}

class IdempotencyFilter {
  private readonly known = new Set<string>();
  private readonly limit: number;

  private constructor(read: Iterable<string>) {
    for (const cause of read) this.known.add(cause);
    this.limit = this.known.size + REMEMBERED;
  }

  /**
   * @param answers topics that hold what follows from a record, under the record's key
   * @param batch the first one of a claim
   */
  static async before(log: EventLog, answers: readonly TopicName[], batch: RecordBatch): Promise<IdempotencyFilter> {
    const { topic, partition, records } = batch;
    const sinceMs = records[0]!.timestampMs - CLOCK_MARGIN_MS;
    const { length: partitions } = await log.watermarks(topic);
    const causes: string[] = [];
    for (const answerTopic of answers) {
      const marks = await log.watermarks(answerTopic);
      // Equal keys are in equal partitions where both topics have equally many.
      const own = marks.length === partitions ? marks.filter((each) => each.partition === partition) : marks;
      for (const { partition: from, low, high } of own) {
        const begin = Math.max(low, Math.min(await log.offsetForTime(answerTopic, from, sinceMs), high - TAIL_RECORDS));
        if (begin >= high) continue;
        for await (const chunk of log.read({ topic: answerTopic, partition: from, from: begin, to: high })) {
          for (const record of chunk) causes.push(...causeOf(record));
        }
      }
    }
    return new IdempotencyFilter(causes);
  }

  has(event: SeamEvent): boolean {
    return this.known.has(event.meta.messageId);
  }

  add(event: SeamEvent): void {
    this.known.add(event.meta.messageId);
    if (this.known.size <= this.limit) return;
    const [oldest] = this.known;
    this.known.delete(oldest!);
  }
}

function causeOf(record: LogRecord): readonly string[] {
  try {
    const { causationId } = decodeEvent(record).meta;
    return causationId === null ? [] : [causationId];
  } catch {
    return []; // it states nothing
  }
}
