/**
 * W3C trace context (https://www.w3.org/TR/trace-context, level 1) as events and HTTP carry it: version, trace, span, flags.
 *
 *   00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
 *
 * Pure. `tracestate` is not carried: nothing here reads it, and its text is a stranger's.
 */
export interface TraceContext {
  /** 32 hexadecimal digits, not all 0. */
  readonly traceId: string;
  /** 16 hexadecimal digits, not all 0. */
  readonly spanId: string;
  /** Whether its spans are recorded. */
  readonly isSampled: boolean;
}

/** A later version may append fields behind a dash; ff is not a version. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/s;
/** Of a later version: longer ones are not read. */
const MAX_CHARACTERS = 512;
const FIRST_VERSION = '00';
const SAMPLED = 1;

/** Undefined for what is no trace context. */
export function traceContextOf(text: string | null | undefined): TraceContext | undefined {
  if (text === null || text === undefined || text.length > MAX_CHARACTERS) return undefined;
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === FIRST_VERSION && more !== undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** In the first version's form. */
export function traceparentOf({ traceId, spanId, isSampled }: TraceContext): string {
  return `${FIRST_VERSION}-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** The context where its spans are recorded; undefined for all others. */
export function sampledContextOf(text: string | null | undefined): TraceContext | undefined {
  const context = traceContextOf(text);
  return context?.isSampled === true ? context : undefined;
}

/**
 * Whether a trace is among the given fraction: the last 14 digits of its id as a fraction of all of them, as consistent probability sampling
 * of OpenTelemetry has it (https://opentelemetry.io/docs/specs/otel/trace/tracestate-probability-sampling). All services agree on it.
 * @param ratio 0 … 1
 */
export function isAmong(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-14), 16) / 16 ** 14 >= 1 - ratio;
}
