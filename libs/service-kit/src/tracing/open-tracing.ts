import type { ServiceMetrics } from '../service-metrics.js';
import type { TracingConfig } from './tracing.config.js';
import type { Tracing } from './tracing.port.js';

/**
 * The service's tracing; undefined where no collector is configured. Then no package of OpenTelemetry is loaded.
 * @param service its name, e.g. generator
 */
export async function openTracing(
  service: string,
  { url, ...config }: TracingConfig,
  metrics: ServiceMetrics,
): Promise<Tracing | undefined> {
  if (url === undefined) return undefined;
  const { OpenTelemetryTracing } = await import('./tracing.opentelemetry.adapter.js');
  const sent = metrics.counter('seam_spans_sent_total', 'Spans that the collector took.');
  const dropped = metrics.counter('seam_spans_dropped_total', 'Spans that were not sent, by reason.', ['reason']);
  return new OpenTelemetryTracing({
    ...{ service, config: { ...config, url } },
    onSent: (spans) => sent.inc(spans),
    onDropped: (spans, reason) => dropped.inc({ reason }, spans),
  });
}
