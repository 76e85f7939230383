/**
 * NestJS's door to the event log: every method decorated with {@link ConsumeTopic} becomes a member of its consumer group
 * and receives batches. At most one batch per partition is in flight, and at most `maxConcurrentPartitions` batches. A slow
 * consumer is not fetched for, which is all the back-pressure a log needs.
 *
 * Shutdown: fetching stops at once. Work in flight gets `shutdownGraceMs` to finish and commit. Then its signal aborts, and
 * its records stay for the next member. Work on a partition that another member takes is stopped without grace.
 */
import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import type { EventLog, RecordBatch, Subscription } from '@seamstream/event-log';
import { type Clock, messageOf, ReadWriteLock, SeamError, systemClock } from '@seamstream/kernel';
import type { ObjectStore } from '@seamstream/object-store';
import { isObservable, lastValueFrom } from 'rxjs';
import type { CommonConfig } from '../config/common-config.js';
import { RationedLines } from '../rationed-lines.js';
import type { ServiceLogger } from '../service-logger.js';
import type { ServiceMetrics } from '../service-metrics.js';
import { traceFacts } from '../tracing/current-trace.js';
import type { Tracing } from '../tracing/tracing.port.js';
import { BatchWorker } from './batch-worker.js';
import type { TopicConsumption } from './consume-topic.decorator.js';
import { CrashJournal } from './crash-journal.js';
import type { DeliveredBatch } from './delivery.js';
import type { HandlerResult } from './handler-result.js';
import { Pace } from './pace.js';
import type { BatchUnderWay, WorkerOptions } from './worker-options.js';

export interface EventLogStrategyOptions {
  readonly log: EventLog;
  /** The service in the meta of dead letters and in log lines, e.g. seam/generator. */
  readonly source: string;
  readonly consuming: CommonConfig['consuming'];
  readonly metrics: ServiceMetrics;
  readonly logger: ServiceLogger;
  /** By group: replaces the decorator's figures. */
  readonly overrides?: Readonly<
    Record<string, Partial<Pick<TopicConsumption, 'maxBatchRecords' | 'maxConcurrentPartitions'>>>
  >;
  readonly clock?: Clock;
  /** Receives the batches under way of consumers that report, and null at their end, for a display of progress. */
  readonly onUnderWay?: ((group: string, progress: BatchUnderWay | null) => void) | undefined;
  /** Where marks of in-flight records are kept, for a service with its own process: then deaths have one cause. */
  readonly crashMarksIn?: ObjectStore | undefined;
  /** Absent where nothing is traced. */
  readonly tracing?: Tracing | undefined;
}

interface Consumer {
  readonly consumption: TopicConsumption;
  readonly subscription: Subscription;
  state: 'running' | 'ended';
}

export class EventLogStrategy extends Server implements CustomTransportStrategy {
  override readonly transportId = Symbol('seamstream.event-log');
  // Nest then leaves failures to us instead of logging and forgetting them.
  override readonly propagatesEventHandlerErrors = true;
  /** Rejects when a subscription ends with an error; resolves when the strategy is closed. */
  readonly ended: Promise<void>;
  private readonly consumers: Consumer[] = [];
  private readonly inFlight = new Set<Promise<void>>();
  private readonly deadline = new AbortController();
  private readonly lock = new ReadWriteLock();
  private readonly marks: CrashJournal[] = [];
  /** Called when nothing is consumed any more. */
  private readonly closers: (() => Promise<void>)[] = [];
  private closing: Promise<void> | undefined;
  private settle!: { resolve: () => void; reject: (error: unknown) => void };

