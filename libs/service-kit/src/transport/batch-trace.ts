/**
 * Spans of a batch, by OpenTelemetry's conventions for messaging (https://opentelemetry.io/docs/specs/semconv/messaging).
 *
 *   POST /v1/chat/completions ─► send seam.problems ─┬─► process seam.problems      one per batch: parent is the first traced record,
 *                                                    │        ▲ link                links to all of them
 *                                                    └─► create seam.experiences    one per context that answers carry; its own
 *                                                             │                     context goes into the answers
 *                                                             └─► create seam.outcomes …
 *
 * Nothing here begins a trace: an event without a sampled context stays without one. Ids follow from events, so that work that is repeated
 * after a crash has the same spans. Only what is committed is sent.
 */
import { type SeamEvent, TOPIC_OF } from '@seamstream/events';
import { inTrace } from '../tracing/current-trace.js';
import { idAttribute } from '../tracing/id-attribute.js';
import { sampledContextOf, traceContextOf } from '../tracing/trace-context.js';
import type { OpenSpan, SpanAttributes, Tracing } from '../tracing/tracing.port.js';
import type { Item } from './batch-item.js';
import type { Step } from './commit-step.js';
import type { HandlerResult } from './handler-result.js';

/** Links to records of one span. OpenTelemetry's default. */
const MAX_LINKS = 128;

export interface TracedBatch {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  /** Milliseconds since the epoch. */
  readonly startMs: number;
}

/** What is committed, with contexts in its events, and the spans to end afterwards. */
export interface TracedStep {
  readonly step: Step;
  readonly end: (endMs: number) => void;
}

export class BatchTrace {
  private readonly span: OpenSpan;

  private constructor(
    private readonly tracing: Tracing,
    private readonly batch: TracedBatch,
    items: readonly Item[],
    traced: readonly [Item, ...Item[]],
  ) {
    const { group, topic, startMs } = batch;
    this.span = tracing.begin({
      name: `process ${topic}`,
      kind: 'consumer',
      parent: traced[0].event!.meta.traceparent!,
      links: [...new Set(traced.map(({ event }) => event!.meta.traceparent!))].slice(0, MAX_LINKS),
      ...{ startMs, madeFrom: `${group}/${traced[0].event!.meta.messageId}` },
      attributes: {
        ...this.messaging('process'),
        'messaging.batch.message_count': items.length,
        'seam.batch.traced_records': traced.length,
      },
    });
  }

  /** Undefined where no record is traced. @param alive the records that the consumer is asked about */
  static of(tracing: Tracing, batch: TracedBatch, alive: readonly Item[]): BatchTrace | undefined {
    const [first, ...rest] = alive.filter(({ event }) => sampledContextOf(event?.meta.traceparent) !== undefined);
    return first === undefined ? undefined : new BatchTrace(tracing, batch, alive, [first, ...rest]);
  }

  /** Runs work whose log lines name the batch's trace. */
  during<T>(work: () => T): T {
    return inTrace(this.span.traceparent, work);
  }

  /** @param answers of the items */
  traced(items: readonly Item[], answers: ReadonlyMap<Item, HandlerResult>, step: Step): TracedStep {
    const spans: { readonly span: OpenSpan; readonly error?: string }[] = [];
    const contexts = new Map<SeamEvent, string>();
    for (const item of items) {
      const answer = answers.get(item);
      if (answer?.kind !== 'done') continue;
      for (const [parent, events] of byContext(answer.events)) {
        const span = this.create(item, parent, events);
        spans.push({ span });
        for (const event of events) contexts.set(event, span.traceparent);
      }
    }
    for (const { item, fault } of step.faults) {
      const parent = item.event?.meta.traceparent;
      if (typeof parent === 'string' && sampledContextOf(parent) !== undefined)
        spans.push({ span: this.giveUp(item, parent), error: fault.code });
    }
    const [fault] = step.faults;
    return {
      step:
        contexts.size === 0
          ? step
          : { ...step, events: step.events.map((event) => within(event, contexts.get(event))) },
      end: (endMs) => {
        for (const { span, error } of spans) span.end({ endMs, error });
        this.span.end({ endMs, error: fault?.fault.code });
      },
    };
  }

  /** What follows from a record in one trace. */
  private create(item: Item, parent: string, events: readonly SeamEvent[]): OpenSpan {
    const { meta } = item.event!;
    const [first] = events as [SeamEvent];
    const topic = TOPIC_OF[first.type];
    const isOfAnother = traceContextOf(meta.traceparent)?.traceId !== traceContextOf(parent)?.traceId;
    return this.tracing.begin({
      name: `create ${topic}`,
      kind: 'producer',
      parent,
      // Feedback has a separate trace, and what follows from it belongs to the answer's.
      links: [
        this.span.traceparent,
        ...(isOfAnother && typeof meta.traceparent === 'string' ? [meta.traceparent] : []),
      ],
      startMs: this.batch.startMs,
      attributes: {
        ...this.messaging('create'),
        'messaging.destination.name': topic,
        'seam.event.type': first.type,
        'seam.event.count': events.length,
        'seam.event.id': idAttribute(first.meta.messageId),
        'seam.cause.id': idAttribute(meta.messageId),
        'seam.correlation.id': idAttribute(first.meta.correlationId),
      },
      madeFrom: `${this.batch.group}/${meta.messageId}/${parent}`,
    });
  }

  private giveUp(item: Item, parent: string): OpenSpan {
    const { meta } = item.event!;
    return this.tracing.begin({
      name: `settle ${this.batch.topic}`,
      kind: 'consumer',
      parent,
      links: [this.span.traceparent],
      startMs: this.batch.startMs,
      attributes: {
        ...this.messaging('settle'),
        'seam.cause.id': idAttribute(meta.messageId),
        'seam.correlation.id': idAttribute(meta.correlationId),
      },
      madeFrom: `${this.batch.group}/${meta.messageId}/given up`,
    });
  }

  private messaging(operation: 'process' | 'create' | 'settle'): SpanAttributes {
    const { group, topic, partition } = this.batch;
    return {
      'messaging.system': 'seamstream',
      'messaging.operation.type': operation,
      'messaging.operation.name': operation,
      'messaging.destination.name': topic,
      'messaging.destination.partition.id': String(partition),
      'messaging.consumer.group.name': group,
    };
  }
}

/** The events of each sampled context. */
function byContext(events: readonly SeamEvent[]): ReadonlyMap<string, readonly SeamEvent[]> {
  const traced = events.filter(({ meta }) => sampledContextOf(meta.traceparent) !== undefined);
  return Map.groupBy(traced, ({ meta }) => meta.traceparent!);
}

function within(event: SeamEvent, traceparent: string | undefined): SeamEvent {
  return traceparent === undefined ? event : { ...event, meta: { ...event.meta, traceparent } };
}
