/**
 * Processes the batches of one owned partition: decode, ask the consumer, and commit {derived events, dead letters, consumed offsets} in
 * one transaction. This object holds what is known of the partition. It is forgotten with the claim on the partition, unless a failure is
 * under way that outlives the claim.
 *
 *   a record that does not decode   → dead letter, the consumer never sees it
 *   one that was answered before    → skipped (idempotency-filter.ts)
 *   `retry`, `defer`, `wait`        → the records before it are committed, and it is delivered again: after a wait that counts as an
 *                                     attempt, at once, after a while
 *   something fails                 → what failure-policy.decide.ts says, in the order of its table; which records are tried next,
 *                                     batch-split.ts
 *   the deadline passes             → its signal aborts; a consumer that ignores that ends the subscription (timed-consumer.ts)
 *   the work is slow                → only so many records are begun as are estimated to end in time (pace.ts)
 *   the process dies, several times → records are taken one at a time, the culprit is the dead letter (crash-journal.ts)
 */
import type { RecordBatch } from '@seamstream/event-log';
import { backoffMs, isSeamError, sleep } from '@seamstream/kernel';
import { decodedItem, type Item, isAlive, offsetAfter, upTo } from './batch-item.js';
import {
  afterFailure,
  afterSuccess,
  halvedAt,
  innermost,
  NO_SETBACK,
  narrowed,
  type Setback,
  type Split,
  wholeBatch,
  widened,
} from './batch-split.js';
import { BatchTrace } from './batch-trace.js';
import { commitStep, planStep, type Step } from './commit-step.js';
import { CrashIsolation } from './crash-journal.js';
import type { Fault } from './dead-letter.js';
import type { DeliveredBatch } from './delivery.js';
import { type Failure, failureOf, isOutage, type Remedy, remedyFor } from './failure-policy.decide.js';
import type { HandlerResult } from './handler-result.js';
import { AnsweredRecords } from './idempotency-filter.js';
import type { Admission } from './pace.js';
import { haltError, RefusedForGood, refusedForGood, SubscriptionStop } from './subscription-end.js';
import type { TimedConsumer } from './timed-consumer.js';
import type { WorkerOptions } from './worker-options.js';

/** Records that are tried together. */
interface Taken {
  readonly items: readonly Item[];
  /** Those that the consumer is asked about. */
  readonly alive: readonly Item[];
  readonly admission: Admission | undefined;
}

/** What is left of a batch, and which part of it is tried next. */
interface Rest {
  readonly items: readonly Item[];
  readonly split: Split;
}

/** A batch, and the signal under which it is worked on. */
interface Work {
  readonly batch: RecordBatch;
  readonly signal: AbortSignal;
}

export class PartitionProcessor {
  /** By offset, failures of a record that is known to be the culprit; forgotten once it is committed. */
  private readonly failures = new Map<number, number>();
  /** By offset, records that are given up, also after the claim under which that was decided; forgotten once committed. */
  private readonly givenUp = new Map<number, Fault>();
  private setback: Setback = NO_SETBACK;
  private readonly answered: AnsweredRecords | undefined;
  private readonly isolation: CrashIsolation | undefined;

  constructor(
    private readonly options: WorkerOptions,
    private readonly consumer: TimedConsumer,
  ) {
    const { log, answersIn, crashes } = options;
    this.answered = answersIn === undefined ? undefined : new AnsweredRecords(log, answersIn);
    this.isolation = crashes === undefined ? undefined : new CrashIsolation(crashes);
  }

  /** Whether nothing of it has to outlive the claim. */
  get isSettled(): boolean {
    return this.failures.size === 0 && this.givenUp.size === 0 && this.setback === NO_SETBACK;
  }

