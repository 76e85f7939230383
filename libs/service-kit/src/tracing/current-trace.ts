/** The trace that code runs in, for log lines. Nothing is held where tracing is off. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { traceContextOf } from './trace-context.js';

const current = new AsyncLocalStorage<string>();

/** Runs the work; lines that are written in it name the trace. */
export function inTrace<T>(traceparent: string, work: () => T): T {
  return current.run(traceparent, work);
}

/** Facts of a line by which it is found from its trace, named as OpenTelemetry names them outside of OTLP. */
export function traceFacts(
  traceparent: string | null | undefined = current.getStore(),
): Readonly<Record<string, string>> {
  const context = traceContextOf(traceparent);
  return context === undefined ? {} : { trace_id: context.traceId, span_id: context.spanId };
}
