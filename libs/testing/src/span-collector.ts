/** A collector of OpenTelemetry: takes OTLP over HTTP in JSON, and decodes what it is sent. */
import { type Behaviour, ModelServer, type SeenRequest } from './model-server.js';

export interface CollectedSpan {
  /** service.name of its resource. */
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Absent at the root of a trace. */
  readonly parentSpanId?: string | undefined;
  readonly name: string;
  /** 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** 2 where it failed. */
  readonly status: { readonly code?: number | undefined };
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface Otlp {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, 'service' | 'attributes' | 'links'> & {
        readonly attributes: readonly Attribute[];
        readonly links?: CollectedSpan['links'];
      })[];
    }[];
  }[];
}

export class SpanCollector {
  private constructor(private readonly server: ModelServer) {}

  static async start(behave: () => Behaviour = () => ({ kind: 'answer', body: {} }), port = 0): Promise<SpanCollector> {
    return new SpanCollector(await ModelServer.start(behave, port));
  }

  /** For SEAM_TRACING_URL. */
  get url(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  get requests(): readonly SeenRequest[] {
    return this.server.seen;
  }

  /** Every span so far, also of requests that it refused. */
  spans(): readonly CollectedSpan[] {
    return this.server.seen.flatMap(({ body }) =>
      (body as unknown as Otlp).resourceSpans.flatMap(({ resource, scopeSpans }) =>
        scopeSpans.flatMap(({ spans }) =>
          spans.map((span) => ({
            ...span,
            service: String(valuesOf(resource.attributes)['service.name']),
            attributes: valuesOf(span.attributes),
            links: span.links ?? [],
          })),
        ),
      ),
    );
  }

  stop(): Promise<void> {
    return this.server.stop();
  }
}

/** OTLP names the type of each value: `{"intValue": 3}`. */
function valuesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