  /** See {@link BatchWorker.work}. */
  async work(batch: RecordBatch, signal: AbortSignal): Promise<void> {
    let items: readonly Item[] = batch.records.map(decodedItem);
    try {
      const waitMs = this.setback.notBeforeMs - this.options.clock.now();
      if (waitMs > 0) await sleep(waitMs, signal);
      if (signal.aborted) return;
      items = this.withGivenUp(items);
      if (this.answered !== undefined) items = await this.passOver(batch, items, signal);
      const finish = (some: readonly Item[]): Promise<boolean> => this.finish({ batch, signal }, some);
      await (this.isolation === undefined ? finish(items) : this.isolation.finish(batch, items, signal, finish));
    } catch (error) {
      if (isSeamError(error, 'FENCED')) this.options.observer.fenced(batch.records.length);
      // A claim may end with the same commit that gives the reason for the subscription's end.
      else if (!signal.aborted || error instanceof RefusedForGood) throw error;
    }
  }

  private async passOver(batch: RecordBatch, items: readonly Item[], signal: AbortSignal): Promise<readonly Item[]> {
    const answered = this.answered!;
    const { items: marked, foreign } = await this.outlasting(signal, async () => {
      if (!answered.isKnownUnder(batch.claim)) await answered.read(batch);
      return answered.marked(items);
    });
    const repeated = marked.filter(({ isAnswered }) => isAnswered).length;
    if (repeated > 0) this.options.observer.passedOver(repeated);
    if (foreign.length > 0) this.options.observer.notBelieved(foreign);
    return marked;
  }

  /** What a reading of the log gives, tried again for as long as the log cannot be reached. */
  private async outlasting<T>(signal: AbortSignal, read: () => Promise<T>): Promise<T> {
    for (let outages = 1; ; outages++) {
      try {
        return await read();
      } catch (error) {
        if (!isOutage(error)) throw error;
        await this.wait(this.backoff(outages), { code: error.code, reason: error.message }, signal);
        signal.throwIfAborted();
      }
    }
  }

  /** Whether everything was committed; false when the signal aborted before. */
  private async finish(work: Work, items: readonly Item[]): Promise<boolean> {
    let rest: Rest = { items, split: wholeBatch(offsetAfter(items)) };
    while (rest.items.length > 0) {
      if (isAborted(work.signal)) return false;
      const taken = await this.take(rest, work.signal);
      if (taken === undefined) return false;
      try {
        const step = await this.attempt(work, taken);
        rest = this.behind(rest, step.count);
        if (step.count > 0) this.setback = widened(this.setback, work.batch.records.length);
        if (!(await this.heed(step, rest, work))) return false;
      } catch (error) {
        const left = await this.recover(error, rest, taken, work.signal);
        if (left === undefined) return false;
        rest = left;
      }
    }
    return true;
  }

  /** What is tried together next; undefined where the signal ended the wait for it. */
  private async take({ items, split }: Rest, signal: AbortSignal): Promise<Taken | undefined> {
    const { pace } = this.options;
    const { end, oneAtATime } = innermost(split);
    const own = items.filter(({ record }) => record.offset < end);
    const { limit, limitedTo } = this.setback;
    const several = own[0]!.record.offset < limitedTo ? own.slice(0, limit) : own;
    const asked = several.filter(isAlive).length;
    const admission = pace === undefined || asked === 0 ? undefined : await pace.admit(asked, oneAtATime, signal);
    if (pace !== undefined && asked > 0 && admission === undefined) return undefined;
    const part = upTo(several, admission?.count ?? (oneAtATime ? 1 : several.length));
    return { items: part, alive: part.filter(isAlive), admission };
  }

  private async attempt({ batch, signal }: Work, { items, alive, admission }: Taken): Promise<Step> {
    const { group, maxAttempts, clock } = this.options;
    const startedMs = clock.now();
    const trace = this.traceOf(batch, alive, startedMs);
    const answers = new Map<Item, HandlerResult>();
    let done = 0;
    try {
      if (alive.length > 0) {
        const ask = () => this.consumer.ask(this.delivered(batch, items, alive, signal));
        const given = await (trace === undefined ? ask() : trace.during(ask));
        for (const [index, item] of alive.entries()) answers.set(item, given[index]!);
      }
      done = alive.length;
    } finally {
      admission?.leave(done);
    }
    const step = planStep(items, answers, { group, maxAttempts, failuresOf: (item) => this.failuresOf(item) });
    for (const item of step.failed) this.countFailure(item);
    if (step.count > 0) {
      const committed = items.slice(0, step.count);
      const traced = trace?.traced(committed, answers, step);
      const commit = () => this.commit(batch, committed, traced?.step ?? step, startedMs, signal);
      await (trace === undefined ? commit() : trace.during(commit));
      traced?.end(clock.now());
    }
    return step;
  }

