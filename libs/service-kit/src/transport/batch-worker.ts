/**
 * Brings one delivered batch to its end: decode, ask the consumer, and commit {derived events, dead letters, consumed
 * offsets} in one transaction.
 *
 *   a record that does not decode   → dead letter, the consumer never sees it
 *   `retry` for a record            → what stands before it is committed; it is tried again after a wait, at most `maxAttempts` times
 *   the consumer throws on a batch  → once more, then the batch is halved until the culprit stands alone; it is the dead letter
 *   the world fails (log, objects)  → waits and tries again without limit: no record is to blame
 *   FENCED                          → another instance owns the partition: the work is dropped and counted
 *   the signal aborts               → nothing more is committed; the records are delivered again, here or elsewhere
 *
 * So a poison record stops nothing, and an outage does not fill the dead letters.
 */
import type { EventLog, LogRecord, NewRecord, RecordBatch } from '@seamstream/event-log';
import { decodeEvent, encodeEvent, type SeamEvent } from '@seamstream/events';
import { type Clock, type ErrorCode, isSeamError, messageOf, SeamError } from '@seamstream/kernel';
import { backoffMs, sleep } from './backoff.js';
import { deadLetterOf, type Fault } from './dead-letter.js';
import type { BatchConsumer, DeliveredBatch } from './delivery.js';
import type { Outcome } from './outcome.js';

/** What happens, for metrics and log lines. */
interface WorkerObserver {
  committed(counts: {
    readonly records: number;
    readonly events: number;
    readonly deadLetters: number;
    readonly seconds: number;
  }): void;
  deadLettered(fault: Fault, record: LogRecord): void;
  retried(error: { readonly code: string; readonly reason: string }, waitMs: number): void;
  fenced(records: number): void;
}

interface WorkerOptions {
  readonly log: EventLog;
  readonly group: string;
  /** The service in the meta of dead letters, e.g. seam/generator. */
  readonly source: string;
  readonly maxAttempts: number;
  readonly firstRetryMs: number;
  readonly maxRetryMs: number;
  readonly clock: Clock;
  readonly observer: WorkerObserver;
}

interface Item {
  readonly record: LogRecord;
  readonly event: SeamEvent | undefined;
  /** Set once the record is given up. */
  readonly fault: Fault | undefined;
}

/** The transaction that an answer leads to, and what remains afterwards. */
interface Step {
  /** Items from the front that are committed. */
  readonly count: number;
  readonly events: readonly SeamEvent[];
  readonly faults: readonly { readonly item: Item; readonly fault: Fault }[];
  /** Set when the item after them asked to wait, or to stop. */
  readonly then: Extract<Outcome, { kind: 'retry' | 'stop' | 'again' }> | undefined;
}

/** Times that a batch of several records is tried as a whole before it is halved. */
const WHOLE_BATCH_ATTEMPTS = 2;

/** The world failed, not the record: trying again is right for as long as it lasts. */
const OUTAGES: readonly ErrorCode[] = [
  'LOG_UNAVAILABLE',
  'LOG_FULL',
  'SCHEMA_REGISTRY_UNAVAILABLE',
  'OBJECT_STORE_UNAVAILABLE',
  'OBJECT_STORE_FULL',
];

/** Nothing that this process does can help: a person has to look. */
const FATAL: readonly ErrorCode[] = ['LOG_CORRUPT', 'LOG_READ_ONLY', 'LOG_INCOMPATIBLE_VERSION', 'UNKNOWN_TOPIC'];

export class BatchWorker {
  /** Failures of a record that is known to be the culprit, by topic/partition@offset; forgotten once it is committed. */
  private readonly failures = new Map<string, number>();

  constructor(
    private readonly options: WorkerOptions,
    private readonly consumer: BatchConsumer,
  ) {}

  /**
   * Resolves when the batch is committed or handed back; rejects when the subscription must end.
   * @param signal aborts when work should stop now
   */
  async work(batch: RecordBatch, signal: AbortSignal): Promise<void> {
    const items = batch.records.map((record) => this.decode(record));
    try {
      await this.finish(batch, items, signal);
    } catch (error) {
      if (isSeamError(error, 'FENCED')) this.options.observer.fenced(batch.records.length);
      else if (!signal.aborted) throw error;
    }
  }

