/**
 * Brings one delivered batch to its end: decode, ask the consumer, and commit {derived events, dead letters, consumed
 * offsets} in one transaction.
 *
 *   a record that does not decode   → dead letter, the consumer never sees it
 *   one that was answered before    → passed over (idempotency-filter.ts)
 *   `retry` for a record            → what stands before it is committed; it is tried again after a wait, at most `maxAttempts` times
 *   `wait` for a record             → what stands before it is committed; it is delivered again after a while, no attempt is counted
 *   the consumer throws on a batch  → once more, then the batch is halved until the culprit stands alone; it is the dead letter
 *   the world fails (log, objects)  → waits and tries again without limit: no record is to blame
 *   the world is another than set   → the subscription ends: waiting does not help, and no record is to blame either
 *   the log refuses the commit      → for what stands in the records: fewer are taken, down to the culprit, the dead letter;
 *                                     for anything else: waits and tries again; where the claim went with it, under the next
 *   the deadline passes             → its signal aborts, its records are tried one at a time; a consumer that ignores the
 *                                     signal ends the subscription, since nothing else ends what it does
 *   the work is slow                → no more is begun than is estimated to end in time (pace.ts); where not even one record is
 *                                     done in time at the measured speed, the subscription ends and says which deadline would do
 *   the process dies, several times → records are taken one at a time, the culprit is the dead letter (crash-journal.ts)
 *   FENCED                          → another instance owns the partition: the work is dropped and counted
 *   the signal aborts               → nothing more is committed; the records are delivered again, here or elsewhere
 *
 * So a poison record stops nothing, and an outage does not fill the dead letters.
 */
import {
  type Claim,
  type EventLog,
  type LogRecord,
  type NewRecord,
  partitionName,
  type RecordBatch,
} from '@seamstream/event-log';
import { decodeEvent, encodeEvent, type SeamEvent, type TopicName } from '@seamstream/events';
import {
  backoffMs,
  type Clock,
  type ErrorCode,
  isSeamError,
  messageOf,
  type ReadWriteLock,
  SeamError,
  sleep,
} from '@seamstream/kernel';
import type { CrashJournal, Suspicion } from './crash-journal.js';
import { deadLetterOf, type Fault } from './dead-letter.js';
import { type DeadlineFinding, judgeLateRecord, speedOf } from './deadline-finding.js';
import type { BatchConsumer, BatchProgress, DeliveredBatch } from './delivery.js';
import type { HandlerResult } from './handler-result.js';
import { IdempotencyFilter } from './idempotency-filter.js';
import type { Admission, Pace } from './pace.js';

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
  /** They had been answered before. */
  passedOver(records: number): void;
  /** Of a batch under way; null when it has ended. */
  underWay(progress: BatchUnderWay | null): void;
}

/** What is known of a batch while it is worked on. */
export interface BatchUnderWay {
  readonly partition: number;
  /** Records of the batch, and how many of them are ready. */
  readonly records: number;
  readonly ready: number;
  readonly tokens: number;
  /** Null before the first tokens were counted. */
  readonly tokensPerSecond: number | null;
  readonly elapsedMs: number;
  /** Estimated; null while nothing is known. */
  readonly remainingMs: number | null;
  readonly deadlineMs: number | null;
}

interface WorkerOptions {
  readonly log: EventLog;
  readonly group: string;
  /** The service in the meta of dead letters, e.g. seam/generator. */
  readonly source: string;
  readonly maxAttempts: number;
  readonly firstRetryMs: number;
  readonly maxRetryMs: number;
  /** Topics that hold what follows from a record, under its key: what is answered there is passed over. */
  readonly answersIn?: readonly TopicName[];
  /** Longest time that the consumer may take for one answer. */
  readonly deadlineMs?: number;
  /** How many records are begun together; absent: a whole batch. */
  readonly pace?: Pace;
  /** What finds out records that kill the process; the lock is that of all workers of the process. */
  readonly crashes?: { readonly marks: CrashJournal; readonly lock: ReadWriteLock };
  readonly clock: Clock;
  readonly observer: WorkerObserver;
}

