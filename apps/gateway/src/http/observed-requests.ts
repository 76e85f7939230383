/**
 * What is measured of every request of a client: rate, errors and duration by the template of its route, and a span where tracing is on.
 * Neither a path nor another text of a client becomes a label or an attribute, so their number is bounded by the routes.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '@seamstream/kernel';
import {
  inTrace,
  isAmong,
  type OpenSpan,
  type ServiceMetrics,
  type Tracing,
  traceContextOf,
  traceparentOf,
} from '@seamstream/service-kit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type MetricSample, type RequestFigures, requestFigures } from './request-figures.js';

/** Seconds. An answer of a language model takes as long as a minute, a page some milliseconds. */
const BUCKETS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300];
/** Of requests that no route takes, and of errors without a code. */
const NONE = 'none';
/** Others are those of scanners: Node knows some 35. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export class ObservedRequests {
  private readonly spans = new WeakMap<IncomingMessage, OpenSpan>();
  private readonly codes = new WeakMap<IncomingMessage, string>();
  private readonly seconds: ReturnType<ServiceMetrics['histogram']>;
  private readonly errors: ReturnType<ServiceMetrics['counter']>;
  private readonly parts: ReturnType<ServiceMetrics['histogram']>;
  private readonly sinceMs: number;

  constructor(
    metrics: ServiceMetrics,
    private readonly tracing: Tracing | undefined,
    private readonly clock: Clock,
  ) {
    this.sinceMs = clock.now();
    this.seconds = metrics.histogram(
      'seam_http_request_seconds',
      "Time from a client's request to the end of its answer, by route, method and class of status.",
      ['route', 'method', 'status'],
      BUCKETS,
    );
    this.parts = metrics.histogram(
      'seam_chat_part_seconds',
      "Parts of the time of a chat request that was answered whole: entry (the wait for an experience, in the treated arm), executor, own (the gateway's, its records in the log included).",
      ['part'],
      BUCKETS,
    );
    this.errors = metrics.counter(
      'seam_http_errors_total',
      'Requests that ended with a status of 400 or above, by it and by the code of the error, "none" where it has none.',
      ['status', 'code'],
    );
  }

  /** Before any hook that may refuse a request: what is refused counts as well. */
  observe(fastify: FastifyInstance): void {
    if (this.tracing !== undefined) this.trace(fastify, this.tracing);
    fastify.addHook('onResponse', async (request, reply) => {
      const { statusCode } = reply.raw;
      const status = `${Math.floor(statusCode / 100)}xx`;
      this.seconds.observe({ route: routeOf(request), method: methodOf(request), status }, reply.elapsedTime / 1000);
      if (statusCode >= 400) this.errors.inc({ status: String(statusCode), code: this.codes.get(request.raw) ?? NONE });
      this.spans.get(request.raw)?.end({
        endMs: this.clock.now(),
        attributes: { 'http.response.status_code': statusCode },
        error: statusCode >= 500 ? String(statusCode) : undefined,
      });
    });
  }

  /** Says which error a request ends with. @param code one of the gateway's, never a text of a client or a server */
  endsWith({ raw }: FastifyRequest, code: string | null): void {
    if (code !== null) this.codes.set(raw, code);
  }

  /** Of a chat request that was answered whole. */
  observeParts(seconds: Readonly<Record<string, number | null>>): void {
    for (const [part, each] of Object.entries(seconds)) if (each !== null) this.parts.observe({ part }, each);
  }

  /** What was measured since the start. */
  async figures(): Promise<RequestFigures & { readonly sinceMs: number }> {
    const [seconds, errors, parts] = await Promise.all([this.seconds.get(), this.errors.get(), this.parts.get()]);
    const samples = {
      seconds: seconds.values as MetricSample[],
      errors: errors.values as MetricSample[],
      parts: parts.values as MetricSample[],
    };
    return { sinceMs: this.sinceMs, ...requestFigures(samples) };
  }

  /**
   * The context that events of a request carry: its span's where it is traced, else what the client sent. Where tracing is on and
   * the request is not among the traced, the context says so to all services behind.
   */
  traceparentOf({ raw, headers }: FastifyRequest): string | null {
    const context = traceContextOf(textOf(headers.traceparent));
    if (this.tracing === undefined) return context === undefined ? null : traceparentOf(context);
    const span = this.spans.get(raw);
    if (span !== undefined) return span.traceparent;
    return context === undefined ? null : traceparentOf({ ...context, isSampled: false });
  }

  private trace(fastify: FastifyInstance, tracing: Tracing): void {
    fastify.addHook('onRequest', async (request) => {
      const parent = tracedParent(textOf(request.headers.traceparent), tracing.sampleRatio);
      if (parent === undefined) return;
      const route = request.routeOptions.url;
      const span = tracing.begin({
        name: route === undefined ? methodOf(request) : `${methodOf(request)} ${route}`,
        ...{ kind: 'server', parent, startMs: this.clock.now() },
        attributes: {
          'http.request.method': methodOf(request),
          'seam.request.id': request.id,
          ...(route === undefined ? {} : { 'http.route': route }),
        },
      });
      this.spans.set(request.raw, span);
    });
    // Behind the reading of the body, which would lose it.
    fastify.addHook('preHandler', (request, _reply, done) => {
      const span = this.spans.get(request.raw);
      if (span === undefined) done();
      else inTrace(span.traceparent, done);
    });
  }
}

/**
 * The parent of a request's span; null begins a trace. Undefined where the request is not traced: its client does not sample it, or it
 * is not among the fraction. A client cannot have more than that traced.
 */
function tracedParent(header: string | null, ratio: number): string | null | undefined {
  const context = traceContextOf(header);
  if (context === undefined) return isAmong(randomBytes(16).toString('hex'), ratio) ? null : undefined;
  return context.isSampled && isAmong(context.traceId, ratio) ? traceparentOf(context) : undefined;
}

function routeOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.url ?? NONE;
}

function methodOf({ method }: FastifyRequest): string {
  return METHODS.has(method) ? method : 'other';
}

function textOf(header: string | string[] | undefined): string | null {
  return typeof header === 'string' ? header : null;
}
