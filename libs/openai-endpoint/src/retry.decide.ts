/** What an exchange means for its request and for those after it. Pure. */

import type { ErrorCode } from '@seamstream/kernel';
import { type BackoffLimits, jitteredBackoffMs } from '@seamstream/kernel';
import type { Exchange } from './http-exchange.js';

export type Reading =
  | { readonly kind: 'answer'; readonly body: string }
  /** This request may be answered if it is sent again. `afterMs`: what the server asks for. */
  | { readonly kind: 'failed'; readonly reason: string; readonly afterMs: number | null }
  /** No request is answered at present. */
  | { readonly kind: 'outage'; readonly reason: string; readonly afterMs: number | null }
  /** This request will not be answered as it is. */
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly reason: string }
  /** No request will be answered before a person acts. */
  | { readonly kind: 'halted'; readonly code: ErrorCode; readonly reason: string };

/**
 * Meanings: https://www.rfc-editor.org/rfc/rfc9110#name-status-codes; 529 is "overloaded" among model servers. 502 and 504 are not among them:
 * a gateway says so too where one prompt takes too long or ends the server.
 */
const OUTAGES: readonly number[] = [429, 503, 529];
const PASSING: readonly number[] = [408, 409, 425];
const REFUSED_KEYS: readonly number[] = [401, 403];
const MISADDRESSED: readonly number[] = [404, 405, 410];

/** Longest part of a server's own words in a reason. Characters. */
const MAX_QUOTED = 200;

/**
 * @param keyName how the reader knows the key
 * @param quotable takes out of a server's words what must not be repeated
 */
export function readExchange(
  exchange: Exchange,
  {
    nowMs,
    keyName,
    quotable,
  }: { readonly nowMs: number; readonly keyName: string; readonly quotable: (text: string) => string },
): Reading {
  if (exchange.kind === 'unreachable') return { kind: 'outage', reason: exchange.reason, afterMs: null };
  if (exchange.kind === 'broken') return { kind: 'failed', reason: exchange.reason, afterMs: null };
  const { status, body } = exchange;
  if (status === 200) return { kind: 'answer', body };
  const told = errorOf(body);
  const said = told.message === '' ? '' : `: ${quotable(told.message).slice(0, MAX_QUOTED)}`;
  const reason = `status ${status}${said}`;
  const afterMs = retryAfterMs(exchange.retryAfter, nowMs);
  if (REFUSED_KEYS.includes(status)) {
    // Servers repeat parts of keys here: nothing is quoted.
    const remedy = `status ${status}: the key is refused. Correct ${keyName}, or the rights of its key`;
    return { kind: 'halted', code: 'INVALID_CONFIGURATION', reason: remedy };
  }
  if (status === 402 || told.code === 'insufficient_quota') {
    return { kind: 'halted', code: 'BUDGET_SPENT', reason: `${reason}. The provider's own quota is used up` };
  }
  if (MISADDRESSED.includes(status)) {
    return { kind: 'halted', code: 'INVALID_CONFIGURATION', reason: `${reason}. Correct the address or the model` };
  }
  if (status >= 300 && status < 400) {
    const where = exchange.location === null ? '' : ` to ${originOf(exchange.location)}`;
    const remedy = `status ${status}: it sends elsewhere${where}, which is not followed. Give the address itself`;
    return { kind: 'halted', code: 'INVALID_CONFIGURATION', reason: remedy };
  }
  if (OUTAGES.includes(status)) return { kind: 'outage', reason, afterMs };
  if (PASSING.includes(status) || status >= 500 || status < 300) return { kind: 'failed', reason, afterMs };
  return { kind: 'refused', code: isTooLong(told) ? 'PROMPT_TOO_LONG' : 'ENDPOINT_REFUSED', reason };
}

/** Milliseconds to wait by Retry-After: seconds or an HTTP date (RFC 9110, 10.2.3); null for neither. */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const at = text.endsWith('GMT') ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}

/**
 * Exponential back-off with full jitter, and never before the server wants it.
 * @param chance in [0, 1)
 */
export function waitMs(failures: number, afterMs: number | null, limits: BackoffLimits, chance: number): number {
  // Spread also behind Retry-After, since all that were refused together got the same.
  return (afterMs ?? 0) + jitteredBackoffMs(failures, chance, limits);
}

interface ToldError {
  readonly message: string;
  readonly code: string;
  readonly type: string;
}

/** OpenAI's {"error": {message, type, code}}; vLLM's older one without the wrapper; else the text, unless it is a page. */
function errorOf(body: string): ToldError {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    const text = body.trim();
    return { message: text.startsWith('<') ? 'a page of HTML' : text, code: '', type: '' };
  }
  const outer = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const inner = outer.error ?? outer;
  if (typeof inner === 'string') return { message: inner, code: '', type: '' };
  const { message, code, type, detail } = (typeof inner === 'object' ? inner : {}) as Record<string, unknown>;
  const text = (each: unknown): string => (typeof each === 'string' ? each : '');
  return { message: text(message) || text(detail), code: text(code), type: text(type) };
}

function isTooLong({ message, code, type }: ToldError): boolean {
  return (
    code === 'context_length_exceeded' ||
    type === 'exceed_context_size_error' ||
    /context (?:length|size|window)|maximum context|prompt is too long|max_model_len/i.test(message)
  );
}

function originOf(location: string): string {
  return URL.canParse(location) ? new URL(location).origin : 'another path';
}