interface Item {
  readonly record: LogRecord;
  readonly event: SeamEvent | undefined;
  /** Set once the record is given up. */
  readonly fault: Fault | undefined;
  /** What follows from it stands in the log, or follows from an equal one before it. */
  readonly isAnswered: boolean;
}

/** The transaction that an answer leads to, and what remains afterwards. */
interface Step {
  /** Items from the front that are committed. */
  readonly count: number;
  readonly events: readonly SeamEvent[];
  readonly faults: readonly { readonly item: Item; readonly fault: Fault }[];
  /** Set when the item after them asked to wait, or to stop. */
  readonly then: Extract<HandlerResult, { kind: 'retry' | 'stop' | 'again' | 'wait' }> | undefined;
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
  'ENDPOINT_UNAVAILABLE',
];

/**
 * From the deadline's signal to the end of the patience with a consumer that goes on in spite of it: a model is ended between two
 * tokens, and with a long deadline a token may take long.
 */
const HEED_WITHIN_MS = 1_000;
const HEED_SHARE_OF_DEADLINE = 0.1;

/** Nothing that this process does can help, and no record is to blame: a person has to look. */
const FATAL: readonly ErrorCode[] = [
  'LOG_CORRUPT',
  'LOG_READ_ONLY',
  'LOG_INCOMPATIBLE_VERSION',
  'UNKNOWN_TOPIC',
  'OFFSET_OUT_OF_RANGE',
  'OBJECT_NOT_FOUND',
  'INVALID_CONFIGURATION',
  'CONFLICT',
  'CHECKPOINT_INVALID',
];

/** Why a log refuses a commit for what stands in it; for anything else the commit, not the record, has to wait. */
const FAULTS_OF_RECORDS: readonly ErrorCode[] = ['RECORD_TOO_LARGE', 'INVALID_INPUT'];

/** Commits of a partition that failed one after the other, beyond the claims that each may have cost. */
interface CommitBackoff {
  /** Since the last commit, for the back-off. */
  readonly failures: number;
  /** Nothing is tried before, milliseconds of the clock. */
  readonly notBeforeMs: number;
  /** Most records to take at once while a culprit is sought, and the offset where the search ends. */
  readonly limit: number;
  readonly limitedTo: number;
}

const NO_SETBACK: CommitBackoff = { failures: 0, notBeforeMs: 0, limit: Number.POSITIVE_INFINITY, limitedTo: 0 };

export class BatchWorker {
  /** Failures of a record that is known to be the culprit, by topic/partition@offset; forgotten once it is committed. */
  private readonly failures = new Map<string, number>();
  /** What is given up beyond the claim under which that was found, by topic/partition@offset; forgotten once it is committed. */
  private readonly givenUp = new Map<string, Fault>();
  /** By topic/partition. */
  private readonly setbacks = new Map<string, CommitBackoff>();
  /** By topic/partition, of the claim under which it is worked on. */
  private readonly answered = new Map<string, { readonly claim: Claim; readonly causes: IdempotencyFilter }>();
  /** By topic/partition: the claim under which it is worked on, and what its first records are suspected of. */
  private readonly places = new Map<
    string,
    { readonly claim: Claim; readonly suspicion: Suspicion; readonly first: number }
  >();

  /** Of what was reported last of the batch that is late, by topic/partition. */
  private readonly late = new Map<string, DeadlineFinding>();
  /** Records that were late by themselves since the last one that was done in time; and whether one ever was. */
  private lateInARow = 0;
  private wasInTime = false;

  constructor(
    private readonly options: WorkerOptions,
    private readonly consumer: BatchConsumer,
  ) {}

