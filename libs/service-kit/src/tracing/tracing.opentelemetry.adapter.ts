/**
 * Spans by OpenTelemetry's SDK, sent as OTLP over HTTP (JSON). This file alone names its packages, and only open-tracing.ts imports it, at
 * run time: a service that traces nothing does not load them. Nothing global is registered, so several services live in one process.
 */
import {
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { derivedId, newId, withDeadline } from '@seamstream/kernel';
import { type DropReason, SpanQueue } from './span-queue.js';
import { traceContextOf, traceparentOf } from './trace-context.js';
import type { TracingConfig } from './tracing.config.js';
import type { OpenSpan, SpanBeginning, SpanEnd, Tracing } from './tracing.port.js';

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;
/** Spans of a request to the collector; the default of OpenTelemetry's specification, as the delay is. */
const BATCH_SPANS = 512;
const SEND_AFTER_MS = 1_000;
/** Links of a span; the default of OpenTelemetry's specification. */
const MAX_LINKS = 128;
/** Of an attribute's text. Ours are ids and words. */
const MAX_TEXT = 256;
/** Longest time that a service's end waits for its last spans. */
const LAST_SPANS_MS = 2_000;

export interface TracingParts {
  /** e.g. generator */
  readonly service: string;
  readonly config: TracingConfig & { readonly url: string };
  readonly onSent: (spans: number) => void;
  readonly onDropped: (spans: number, reason: DropReason) => void;
}

/** Random ids, but for a span whose id is given. The SDK asks for it while it starts the span. */
class SpanIds implements IdGenerator {
  private readonly random = new RandomIdGenerator();
  given: string | undefined;

  generateTraceId(): string {
    return this.random.generateTraceId();
  }

  generateSpanId(): string {
    return this.given ?? this.random.generateSpanId();
  }
}

export class OpenTelemetryTracing implements Tracing {
  readonly sampleRatio: number;
  private readonly ids = new SpanIds();
  private readonly provider: TracerProvider;
  private readonly tracer: ReturnType<TracerProvider['getTracer']>;

  constructor({ service, config, onSent, onDropped }: TracingParts) {
    const { url, headers, sampleRatio, maxQueueSpans, timeoutMs } = config;
    this.sampleRatio = sampleRatio;
    const exporter = new OTLPTraceExporter({
      url: `${url}${url.endsWith('/') ? '' : '/'}v1/traces`,
      timeoutMillis: timeoutMs,
      ...(headers === undefined ? {} : { headers }),
    });
    const queue = new SpanQueue({
      ...{ exporter, maxSpans: maxQueueSpans, onSent, onDropped },
      batched: (counted) =>
        new BatchSpanProcessor({
          ...{
            exporter: counted,
            maxQueueSize: maxQueueSpans,
            maxExportBatchSize: Math.min(BATCH_SPANS, maxQueueSpans),
          },
          // The exporter gives up first, and says so.
          ...{ scheduledDelayMillis: SEND_AFTER_MS, exportTimeoutMillis: 2 * timeoutMs },
        }),
    });
    this.provider = new TracerProvider({
      resource: resourceFromAttributes({
        'service.name': `seam-${service}`,
        'service.namespace': 'seamstream',
        'service.instance.id': newId(),
      }),
      // What is traced was decided where the trace began; only such spans are begun.
      sampler: new AlwaysOnSampler(),
      idGenerator: this.ids,
      spanLimits: { linkCountLimit: MAX_LINKS, attributeValueLengthLimit: MAX_TEXT },
      spanProcessors: [queue],
    });
    this.tracer = this.provider.getTracer('seamstream');
  }

  begin({ name, kind, parent, links = [], startMs, attributes, madeFrom }: SpanBeginning): OpenSpan {
    const parentContext = spanContextOf(parent);
    this.ids.given = madeFrom === undefined ? undefined : spanIdFrom(madeFrom);
    const span = this.tracer.startSpan(
      name,
      {
        kind: KINDS[kind],
        startTime: startMs,
        attributes,
        links: links.flatMap((link) => {
          const context = spanContextOf(link);
          return context === undefined ? [] : [{ context }];
        }),
      },
      parentContext === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parentContext),
    );
    this.ids.given = undefined;
    return openSpan(span);
  }

  async close(): Promise<void> {
    // Without an answer the last spans are lost, as the counter of dropped ones says.
    await withDeadline(LAST_SPANS_MS, this.provider.shutdown()).catch(() => undefined);
  }
}

function openSpan(span: Span): OpenSpan {
  const { traceId, spanId } = span.spanContext();
  return {
    traceparent: traceparentOf({ traceId, spanId, isSampled: true }),
    end: ({ endMs, attributes, error }: SpanEnd) => {
      if (attributes !== undefined) span.setAttributes(attributes);
      if (error !== undefined) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        span.setAttribute('error.type', error);
      }
      span.end(endMs);
    },
  };
}

function spanContextOf(traceparent: string | null): SpanContext | undefined {
  const context = traceContextOf(traceparent);
  if (context === undefined) return undefined;
  const { traceId, spanId, isSampled } = context;
  return { traceId, spanId, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true };
}

/** Half of a UUID by name is the id of a span. */
function spanIdFrom(text: string): string {
  return derivedId(text, 'span').replaceAll('-', '').slice(0, 16);
}
