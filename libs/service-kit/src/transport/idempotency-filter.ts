/**
 * What a group has answered already, so that a repeated record is skipped instead of worked on. A record may have been
 * published twice, and all of them are repeated when the group's offsets were lost or set back.
 *
 * At the beginning of a claim the answers are read from the log: all that can follow from the claim's first record or a later
 * one, since an answer is appended after its cause, and a tail before that, for causes that were written twice. From then on
 * they are remembered as they are committed. A cause that went to the dead letters counts as unanswered: it may be redriven.
 * Where clocks differ by more than the margin a repeated record may be worked on again, under the same ids.
 *
 * A record is not answered because another one names it as its cause: anybody who may append could keep it from its answer. The
 * consumer says which of them are answers (answers-in.ts), when the cause comes. So only their places are kept until then
 * (claimed-causes.ts). The others are reported, and the record is worked on.
 */
import {
  type Claim,
  type EventLog,
  type LogRecord,
  type RecordBatch,
  type RecordPosition,
  stretchesOf,
} from '@seamstream/event-log';
import { decodeEvent, type SeamEvent, tenantOf } from '@seamstream/events';
import { isSeamError } from '@seamstream/kernel';
import type { AnswersIn } from './answers-in.js';
import type { Item } from './batch-item.js';
import { ClaimedCauses } from './claimed-causes.js';

/** Records of one partition that are read in addition, before the first that can be an answer. */
const TAIL_RECORDS = 2_000;
/** Causes of one partition that are remembered, besides those that were read. */
const REMEMBERED = 20_000;
/** How far the clock of the answering process may be behind that of the asking one. */
const CLOCK_MARGIN_MS = 10 * 60_000;

/** What the log says of items. */
interface Looked {
  readonly answered: ReadonlySet<Item>;
  /** Records that name one of them as their cause without being an answer. */
  readonly foreign: readonly RecordPosition[];
}

/** Which records of one partition were answered, as far as the current claim knows. */
export class AnsweredRecords {
  private known: { readonly claim: Claim; readonly causes: IdempotencyFilter } | undefined;

  constructor(
    private readonly log: EventLog,
    private readonly answersIn: AnswersIn,
  ) {}

  isKnownUnder(claim: Claim): boolean {
    return this.known?.claim === claim;
  }

  /**
   * Reads what was answered before the first batch of a claim.
   * @throws as the log does
   */
  async read(batch: RecordBatch): Promise<void> {
    this.known = { claim: batch.claim, causes: await IdempotencyFilter.before(this.log, this.answersIn, batch) };
  }

  /**
   * The items, of which those are marked that were answered before, or follow an equal one; and what names one of them
   * as its cause without being an answer. To be called once it is known.
   * @throws as the log does
   */
  async marked(
    items: readonly Item[],
  ): Promise<{ readonly items: readonly Item[]; readonly foreign: readonly RecordPosition[] }> {
    const { causes } = this.known!;
    const { answered, foreign } = await causes.look(items);
    const first = new Set<string>();
    const marked = items.map((item) => {
      if (item.event === undefined) return item;
      const name = nameOf(item.event);
      const isAnswered = answered.has(item) || causes.has(name) || first.has(name);
      first.add(name);
      return isAnswered ? { ...item, isAnswered } : item;
    });
    return { items: marked, foreign };
  }

  /** Of a cause whose answer is committed. */
  add(event: SeamEvent): void {
    this.known?.causes.add(nameOf(event));
  }
}

/** Equal for records of one event: it names the tenant and what the event is about, so that no id of another one takes its place. */
function nameOf(event: SeamEvent): string {
  const { messageId, correlationId } = event.meta;
  const problemId = 'problem' in event ? event.problem.problemId : '';
  return JSON.stringify([tenantOf(event.meta), messageId, correlationId, problemId]);
}

class IdempotencyFilter {
  private readonly claimed = new ClaimedCauses();
  private readonly committed = new Set<string>();

  private constructor(
    private readonly log: EventLog,
    private readonly recognise: AnswersIn['recognise'],
  ) {}