  /**
   * Resolves when the batch is committed or handed back; rejects when the subscription must end.
   * @param signal aborts when work should stop now
   */
  async work(batch: RecordBatch, signal: AbortSignal): Promise<void> {
    let items: readonly Item[] = batch.records.map((record) => this.decode(record));
    try {
      const waitMs = this.setbackOf(batch).notBeforeMs - this.options.clock.now();
      if (waitMs > 0) await sleep(waitMs, signal);
      if (signal.aborted) return;
      items = this.withGivenUp(items);
      if (this.options.answersIn !== undefined) items = await this.markAnswered(batch, items, signal);
      if (this.options.crashes === undefined) await this.finish(batch, items, signal);
      else await this.finishMarked(batch, items, signal, this.options.crashes);
    } catch (error) {
      if (isSeamError(error, 'FENCED')) this.options.observer.fenced(batch.records.length);
      // A claim may end with the very commit that tells why the subscription has to.
      else if (!signal.aborted || error instanceof RefusedForGood) throw error;
    }
  }

  private async markAnswered(batch: RecordBatch, items: readonly Item[], signal: AbortSignal): Promise<Item[]> {
    const { log, answersIn = [], observer } = this.options;
    const name = placeOf(batch);
    let place = this.answered.get(name);
    for (let outages = 1; place?.claim !== batch.claim; outages++) {
      try {
        place = { claim: batch.claim, causes: await IdempotencyFilter.before(log, answersIn, batch) };
        this.answered.set(name, place);
      } catch (error) {
        if (!isOutage(error)) throw error;
        await this.wait(this.backoff(outages), { code: error.code, reason: error.message }, signal);
        signal.throwIfAborted();
      }
    }
    const { causes } = place;
    const first = new Set<string>();
    const marked = items.map((item) => {
      if (item.event === undefined) return item;
      const { messageId } = item.event.meta;
      const isAnswered = causes.has(item.event) || first.has(messageId);
      first.add(messageId);
      return isAnswered ? { ...item, isAnswered } : item;
    });
    const repeated = marked.filter(({ isAnswered }) => isAnswered).length;
    if (repeated > 0) observer.passedOver(repeated);
    return marked;
  }

  /** As {@link finish}, with a mark for the process after this one as long as it is open whether this one survives. */
  private async finishMarked(
    batch: RecordBatch,
    items: readonly Item[],
    signal: AbortSignal,
    { marks, lock }: NonNullable<WorkerOptions['crashes']>,
  ): Promise<void> {
    const name = placeOf(batch);
    const first = items[0]!.record.offset;
    const next = items.at(-1)!.record.offset + 1;
    let place = this.places.get(name);
    if (place?.claim !== batch.claim) {
      place = { claim: batch.claim, suspicion: await marks.taken(name, first, next), first };
      this.places.set(name, place);
    }
    const { until } = place.suspicion;
    try {
      let rest = items;
      while (rest.length > 0 && rest[0]!.record.offset < until) {
        const [item] = rest as [Item];
        const deaths = item.record.offset === place.first ? place.suspicion.deaths : 0;
        if (!(await lock.write(() => this.finishAlone(batch, item, signal, { until, deaths })))) break;
        rest = rest.slice(1);
      }
      if (rest.length > 0) await lock.read(() => this.finish(batch, rest, signal));
    } catch (error) {
      if (error instanceof HungConsumer) {
        await marks.hung(name, error.first, error.next);
        throw error;
      }
      await marks.clear(name);
      throw error;
    }
    if (next >= until || signal.aborted) await marks.clear(name);
  }

  /** One record of those that were in hand when processes died, with nothing beside it. */
  private async finishAlone(
    batch: RecordBatch,
    item: Item,
    signal: AbortSignal,
    suspicion: Suspicion,
  ): Promise<boolean> {
    const { marks } = this.options.crashes!;
    const { deaths } = suspicion;
    if (item.event === undefined || signal.aborted) return this.finish(batch, [item], signal);
    if (deaths < marks.maxDeaths) {
      await marks.takenAlone(placeOf(batch), item.record.offset, suspicion);
      return this.finish(batch, [item], signal);
    }
    const reason = `the process died or had to be ended ${deaths} times while it worked on this record and on nothing else; look for what its content does to this service's memory and native code, then redrive it`;
    return this.finish(batch, [{ ...item, fault: { code: 'POISON', reason, attempts: deaths } }], signal);
  }

