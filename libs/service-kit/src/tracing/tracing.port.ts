/** Spans of a service, without the packages that make and send them. Where tracing is off there is no such object. */

/** Figures and words from small sets, and ids by {@link idAttribute}: never what a client, a model or a record says. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanBeginning {
  /** From a small set: a span's name holds no id. */
  readonly name: string;
  readonly kind: 'server' | 'client' | 'producer' | 'consumer';
  /** The traceparent that it follows; null begins a trace. */
  readonly parent: string | null;
  /** Traceparents. */
  readonly links?: readonly string[];
  /** Milliseconds since the epoch. */
  readonly startMs: number;
  readonly attributes: SpanAttributes;
  /** What its id follows from, so that a step that is repeated is the same span; a random id when absent. */
  readonly madeFrom?: string;
}

export interface SpanEnd {
  /** Milliseconds since the epoch. */
  readonly endMs: number;
  readonly attributes?: SpanAttributes;
  /** A code from a small set; absent for what succeeded. */
  readonly error?: string | undefined;
}

export interface OpenSpan {
  /** Its context, for events, lines and other spans. */
  readonly traceparent: string;
  /** Only a span that has ended is sent. */
  end(end: SpanEnd): void;
}

export interface Tracing {
  /** Fraction of the traces that this service begins, or takes over from its clients. */
  readonly sampleRatio: number;
  begin(beginning: SpanBeginning): OpenSpan;
  /** Sends what has ended, for a bounded time. */
  close(): Promise<void>;
}