  /** @param batch the first one of a claim */
  static async before(log: EventLog, { topics, recognise }: AnswersIn, batch: RecordBatch): Promise<IdempotencyFilter> {
    const { topic, partition, records } = batch;
    const filter = new IdempotencyFilter(log, recognise);
    const sinceMs = records[0]!.timestampMs - CLOCK_MARGIN_MS;
    const { length: partitions } = await log.watermarks(topic);
    for (const answerTopic of topics) {
      const marks = await log.watermarks(answerTopic);
      // Equal keys are in equal partitions where both topics have equally many.
      const own = marks.length === partitions ? marks.filter((each) => each.partition === partition) : marks;
      for (const { partition: from, low, high } of own) {
        const begin = Math.max(low, Math.min(await log.offsetForTime(answerTopic, from, sinceMs), high - TAIL_RECORDS));
        if (begin >= high) continue;
        filter.claimed.begin({ topic: answerTopic, partition: from });
        for await (const chunk of log.read({ topic: answerTopic, partition: from, from: begin, to: high }))
          for (const record of chunk) filter.note(record);
      }
    }
    return filter;
  }

  /** Reads again what names items as its cause. */
  async look(items: readonly Item[]): Promise<Looked> {
    const [answered, foreign] = [new Set<Item>(), [] as RecordPosition[]];
    const named = Map.groupBy(
      items.filter(({ event }) => event !== undefined),
      ({ event }) => event!.meta.messageId,
    );
    for await (const { record, position } of recordsAt(this.log, this.claimed.placesOf(named.keys()))) {
      const event = decoded(record);
      const asked = named.get(event?.meta.causationId ?? '') ?? [];
      const answers = asked.length === 0 ? undefined : this.recognise(event!);
      if (answers === undefined) continue;
      for (const item of asked)
        if (answers(item.event!)) answered.add(item);
        else foreign.push(position);
    }
    return { answered, foreign };
  }

  has(name: string): boolean {
    return this.committed.has(name);
  }

  add(name: string): void {
    this.committed.add(name);
    if (this.committed.size <= REMEMBERED) return;
    const [oldest] = this.committed;
    this.committed.delete(oldest!);
  }

  private note(record: LogRecord): void {
    const causeId = decoded(record)?.meta.causationId ?? null;
    if (causeId !== null) this.claimed.add(causeId, record.offset);
  }
}

interface Placed {
  readonly record: LogRecord;
  readonly position: RecordPosition;
}

/** The records at these places. Those that the log has deleted meanwhile say nothing. */
async function* recordsAt(log: EventLog, places: readonly RecordPosition[]): AsyncGenerator<Placed> {
  for (const [topic, inTopic] of Map.groupBy(places, (place) => place.topic))
    for (const [partition, own] of Map.groupBy(inTopic, (place) => place.partition)) {
      const offsets = own.map(({ offset }) => offset).sort((a, b) => a - b);
      for (const stretch of stretchesOf(offsets)) yield* recordsIn(log, topic, partition, stretch);
    }
}

/** @param stretch offsets in their order, read in one go */
async function* recordsIn(
  log: EventLog,
  topic: string,
  partition: number,
  stretch: readonly number[],
): AsyncGenerator<Placed> {
  const wanted = new Set(stretch);
  try {
    for await (const chunk of log.read({ topic, partition, from: stretch[0]!, to: stretch.at(-1)! + 1 }))
      for (const record of chunk)
        if (wanted.has(record.offset)) yield { record, position: { topic, partition, offset: record.offset } };
  } catch (error) {
    const { low } = (await log.watermarks(topic))[partition]!;
    if (!isSeamError(error, 'OFFSET_OUT_OF_RANGE') || stretch[0]! >= low) throw error;
    // Deleted since its place was noted.
    const left = stretch.filter((offset) => offset >= low);
    if (left.length > 0) yield* recordsIn(log, topic, partition, left);
  }
}

/** Undefined for an unusable record: it states nothing. */
function decoded(record: LogRecord): SeamEvent | undefined {
  try {
    return decodeEvent(record);
  } catch {
    return undefined;
  }
}