  private traceOf({ topic, partition }: RecordBatch, alive: readonly Item[], startMs: number): BatchTrace | undefined {
    const { tracing, group } = this.options;
    return tracing === undefined ? undefined : BatchTrace.of(tracing, { group, topic, partition, startMs }, alive);
  }

  private delivered(
    { topic, partition, claim }: RecordBatch,
    items: readonly Item[],
    alive: readonly Item[],
    signal: AbortSignal,
  ): DeliveredBatch {
    const { maxAttempts } = this.options;
    const records = alive.map((item) => {
      const { offset, value } = item.record;
      const attempt = this.failuresOf(item) + 1;
      const position = { topic, partition, offset };
      return { event: item.event!, position, value, attempt, isLastAttempt: attempt >= maxAttempts };
    });
    const [firstOffset, nextOffset] = [items[0]!.record.offset, offsetAfter(items)];
    return { topic, partition, records, firstOffset, nextOffset, claim, signal, report: () => undefined };
  }

  private async commit(
    batch: RecordBatch,
    items: readonly Item[],
    step: Step,
    startedMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, observer } = this.options;
    await commitStep(this.options, batch, items, step, signal);
    if (this.failures.size > 0) for (const { record } of items) this.failures.delete(record.offset);
    if (this.givenUp.size > 0) for (const { record } of items) this.givenUp.delete(record.offset);
    if (this.answered !== undefined) {
      const given = new Set(step.faults.map(({ item }) => item));
      for (const item of items) if (isAlive(item) && !given.has(item)) this.answered.add(item.event!);
    }
    for (const { item, fault } of step.faults) observer.deadLettered(fault, item.record);
    observer.committed({
      records: items.length,
      events: step.events.length,
      deadLetters: step.faults.length,
      seconds: (clock.now() - startedMs) / 1000,
    });
  }

  private behind({ items, split }: Rest, count: number): Rest {
    const left = items.slice(count);
    const next = left[0]?.record.offset ?? Number.POSITIVE_INFINITY;
    return { items: left, split: afterSuccess(split, next) };
  }

  /** Does what the record after a step asked for; false where the rest has to be delivered again. */
  private async heed({ then }: Step, { items }: Rest, { batch, signal }: Work): Promise<boolean> {
    if (then?.kind === 'halt') throw haltError(this.options.group, then);
    if (then?.kind === 'retry') await this.wait(then.afterMs ?? this.backoff(this.failuresOf(items[0]!)), then, signal);
    // The subscription's own signal: a service that closes need not stay for what is not ready.
    if (then?.kind === 'wait') await sleep(then.afterMs, batch.signal);
    return then?.kind !== 'wait';
  }

  /**
   * What is tried next after a failure; undefined where the work was asked to stop.
   * @throws what ends the subscription
   */
  private async recover(error: unknown, rest: Rest, taken: Taken, signal: AbortSignal): Promise<Rest | undefined> {
    const { group, observer } = this.options;
    const { items, split } = rest;
    const failure = failureOf(error);
    const remedy = this.remedyFor(error, failure, rest, taken, signal);
    const { failures, outages } = innermost(split);
    switch (remedy) {
      case 'handBack':
        return undefined;
      case 'end':
        throw error;
      case 'endAsTooSlow':
        throw new SubscriptionStop('INVALID_CONFIGURATION', failure.reason);
      case 'endAsRefused':
        throw refusedForGood(group, failure);
      case 'narrow':
      case 'giveUp':
      case 'commitAgain':
      case 'commitLater':
        await this.wait(this.recordRefusal(remedy, failure, taken), failure, signal);
        return { items: this.withGivenUp(items), split };
      case 'outlast':
        await this.wait(this.backoff(outages + 1), failure, signal);
        return { items, split: afterFailure(split, { outages: outages + 1 }) };
      case 'alone':
        observer.retried(failure, 0);
        return { items, split: afterFailure(split, { oneAtATime: true }) };
      case 'repeat':
        await this.wait(this.backoff(failures + 1), failure, signal);
        return { items, split: afterFailure(split, { failures: failures + 1 }) };
      case 'halve': {
        const middle = taken.alive[Math.floor(taken.alive.length / 2)]!;
        return { items, split: halvedAt(split, middle.record.offset) };
      }
      case 'retry':
        await this.wait(this.backoff(this.countFailure(taken.alive[0]!)), failure, signal);
        return rest;
      case 'deadLetter': {
        const [culprit] = taken.alive;
        const { code, reason } = failure;
        const fault = { code, reason, attempts: this.countFailure(culprit!) };
        return { items: items.map((item) => (item === culprit ? { ...item, fault } : item)), split };
      }
    }
  }

  private remedyFor(error: unknown, failure: Failure, { split }: Rest, taken: Taken, signal: AbortSignal): Remedy {
    const { items, alive } = taken;
    const [first] = alive;
    const before = first === undefined ? 0 : this.failuresOf(first);
    const wasShared = taken.admission?.wasShared ?? false;
    const isLate = failure.kind === 'fault' && failure.code === 'DEADLINE_EXCEEDED' && !isAborted(signal);
    const isLateAlone = isLate && alive.length === 1 && !wasShared;
    return remedyFor(failure, {
      isToldToStop: isAborted(signal),
      taken: items.length,
      asked: alive.length,
      wasShared,
      attempts: before + 1,
      wholeAttempts: innermost(split).failures + 1,
      isDeadlineTooShort: isLateAlone && this.consumer.isDeadlineTooShort(error, before === 0),
      maxAttempts: this.options.maxAttempts,
    });
  }

  /** Remembers a commit that the log refused. @returns how long to wait */
  private recordRefusal(
    remedy: 'narrow' | 'giveUp' | 'commitAgain' | 'commitLater',
    { code, reason }: Failure,
    { items, alive }: Taken,
  ): number {
    const failures = this.setback.failures + 1;
    // The search for a culprit ends by itself.
    const waitMs = this.backoff(remedy === 'commitLater' ? failures : 1);
    if (remedy === 'narrow') this.setback = narrowed(this.setback, items.length, offsetAfter(items));
    if (remedy === 'giveUp' || remedy === 'commitAgain') {
      const [culprit] = alive as [Item];
      const attempts = this.countFailure(culprit);
      if (remedy === 'giveUp') this.givenUp.set(culprit.record.offset, { code, reason, attempts });
    }
    this.setback = { ...this.setback, failures, notBeforeMs: this.options.clock.now() + waitMs };
    return waitMs;
  }

  private backoff(failures: number): number {
    return backoffMs(failures, this.options);
  }

  /** Says why, and waits; look at the signal afterwards. */
  private wait(
    ms: number,
    { code, reason }: { readonly code: string; readonly reason: string },
    signal: AbortSignal,
  ): Promise<void> {
    this.options.observer.retried({ code, reason }, ms);
    return sleep(ms, signal);
  }

  private withGivenUp(items: readonly Item[]): readonly Item[] {
    if (this.givenUp.size === 0) return items;
    return items.map((item) => {
      const fault = this.givenUp.get(item.record.offset);
      return fault === undefined ? item : { ...item, fault };
    });
  }

  private failuresOf({ record }: Item): number {
    return this.failures.get(record.offset) ?? 0;
  }

  private countFailure(item: Item): number {
    const count = this.failuresOf(item) + 1;
    this.failures.set(item.record.offset, count);
    return count;
  }
}

/** A call each time, since what was false before an await may be true after it. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
