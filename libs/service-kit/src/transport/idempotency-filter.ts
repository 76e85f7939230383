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
 * consumer says which of them are answers (answers-in.ts). The others are reported, and the record is worked on.
 */
import type { Claim, EventLog, LogRecord, RecordBatch, RecordPosition } from '@seamstream/event-log';
import { decodeEvent, type SeamEvent, tenantOf } from '@seamstream/events';
import type { Answers, AnswersIn } from './answers-in.js';
import type { Item } from './batch-item.js';

/** Records of one partition that are read in addition, before the first that can be an answer. */
const TAIL_RECORDS = 2_000;
/** Causes of one partition that are remembered, besides those that were read. */
const REMEMBERED = 20_000;
/** How far the clock of the answering process may be behind that of the asking one. */
const CLOCK_MARGIN_MS = 10 * 60_000;

/** A record that names another one as its cause. */
interface Claimed {
  readonly position: RecordPosition;
  readonly answers: Answers;
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
   */
  marked(items: readonly Item[]): { readonly items: readonly Item[]; readonly foreign: readonly RecordPosition[] } {
    const { causes } = this.known!;
    const first = new Set<string>();
    const foreign: RecordPosition[] = [];
    const marked = items.map((item) => {
      if (item.event === undefined) return item;
      const name = nameOf(item.event);
      const found = causes.answersTo(item.event);
      foreign.push(...found.foreign);
      const isAnswered = found.isAnswered || causes.has(name) || first.has(name);
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
  /** By the id of what they name as their cause. */
  private readonly claimed: ReadonlyMap<string, readonly Claimed[]>;
  private readonly committed = new Set<string>();

  private constructor(claimed: ReadonlyMap<string, readonly Claimed[]>) {
    this.claimed = claimed;
  }

  /** @param batch the first one of a claim */
  static async before(log: EventLog, { topics, recognise }: AnswersIn, batch: RecordBatch): Promise<IdempotencyFilter> {
    const { topic, partition, records } = batch;
    const sinceMs = records[0]!.timestampMs - CLOCK_MARGIN_MS;
    const { length: partitions } = await log.watermarks(topic);
    const claimed = new Map<string, Claimed[]>();
    for (const answerTopic of topics) {
      const marks = await log.watermarks(answerTopic);
      // Equal keys are in equal partitions where both topics have equally many.
      const own = marks.length === partitions ? marks.filter((each) => each.partition === partition) : marks;
      for (const { partition: from, low, high } of own) {
        const begin = Math.max(low, Math.min(await log.offsetForTime(answerTopic, from, sinceMs), high - TAIL_RECORDS));
        if (begin >= high) continue;
        for await (const chunk of log.read({ topic: answerTopic, partition: from, from: begin, to: high }))
          for (const record of chunk) note(claimed, answerTopic, record, recognise);
      }
    }
    return new IdempotencyFilter(claimed);
  }

  answersTo(event: SeamEvent): { readonly isAnswered: boolean; readonly foreign: readonly RecordPosition[] } {
    const named = this.claimed.get(event.meta.messageId) ?? [];
    const foreign = named.filter(({ answers }) => !answers(event)).map(({ position }) => position);
    return { isAnswered: foreign.length < named.length, foreign };
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
}

function note(
  claimed: Map<string, Claimed[]>,
  topic: string,
  record: LogRecord,
  recognise: AnswersIn['recognise'],
): void {
  const event = decoded(record);
  if (event === undefined || event.meta.causationId === null) return;
  const answers = recognise(event);
  if (answers === undefined) return;
  const { partition, offset } = record;
  const each = { position: { topic, partition, offset }, answers };
  const known = claimed.get(event.meta.causationId);
  if (known === undefined) claimed.set(event.meta.causationId, [each]);
  else known.push(each);
}

/** Undefined for an unusable record: it states nothing. */
function decoded(record: LogRecord): SeamEvent | undefined {
  try {
    return decodeEvent(record);
  } catch {
    return undefined;
  }
}