  /** Whether everything was committed; false when the signal aborted before. */
  private async finish(batch: RecordBatch, items: readonly Item[], signal: AbortSignal): Promise<boolean> {
    const { firstRetryMs, maxRetryMs, maxAttempts, observer } = this.options;
    let rest = items;
    let failures = 0;
    let outages = 0;
    while (rest.length > 0) {
      if (signal.aborted) return false;
      const alive = rest.filter(({ event, fault }) => event !== undefined && fault === undefined);
      try {
        const step = await this.attempt(batch, rest, alive, signal);
        rest = rest.slice(step.count);
        failures = outages = 0;
        if (step.then?.kind === 'stop') throw stopError(this.options.group, step.then);
        if (step.then?.kind === 'retry') {
          const waitMs = step.then.afterMs ?? backoffMs(this.failuresOf(rest[0]!), firstRetryMs, maxRetryMs);
          observer.retried(step.then, waitMs);
          await sleep(waitMs, signal);
        }
      } catch (error) {
        if (isAborted(signal)) return false;
        const code = isSeamError(error) ? error.code : 'INTERNAL';
        if (error instanceof SubscriptionStop || code === 'FENCED' || FATAL.includes(code)) throw error;
        const cause = { code, reason: messageOf(error) };
        if (OUTAGES.includes(code)) {
          const waitMs = backoffMs(++outages, firstRetryMs, maxRetryMs);
          observer.retried(cause, waitMs);
          await sleep(waitMs, signal);
        } else if (alive.length > 1) {
          if (++failures < WHOLE_BATCH_ATTEMPTS) {
            const waitMs = backoffMs(failures, firstRetryMs, maxRetryMs);
            observer.retried(cause, waitMs);
            await sleep(waitMs, signal);
            continue;
          }
          const half = rest.indexOf(alive[Math.floor(alive.length / 2)]!);
          if (!(await this.finish(batch, rest.slice(0, half), signal))) return false;
          rest = rest.slice(half);
          failures = 0;
        } else {
          const culprit = alive[0];
          if (culprit === undefined) throw error; // dead letters alone could not be written
          const attempts = this.countFailure(culprit);
          const isHopeless = !(isSeamError(error) && error.retryable) && attempts >= Math.min(2, maxAttempts);
          if (isHopeless || attempts >= maxAttempts) {
            const given = { ...culprit, fault: { ...cause, attempts } };
            rest = rest.map((item) => (item === culprit ? given : item));
          } else {
            const waitMs = backoffMs(attempts, firstRetryMs, maxRetryMs);
            observer.retried(cause, waitMs);
            await sleep(waitMs, signal);
          }
        }
      }
    }
    return true;
  }

  private async attempt(
    batch: RecordBatch,
    rest: readonly Item[],
    alive: readonly Item[],
    signal: AbortSignal,
  ): Promise<Step> {
    const startedMs = this.options.clock.now();
    const answers = alive.length === 0 ? [] : await this.ask(batch, rest, alive, signal);
    const step = this.plan(rest, new Map(alive.map((item, index) => [item, answers[index]!])));
    if (step.count > 0) await this.commit(batch, rest.slice(0, step.count), step, startedMs, signal);
    return step;
  }

  private async ask(
    batch: RecordBatch,
    rest: readonly Item[],
    alive: readonly Item[],
    signal: AbortSignal,
  ): Promise<readonly Outcome[]> {
    const { maxAttempts, group } = this.options;
    const delivered: DeliveredBatch = {
      topic: batch.topic,
      partition: batch.partition,
      records: alive.map((item) => {
        const { topic, partition, offset } = item.record;
        const attempt = this.failuresOf(item) + 1;
        return {
          event: item.event!,
          position: { topic, partition, offset },
          attempt,
          isLastAttempt: attempt >= maxAttempts,
        };
      }),
      firstOffset: rest[0]!.record.offset,
      nextOffset: rest.at(-1)!.record.offset + 1,
      claim: batch.claim,
      signal,
    };
    const answer = await this.consumer(delivered);
    if (isOutcome(answer)) return answersForAll(answer, alive.length);
    if (answer.length !== alive.length) {
      throw new SeamError(
        'INTERNAL',
        `Consuming ${batch.topic} as ${group}: expected one answer for the batch or one per record (${alive.length}), came ${answer.length}. Correct the consumer.`,
      );
    }
    return answer;
  }

