/**
 * The span of an executor's answer, by OpenTelemetry's conventions for generative models (https://opentelemetry.io/docs/specs/semconv/gen-ai,
 * status: development). Of the conversation it holds nothing but counts.
 */
import {
  idAttribute,
  type OpenSpan,
  type SpanAttributes,
  sampledContextOf,
  type Tracing,
} from '@seamstream/service-kit';
import { tokensIn } from '../quotas/reported-tokens.js';
import type { Answered } from './answered.decide.js';
import type { Treatment } from './chat-events.decide.js';
import type { Tries } from './upstream-order.js';

/** Undefined where the request is not traced. */
export function beginChatSpan(
  tracing: Tracing | undefined,
  traceparent: string | null,
  { tries, treatment, startMs }: { readonly tries: Tries; readonly treatment: Treatment; readonly startMs: number },
): OpenSpan | undefined {
  if (tracing === undefined || sampledContextOf(traceparent) === undefined) return undefined;
  const { arm, experience, withoutEntry } = treatment;
  return tracing.begin({
    ...{ name: 'chat', kind: 'client', parent: traceparent, startMs },
    attributes: {
      'gen_ai.operation.name': 'chat',
      // As it is configured, not as the client wrote it.
      'gen_ai.request.model': tries.current.models[0]!,
      'seam.arm': arm,
      ...(experience === null ? {} : { 'seam.experience.id': idAttribute(experience.experienceId) }),
      ...(withoutEntry === null ? {} : { 'seam.without_entry': withoutEntry }),
    },
  });
}

export function endChatSpan(
  span: OpenSpan | undefined,
  end: {
    readonly nowMs: number;
    /** Executors that were asked. */
    readonly tries: number;
    readonly usage?: Answered['usage'];
    readonly error?: string;
  },
): void {
  if (span === undefined) return;
  const { nowMs, tries, usage = null, error } = end;
  const tokens: SpanAttributes = Object.fromEntries(
    [
      ['gen_ai.usage.input_tokens', tokensIn(usage, 'prompt_tokens')] as const,
      ['gen_ai.usage.output_tokens', tokensIn(usage, 'completion_tokens')] as const,
    ].filter((entry): entry is [(typeof entry)[0], number] => typeof entry[1] === 'number'),
  );
  span.end({ endMs: nowMs, attributes: { 'seam.executor.tries': tries, ...tokens }, error });
}