  /** Whether everything was committed; false when the signal aborted before. */
  private async finish(batch: RecordBatch, items: readonly Item[], signal: AbortSignal): Promise<boolean> {
    const { maxAttempts, observer } = this.options;
    let rest = items;
    let failures = 0;
    let outages = 0;
    let oneAtATime = false;
    while (rest.length > 0) {
      if (signal.aborted) return false;
      const { limit, limitedTo } = this.setbackOf(batch);
      const several = rest[0]!.record.offset < limitedTo ? rest.slice(0, limit) : rest;
      const isWaiting = several.some(isAlive) && this.options.pace !== undefined;
      const admission = isWaiting
        ? await this.options.pace.admit(several.filter(isAlive).length, oneAtATime, signal)
        : undefined;
      if (isWaiting && admission === undefined) return false;
      const part = upTo(several, admission?.count ?? (oneAtATime ? 1 : several.length));
      const alive = part.filter(isAlive);
      try {
        const step = await this.attempt(batch, part, alive, signal, admission);
        rest = rest.slice(step.count);
        failures = outages = 0;
        if (step.count > 0) this.forgetSetback(batch);
        if (step.then?.kind === 'wait') {
          // The subscription's own signal: a service that closes need not stay for what is not ready.
          await sleep(step.then.afterMs, batch.signal);
          return false;
        }
        if (step.then?.kind === 'stop') throw stopError(this.options.group, step.then);
        if (step.then?.kind === 'retry')
          await this.wait(step.then.afterMs ?? this.backoff(this.failuresOf(rest[0]!)), step.then, signal);
      } catch (error) {
        if (error instanceof RefusedCommit) {
          await this.wait(this.setBack(batch, part, error), error, signal);
          rest = this.withGivenUp(rest);
          continue;
        }
        if (isAborted(signal) && !(error instanceof RefusedForGood) && !isSeamError(error, 'FENCED')) return false;
        const code = isSeamError(error) ? error.code : 'INTERNAL';
        if (
          error instanceof SubscriptionStop ||
          error instanceof HungConsumer ||
          code === 'FENCED' ||
          FATAL.includes(code)
        )
          throw error;
        const cause = { code, reason: messageOf(error) };
        if (isOutage(error)) {
          await this.wait(this.backoff(++outages), cause, signal);
        } else if (alive.length === 1 && code === 'DEADLINE_EXCEEDED' && this.isTooSlow(batch, alive[0]!)) {
          throw new SubscriptionStop('INVALID_CONFIGURATION', messageOf(error));
        } else if (alive.length > 1 && code === 'DEADLINE_EXCEEDED') {
          // Each further try may take as long: halving would take many.
          oneAtATime = true;
          observer.retried(cause, 0);
        } else if (alive.length > 1) {
          if (++failures < WHOLE_BATCH_ATTEMPTS) {
            await this.wait(this.backoff(failures), cause, signal);
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
          } else await this.wait(this.backoff(attempts), cause, signal);
        }
      }
    }
    return true;
  }

  private backoff(failures: number): number {
    return backoffMs(failures, this.options);
  }

  /** Says why, and waits; look at the signal afterwards. */
  private wait(
    ms: number,
    cause: { readonly code: string; readonly reason: string },
    signal: AbortSignal,
  ): Promise<void> {
    this.options.observer.retried(cause, ms);
    return sleep(ms, signal);
  }

  private async attempt(
    batch: RecordBatch,
    rest: readonly Item[],
    alive: readonly Item[],
    signal: AbortSignal,
    admission: Admission | undefined,
  ): Promise<Step> {
    const startedMs = this.options.clock.now();
    let answers: readonly HandlerResult[] = [];
    let done = 0;
    try {
      if (alive.length > 0) answers = await this.ask(batch, rest, alive, signal);
      done = alive.length;
      if (done > 0) {
        this.wasInTime = true;
        this.lateInARow = 0;
      }
    } finally {
      admission?.leave(done);
    }
    const step = this.plan(rest, new Map(alive.map((item, index) => [item, answers[index]!])));
    if (step.count > 0) await this.commit(batch, rest.slice(0, step.count), step, startedMs, signal);
    return step;
  }