  /** Walks the answers in the order of the log up to the first record that has to wait. */
  private plan(rest: readonly Item[], answers: ReadonlyMap<Item, Outcome>): Step {
    const events: SeamEvent[] = [];
    const faults: { item: Item; fault: Fault }[] = [];
    for (const [index, item] of rest.entries()) {
      if (item.fault !== undefined) {
        faults.push({ item, fault: item.fault });
        continue;
      }
      const answer = answers.get(item)!;
      if (answer.kind === 'done') events.push(...answer.events);
      else if (answer.kind === 'skip')
        faults.push({ item, fault: { code: answer.code, reason: answer.reason, attempts: this.failuresOf(item) + 1 } });
      else if (answer.kind === 'again') {
        if (index === 0)
          throw new SeamError(
            'INTERNAL',
            `Consuming as ${this.options.group}: the first record of a batch was put off, which would go on for ever. Correct the consumer.`,
          );
        return { count: index, events, faults, then: answer };
      } else if (answer.kind === 'stop') return { count: index, events, faults, then: answer };
      else {
        const attempts = this.countFailure(item);
        if (attempts < this.options.maxAttempts) return { count: index, events, faults, then: answer };
        faults.push({ item, fault: { code: answer.code, reason: answer.reason, attempts } });
      }
    }
    return { count: rest.length, events, faults, then: undefined };
  }

  private async commit(
    batch: RecordBatch,
    items: readonly Item[],
    step: Step,
    startedMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { log, group, source, clock, observer } = this.options;
    const nowMs = clock.now();
    const records: NewRecord[] = step.events.map(encodeEvent);
    for (const { item, fault } of step.faults)
      records.push(encodeEvent(deadLetterOf(item.record, item.event, fault, { group, source, nowMs })));
    const { topic, partition, offset } = items.at(-1)!.record;
    // Work that was told to stop must not be committed behind the back of whoever told so.
    if (signal.aborted)
      throw new SeamError(
        'ABORTED',
        `Committing as ${group}: the work was told to stop. The records are delivered again.`,
      );
    await log.transact({
      records,
      consumed: { claim: batch.claim, offsets: [{ topic, partition, nextOffset: offset + 1 }] },
    });
    if (this.failures.size > 0) for (const item of items) this.failures.delete(nameOf(item));
    for (const { item, fault } of step.faults) observer.deadLettered(fault, item.record);
    observer.committed({
      records: items.length,
      events: step.events.length,
      deadLetters: step.faults.length,
      seconds: (clock.now() - startedMs) / 1000,
    });
  }

  private decode(record: LogRecord): Item {
    try {
      return { record, event: decodeEvent(record), fault: undefined };
    } catch (error) {
      const code = isSeamError(error) ? error.code : 'MALFORMED_RECORD';
      return { record, event: undefined, fault: { code, reason: messageOf(error), attempts: 1 } };
    }
  }

  private failuresOf(item: Item): number {
    // Nearly always nothing has failed, and then no record needs a name.
    return this.failures.size === 0 ? 0 : (this.failures.get(nameOf(item)) ?? 0);
  }

  private countFailure(item: Item): number {
    const count = this.failuresOf(item) + 1;
    this.failures.set(nameOf(item), count);
    return count;
  }
}

/** Ends a subscription on purpose. */
class SubscriptionStop extends SeamError {}

function stopError(
  group: string,
  { code, reason }: { readonly code: ErrorCode; readonly reason: string },
): SubscriptionStop {
  return new SubscriptionStop(code, `Group ${group} stops consuming: ${reason}`);
}

function isOutcome(answer: Outcome | readonly Outcome[]): answer is Outcome {
  return !Array.isArray(answer);
}

/** Asked anew each time: what was false before an await may be true after it. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** A `retry` for a whole batch names no culprit: it is handled like a failure of the batch. */
function answersForAll(answer: Outcome, count: number): readonly Outcome[] {
  if (answer.kind === 'retry' && count > 1) throw new SeamError(answer.code, answer.reason);
  return Array.from({ length: count }, (_, index) =>
    answer.kind === 'done' && index < count - 1 ? { kind: 'done', events: [] } : answer,
  );
}

function nameOf({ record }: Item): string {
  return `${record.topic}/${record.partition}@${record.offset}`;
}