  constructor(private readonly options: EventLogStrategyOptions) {
    super();
    this.ended = new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
    });
    this.ended.catch(() => undefined); // a host may await it, but need not
  }

  /** Groups and whether their subscription runs. */
  subscriptions(): readonly {
    readonly group: string;
    readonly topic: string;
    readonly isRunning: boolean;
    readonly partitions: readonly string[];
  }[] {
    return this.consumers.map(({ consumption, subscription, state }) => ({
      group: consumption.group,
      topic: consumption.topic,
      isRunning: state === 'running',
      partitions: state === 'running' ? subscription.assignment() : [],
    }));
  }

  async listen(callback: (error?: unknown) => void): Promise<void> {
    try {
      const groups = new Set<string>();
      for (const handler of this.messageHandlers.values()) {
        const consumption = this.consumptionOf(handler);
        if (groups.has(consumption.group)) {
          throw new SeamError(
            'INVALID_CONFIGURATION',
            `Cannot consume ${consumption.topic}: group ${consumption.group} already has a consumer in this service. Give each method its own group.`,
          );
        }
        groups.add(consumption.group);
        await this.subscribe(consumption, handler);
      }
      callback();
    } catch (error) {
      callback(error);
    }
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  /** There is nothing to listen to besides {@link ended}. */
  on(): void {
    throw new SeamError(
      'INTERNAL',
      'Cannot listen to the event-log transport: it has no events. Await `ended` instead.',
    );
  }

  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- Nest's signature.
  unwrap<T>(): T {
    return this.options.log as T;
  }

  private async subscribe(consumption: TopicConsumption, handler: MessageHandler): Promise<void> {
    const { log, source, consuming, metrics, logger, tracing, clock = systemClock } = this.options;
    const { group, topic, maxBatchRecords, maxConcurrentPartitions, sharing = 'spread', turn } = consumption;
    const { isPaced = false, answersIn } = consumption;
    const { maxAttempts, firstRetryMs, maxRetryMs, deadlineMs } = consuming;
    const pace = isPaced ? new Pace(deadlineMs, () => clock.now()) : undefined;
    const worker = new BatchWorker(
      {
        log,
        group,
        source,
        maxAttempts,
        firstRetryMs,
        maxRetryMs,
        ...(answersIn === undefined ? {} : { answersIn }),
        deadlineMs,
        ...this.crashesOf(group),
        ...(pace === undefined ? {} : { pace }),
        ...(tracing === undefined ? {} : { tracing }),
        clock,
        observer: this.observerOf(group, topic),
      },
      (batch) => this.ask(handler, batch),
    );
    const subscription = await log.consume({
      group,
      topics: [topic],
      from: 'earliest',
      sharing,
      ...(turn === undefined ? {} : { turn }),
      maxBatchRecords,
      ...(maxConcurrentPartitions === undefined ? {} : { maxConcurrentPartitions }),
      onBatch: (batch) => this.track(worker, batch),
    });
    const consumer: Consumer = { consumption, subscription, state: 'running' };
    this.consumers.push(consumer);
    metrics.watchLag(group, topic, log);
    void subscription.closed.then(
      () => {
        consumer.state = 'ended';
      },
      (error: unknown) => {
        consumer.state = 'ended';
        logger.error({ group, topic, reason: messageOf(error) }, 'subscription ended with an error');
        this.settle.reject(error);
      },
    );
  }

  /** What happens, as metrics and lines. */
  private observerOf(group: string, topic: string): WorkerOptions['observer'] {
    const { metrics, logger, tracing, clock = systemClock, onUnderWay } = this.options;
    const lines = new RationedLines(
      logger,
      (sumUp) => this.closers.push(sumUp),
      () => clock.now(),
    );
    let saidAtMs = clock.now();
    return {
      committed: ({ records, events, deadLetters, seconds }) => {
        metrics.recordsConsumed.inc({ group, topic }, records);
        metrics.eventsAppended.inc({ group }, events);
        metrics.batchSeconds.observe({ group }, seconds);
        logger.debug({ group, records, events, deadLetters, seconds }, 'batch committed');
      },
      deadLettered: (fault, { partition, offset, headers }) => {
        metrics.deadLetters.inc({ group, code: fault.code });
        const trace = tracing === undefined ? {} : traceFacts(headers.traceparent ?? null);
        const facts = { group, topic, partition, offset, ...fault, ...trace };
        lines.warn(fault.code, facts, 'record sent to the dead letters');
      },
      retried: ({ code, reason }, waitMs) => {
        metrics.retries.inc({ group, code });
        lines.warn(`retried ${code}`, { group, topic, code, reason, waitMs }, 'trying again after a wait');
      },
      fenced: (records) => {
        metrics.fenced.inc({ group }, records);
        logger.info({ group, topic, records }, 'work dropped: another instance owns the partition');
      },
      passedOver: (records) => {
        metrics.passedOver.inc({ group }, records);
        logger.debug({ group, topic, records }, 'records passed over: they were answered before');
      },
      notBelieved: (places) => {
        metrics.foreignAnswers.inc({ group }, places.length);
        for (const place of places)
          lines.warn(
            'foreign answer',
            { group, ...place },
            'answer NOT BELIEVED; the record that it names is worked on',
          );
      },
      underWay: (progress) => {
        onUnderWay?.(group, progress);
        metrics.underWay(group, progress);
        if (progress === null || clock.now() - saidAtMs < SAY_PROGRESS_EVERY_MS) return;
        saidAtMs = clock.now();
        logger.info({ group, topic, ...progress }, 'batch under way');
      },
    };
  }

  private crashesOf(group: string): Pick<WorkerOptions, 'crashes'> {
    const { crashMarksIn: objects, consuming, logger } = this.options;
    if (objects === undefined) return {};
    const warn = (reason: string): void => logger.warn({ group, reason }, 'in-flight records are not marked');
    const marks = new CrashJournal({ objects, group, maxDeaths: consuming.maxDeaths, warn });
    this.marks.push(marks);
    return { crashes: { marks, lock: this.lock } };
  }

  private track(worker: BatchWorker, batch: RecordBatch): Promise<void> {
    const stopSignal = new AbortController();
    // At shutdown the log's own signal aborts at once; ours waits for the deadline.
    const onAbort = (): void => {
      if (this.closing === undefined) stopSignal.abort(batch.signal.reason);
    };
    batch.signal.addEventListener('abort', onAbort);
    if (batch.signal.aborted) onAbort();
    const work = worker
      .work(batch, AbortSignal.any([stopSignal.signal, this.deadline.signal]))
      .finally(() => batch.signal.removeEventListener('abort', onAbort));
    const quiet = work.catch(() => undefined);
    this.inFlight.add(quiet);
    void quiet.then(() => this.inFlight.delete(quiet));
    return work;
  }

  private async ask(handler: MessageHandler, batch: DeliveredBatch): Promise<HandlerResult | readonly HandlerResult[]> {
    const answer: unknown = await handler(batch, undefined);
    return (isObservable(answer) ? await lastValueFrom(answer) : answer) as HandlerResult | readonly HandlerResult[];
  }

  private consumptionOf(handler: MessageHandler): TopicConsumption {
    const consumption = handler.extras?.consumption as TopicConsumption | undefined;
    if (consumption === undefined) {
      throw new SeamError(
        'INTERNAL',
        'Cannot start the event-log transport: a handler lacks @ConsumeTopic. Decorate it.',
      );
    }
    return { ...consumption, ...this.options.overrides?.[consumption.group] };
  }

  private async shutDown(): Promise<void> {
    const { consuming, logger } = this.options;
    // `closing` is set before this line's first await, see close(): from here on the log's signals do not stop work.
    await Promise.resolve();
    const closed = Promise.allSettled(this.consumers.map(({ subscription }) => subscription.close()));
    const timer = setTimeout(() => {
      logger.warn(
        { batches: this.inFlight.size, graceMs: consuming.shutdownGraceMs },
        'shutdown: work in flight is handed back',
      );
      this.deadline.abort(
        new SeamError('ABORTED', 'Cannot finish: the service shuts down, and the time to finish is over.'),
      );
    }, consuming.shutdownGraceMs);
    // A consumer that ignores its signal must not hold the process: it is left behind, and what it commits is FENCED.
    const gaveUp = new Promise<void>((resolve) => {
      this.deadline.signal.addEventListener('abort', () => setTimeout(resolve, ABANDON_AFTER_MS).unref());
    });
    await Promise.race([closed, gaveUp]);
    clearTimeout(timer);
    await Promise.all([...this.marks.map((marks) => marks.clearAll()), ...this.closers.map((close) => close())]);
    this.settle.resolve();
  }
}

/** Between two log lines on the progress of a group's batches. */
const SAY_PROGRESS_EVERY_MS = 15_000;

/** Time between the abort signal and leaving a consumer behind. */
const ABANDON_AFTER_MS = 1_000;