  private async ask(
    batch: RecordBatch,
    rest: readonly Item[],
    alive: readonly Item[],
    signal: AbortSignal,
  ): Promise<readonly HandlerResult[]> {
    const { maxAttempts, group } = this.options;
    const delivered: DeliveredBatch = {
      topic: batch.topic,
      partition: batch.partition,
      records: alive.map((item) => {
        const { topic, partition, offset, value } = item.record;
        const attempt = this.failuresOf(item) + 1;
        return {
          event: item.event!,
          position: { topic, partition, offset },
          value,
          attempt,
          isLastAttempt: attempt >= maxAttempts,
        };
      }),
      firstOffset: rest[0]!.record.offset,
      nextOffset: rest.at(-1)!.record.offset + 1,
      claim: batch.claim,
      signal,
      report: () => undefined,
    };
    const answer = await this.answerInTime(delivered);
    if (isOutcome(answer)) return answersForAll(answer, alive.length);
    if (answer.length !== alive.length) {
      throw new SeamError(
        'INTERNAL',
        `Consuming ${batch.topic} as ${group}: expected one answer for the batch or one per record (${alive.length}), came ${answer.length}. Correct the consumer.`,
      );
    }
    return answer;
  }

  /** @throws DEADLINE_EXCEEDED when the consumer heeds the signal that its time is over; {@link HungConsumer} when it does not */
  private async answerInTime(delivered: DeliveredBatch): ReturnType<BatchConsumer> {
    const { deadlineMs, group, observer } = this.options;
    const watched = this.watched(delivered);
    if (deadlineMs === undefined) {
      return this.consumer(watched.batch).finally(() => observer.underWay(null));
    }
    const { topic, partition, records, firstOffset, nextOffset } = delivered;
    const late = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const hung = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        const what = `Consuming ${topic}/${partition} from ${firstOffset} as ${group}: no answer for ${records.length} records within ${deadlineMs} ms`;
        const finding = judgeLateRecord(watched.speed(), deadlineMs);
        this.late.set(`${topic}/${partition}`, finding);
        late.abort(new SeamError('DEADLINE_EXCEEDED', `${what}. ${finding.advice}`));
        timer = setTimeout(
          () =>
            reject(
              new HungConsumer(
                `${what}, and its signal was ignored. The service has to end and be started again: nothing else ends what hangs.`,
                firstOffset,
                nextOffset,
              ),
            ),
          Math.max(HEED_WITHIN_MS, HEED_SHARE_OF_DEADLINE * deadlineMs),
        );
      }, deadlineMs);
    });
    const answer = this.consumer({ ...watched.batch, signal: AbortSignal.any([delivered.signal, late.signal]) });
    try {
      return await Promise.race([answer, hung]);
    } catch (error) {
      if (error instanceof HungConsumer || !late.signal.aborted || delivered.signal.aborted) throw error;
      throw late.signal.reason;
    } finally {
      clearTimeout(timer);
      observer.underWay(null);
      answer.catch(() => undefined); // after its deadline nobody waits for it
    }
  }

  /** The batch, whose reports are passed on, and what they say of the speed. */
  private watched(delivered: DeliveredBatch): {
    readonly batch: DeliveredBatch;
    readonly speed: () => ReturnType<typeof speedOf>;
  } {
    const { deadlineMs = null, observer, pace, clock } = this.options;
    const startedMs = clock.now();
    const reports: { readonly atMs: number; readonly progress: BatchProgress }[] = [];
    const { length: records } = delivered.records;
    return {
      batch: {
        ...delivered,
        report: (progress) => {
          const elapsedMs = clock.now() - startedMs;
          // The first that tells of tokens, and the last: in between the speed is that of writing, without the reading of prompts.
          if (reports.length > 1) reports.pop();
          if (progress.tokens > 0) reports.push({ atMs: elapsedMs, progress });
          const speed = speedOf(reports);
          const perRecordMs = pace?.msPerRecord ?? speed?.msPerRecord;
          observer.underWay({
            partition: delivered.partition,
            records,
            ready: progress.records,
            tokens: progress.tokens,
            tokensPerSecond: speed?.tokensPerSecond ?? null,
            elapsedMs,
            remainingMs: perRecordMs === undefined ? null : Math.max(0, perRecordMs * records - elapsedMs),
            deadlineMs,
          });
        },
      },
      speed: () => speedOf(reports),
    };
  }

  /** Whether it is the deadline, not the record, that a late record tells of; counts it, once. */
  private isTooSlow(batch: RecordBatch, item: Item): boolean {
    const finding = this.late.get(placeOf(batch));
    if (this.failuresOf(item) === 0) this.lateInARow++;
    // Where others were done in time the record may be longer than all of them, until a second one is late as well.
    return finding !== undefined && finding.isTooShort && (!this.wasInTime || this.lateInARow > 1);
  }

  /** Walks the answers in the order of the log up to the first record that has to wait. */
  private plan(rest: readonly Item[], answers: ReadonlyMap<Item, HandlerResult>): Step {
    const events: SeamEvent[] = [];
    const faults: { item: Item; fault: Fault }[] = [];
    for (const [index, item] of rest.entries()) {
      if (item.fault !== undefined) {
        faults.push({ item, fault: item.fault });
        continue;
      }
      if (item.isAnswered) continue;
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
      } else if (answer.kind === 'stop' || answer.kind === 'wait')
        return { count: index, events, faults, then: answer };
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
    try {
      await log.transact({
        records,
        consumed: { claim: batch.claim, offsets: [{ topic, partition, nextOffset: offset + 1 }] },
      });
    } catch (error) {
      const code = isSeamError(error) ? error.code : 'INTERNAL';
      if (code === 'FENCED') throw error;
      const cause = { code, reason: messageOf(error) };
      throw FATAL.includes(code) ? refusedForGood(group, cause) : new RefusedCommit(cause, error);
    }
    if (this.failures.size > 0) for (const item of items) this.failures.delete(nameOf(item));
    if (this.givenUp.size > 0) for (const item of items) this.givenUp.delete(nameOf(item));
    const causes = this.answered.get(placeOf(batch))?.causes;
    if (causes !== undefined) {
      const given = new Set(step.faults.map(({ item }) => item));
      for (const item of items) if (isAlive(item) && !given.has(item)) causes.add(item.event!);
    }
    for (const { item, fault } of step.faults) observer.deadLettered(fault, item.record);
    observer.committed({
      records: items.length,
      events: step.events.length,
      deadLetters: step.faults.length,
      seconds: (clock.now() - startedMs) / 1000,
    });
  }

  /**
   * Remembers a commit that the log refused, and answers how long to wait.
   * @throws {@link RefusedForGood} when it is a dead letter that the log will not take
   */
  private setBack(batch: RecordBatch, part: readonly Item[], refused: RefusedCommit): number {
    const { maxAttempts, clock } = this.options;
    let { failures, limit, limitedTo } = this.setbackOf(batch);
    failures++;
    // The search for a culprit comes to an end by itself.
    const isSearch = FAULTS_OF_RECORDS.includes(refused.code);
    const waitMs = this.backoff(isSearch ? 1 : failures);
    if (isSearch && part.length > 1) {
      limit = Math.floor(part.length / 2);
      limitedTo = Math.max(limitedTo, part.at(-1)!.record.offset + 1);
    } else if (isSearch) {
      const [culprit] = part as [Item];
      if (!isAlive(culprit)) throw refusedForGood(this.options.group, refused);
      const attempts = this.countFailure(culprit);
      const { code, reason } = refused;
      if (attempts >= Math.min(2, maxAttempts)) this.givenUp.set(nameOf(culprit), { code, reason, attempts });
    }
    const notBeforeMs = clock.now() + waitMs;
    this.setbacks.set(placeOf(batch), { failures, notBeforeMs, limit, limitedTo });
    return waitMs;
  }

  /** After a commit: more is taken again, step by step, as a batch may hold several culprits. */
  private forgetSetback(batch: RecordBatch): void {
    const { limit, limitedTo } = this.setbackOf(batch);
    if (limit < batch.records.length) {
      this.setbacks.set(placeOf(batch), { ...NO_SETBACK, limit: limit * 2, limitedTo });
    } else this.setbacks.delete(placeOf(batch));
  }

  private setbackOf(batch: RecordBatch): CommitBackoff {
    return this.setbacks.get(placeOf(batch)) ?? NO_SETBACK;
  }

  private withGivenUp(items: readonly Item[]): readonly Item[] {
    if (this.givenUp.size === 0) return items;
    return items.map((item) => {
      const fault = this.givenUp.get(nameOf(item));
      return fault === undefined ? item : { ...item, fault };
    });
  }

  private decode(record: LogRecord): Item {
    try {
      return { record, event: decodeEvent(record), fault: undefined, isAnswered: false };
    } catch (error) {
      const code = isSeamError(error) ? error.code : 'MALFORMED_RECORD';
      return { record, event: undefined, fault: { code, reason: messageOf(error), attempts: 1 }, isAnswered: false };
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

/** Whether the world failed; also a driver of the log that was told what it has no name for. */
function isOutage(error: unknown): error is SeamError {
  if (!isSeamError(error)) return false;
  return OUTAGES.includes(error.code) || (error.code === 'INTERNAL' && error.details.driver !== undefined);
}

/** Items from the front, up to and with so many that the consumer is to be asked about. */
function upTo(items: readonly Item[], count: number): readonly Item[] {
  let alive = 0;
  const end = items.findIndex((item) => isAlive(item) && ++alive === count);
  return end < 0 ? items : items.slice(0, end + 1);
}

/** Whether the consumer is to be asked. */
function isAlive({ event, fault, isAnswered }: Item): boolean {
  return event !== undefined && fault === undefined && !isAnswered;
}

/** Ends a subscription on purpose. */
class SubscriptionStop extends SeamError {}

/** The log took nothing of a step, which may have cost the claim; another try may succeed, or find the culprit. */
class RefusedCommit extends Error {
  readonly code: ErrorCode;
  readonly reason: string;

  constructor({ code, reason }: { readonly code: ErrorCode; readonly reason: string }, cause: unknown) {
    super(reason, { cause });
    this.code = code;
    this.reason = reason;
  }
}

/** Ends a subscription because the log will never take what it is given, whatever becomes of the claim. */
class RefusedForGood extends SubscriptionStop {}

/** Ends a subscription because its consumer neither answers nor heeds its signal. */
class HungConsumer extends SeamError {
  constructor(
    message: string,
    /** Offsets of the records in hand: of the first, and after the last. */
    readonly first: number,
    readonly next: number,
  ) {
    super('DEADLINE_EXCEEDED', message);
  }
}

function stopError(
  group: string,
  { code, reason }: { readonly code: ErrorCode; readonly reason: string },
): SubscriptionStop {
  return new SubscriptionStop(code, `Group ${group} stops consuming: ${reason}`);
}

function refusedForGood(
  group: string,
  { code, reason }: { readonly code: ErrorCode; readonly reason: string },
): RefusedForGood {
  return new RefusedForGood(code, `Group ${group} cannot commit and stops consuming: ${reason}`);
}

function isOutcome(answer: HandlerResult | readonly HandlerResult[]): answer is HandlerResult {
  return !Array.isArray(answer);
}

/** Asked anew each time: what was false before an await may be true after it. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** A `retry` for a whole batch names no culprit: it is handled like a failure of the batch. */
function answersForAll(answer: HandlerResult, count: number): readonly HandlerResult[] {
  if (answer.kind === 'retry' && count > 1) throw new SeamError(answer.code, answer.reason);
  return Array.from({ length: count }, (_, index) =>
    answer.kind === 'done' && index < count - 1 ? { kind: 'done', events: [] } : answer,
  );
}

function placeOf({ topic, partition }: RecordBatch): string {
  return partitionName(topic, partition);
}

function nameOf({ record }: Item): string {
  return `${partitionName(record.topic, record.partition)}@${record.offset}`;
}
