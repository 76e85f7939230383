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

/** Seconds. An answer of a language model takes as long as a minute, a page some milliseconds. */
const BUCKETS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300];
/** Of requests that no route takes. */
const NO_ROUTE = 'none';
/** Others are those of scanners: Node knows some 35. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export class ObservedRequests {
  private readonly spans = new WeakMap<IncomingMessage, OpenSpan>();

  constructor(
    private readonly metrics: ServiceMetrics,
    private readonly tracing: Tracing | undefined,
    private readonly clock: Clock,
  ) {}

  /** Before any hook that may refuse a request: what is refused counts as well. */
  observe(fastify: FastifyInstance): void {
    const seconds = this.metrics.histogram(
      'seam_http_request_seconds',
      "Time from a client's request to the end of its answer, by route, method and class of status.",
      ['route', 'method', 'status'],
      BUCKETS,
    );
    if (this.tracing !== undefined) this.trace(fastify, this.tracing);
    fastify.addHook('onResponse', async (request, reply) => {
      const status = `${Math.floor(reply.raw.statusCode / 100)}xx`;
      seconds.observe({ route: routeOf(request), method: methodOf(request), status }, reply.elapsedTime / 1000);
      const { statusCode } = reply.raw;
      this.spans.get(request.raw)?.end({
        endMs: this.clock.now(),
        attributes: { 'http.response.status_code': statusCode },
        error: statusCode >= 500 ? String(statusCode) : undefined,
      });
    });
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
  return routeOptions.url ?? NO_ROUTE;
}

function methodOf({ method }: FastifyRequest): string {
  return METHODS.has(method) ? method : 'other';
}

function textOf(header: string | string[] | undefined): string | null {
  return typeof header === 'string' ? header : null;
}
