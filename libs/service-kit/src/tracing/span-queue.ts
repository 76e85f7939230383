/**
 * Between spans that end and their exporter: how many wait is bounded, and every span that is not sent is counted. The SDK's own queue
 * drops in silence.
 */
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';

export interface SpanQueueOptions {
  readonly exporter: SpanExporter;
  /** Makes the processor that batches spans for an exporter. */
  readonly batched: (exporter: SpanExporter) => SpanProcessor;
  readonly maxSpans: number;
  readonly onSent: (spans: number) => void;
  readonly onDropped: (spans: number, reason: DropReason) => void;
}

/** `queue_full`: too many waited. `refused`: the collector did not take them in time. */
export type DropReason = 'queue_full' | 'refused';

/** ExportResultCode.SUCCESS of @opentelemetry/core. */
const SUCCESS = 0;

export class SpanQueue implements SpanProcessor {
  private waiting = 0;
  private readonly inner: SpanProcessor;

  constructor(private readonly options: SpanQueueOptions) {
    const { exporter } = options;
    this.inner = options.batched({
      export: (spans, done) =>
        exporter.export(spans, (result) => {
          const code: number = result.code;
          this.left(spans.length, code === SUCCESS);
          done(result);
        }),
      shutdown: () => exporter.shutdown(),
      forceFlush: async () => exporter.forceFlush?.(),
    });
  }

  onStart(): void {
    // A span counts when it has ended.
  }

  onEnd(span: ReadableSpan): void {
    if (this.waiting >= this.options.maxSpans) {
      this.options.onDropped(1, 'queue_full');
      return;
    }
    this.waiting++;
    this.inner.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.inner.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.inner.shutdown();
  }

  private left(spans: number, areSent: boolean): void {
    this.waiting -= spans;
    if (areSent) this.options.onSent(spans);
    else this.options.onDropped(spans, 'refused');
  }
}
