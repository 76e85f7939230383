/**
 * Users' own verifiers, asked over HTTP. Which there are is the service's configuration; an event names one and can neither add one nor
 * change where it is. Request and response: docs/reference/verifiers.md.
 */
import { messageOf, onOneLine, SeamError, textWithin, withoutControls } from '@seamstream/kernel';

export interface VerifierEndpoint {
  readonly url: string;
  /** Default 10 000. */
  readonly timeoutMs?: number;
  /** Sent along, say an authorization. Never logged. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface EndpointRequest {
  readonly response: string;
  readonly reference: string;
  /** As the problem's options have it. */
  readonly data: string | null;
}

export interface EndpointVerdict {
  readonly success: boolean;
  readonly extractedAnswer: string | null;
  readonly detail: string;
}

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 65_536;
/** What passes by itself: too early, too many, busy, restarting (https://www.rfc-editor.org/rfc/rfc9110#name-status-codes). */
const isPassing = (status: number): boolean => status === 408 || status === 425 || status === 429 || status >= 500;

/**
 * @throws INVALID_CONFIGURATION for a name that is not configured, or where the endpoint refuses the request (other 4xx, redirects);
 * VERIFIER_FAILED (retryable) when it cannot be reached, is busy, is late or answers something else; ABORTED
 */
export async function askEndpoint(
  endpoints: Readonly<Record<string, VerifierEndpoint>>,
  name: string,
  request: EndpointRequest,
  { deadlineMs, signal }: { readonly deadlineMs?: number | undefined; readonly signal?: AbortSignal | undefined },
): Promise<EndpointVerdict> {
  const endpoint = Object.hasOwn(endpoints, name) ? endpoints[name] : undefined;
  if (endpoint === undefined) {
    const known = Object.keys(endpoints).join(', ') || 'none';
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot verify by http@1: expected a configured endpoint (${known}), got ${name}. Configure it, or publish the problem with another.`,
    );
  }
  return askOwnEndpoint(
    { what: `verify by http@1 at endpoint ${name}`, endpoint, limits: { deadlineMs, signal } },
    request,
    {
      read: readVerdict,
      expected: '{"success": true or false, "extractedAnswer": text or null, "detail": text}',
    },
  );
}

/** What an answer has to be. */
interface ExpectedAnswer<T> {
  /** Null for something else. */
  readonly read: (value: Readonly<Record<string, unknown>>) => T | null;
  /** As a message says it. */
  readonly expected: string;
}

/**
 * Asks a user's own program, once: a POST of JSON, an answer of at most 64 KiB within the time limit, no redirects.
 * @throws INVALID_CONFIGURATION where the endpoint refuses the request (other 4xx, redirects); VERIFIER_FAILED (retryable) when it cannot
 * be reached, is busy, is late or answers something else; ABORTED
 */
export async function askOwnEndpoint<T>(
  asked: {
    /** What it is asked for, as each message begins: `verify by http@1`. */
    readonly what: string;
    readonly endpoint: VerifierEndpoint;
    readonly limits: { readonly deadlineMs?: number | undefined; readonly signal?: AbortSignal | undefined };
  },
  request: object,
  { read, expected }: ExpectedAnswer<T>,
): Promise<T> {
  const { what, endpoint, limits } = asked;
  const { deadlineMs, signal } = limits;
  const limitMs = Math.min(endpoint.timeoutMs ?? TIMEOUT_MS, deadlineMs ?? Number.POSITIVE_INFINITY);
  const late = AbortSignal.timeout(limitMs);
  const failed = (why: string, cause?: unknown): SeamError =>
    new SeamError('VERIFIER_FAILED', `Cannot ${what}: ${why}.`, { cause });
  try {
    const response = await fetch(endpoint.url, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...endpoint.headers, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ version: 1, ...request }),
      signal: signal === undefined ? late : AbortSignal.any([late, signal]),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      if (isPassing(response.status)) throw failed(`expected status 200, got ${response.status}; it may pass`);
      throw new SeamError(
        'INVALID_CONFIGURATION',
        `Cannot ${what}: expected status 200, got ${response.status}. Mend the endpoint or its configuration.`,
      );
    }
    const value = objectIn(await textOf(response));
    const answer = value === null ? null : read(value);
    if (answer === null) throw failed(`expected ${expected} of at most 64 KiB, got something else`);
    return answer;
  } catch (error) {
    if (error instanceof SeamError) throw error;
    if (signal?.aborted === true)
      throw new SeamError('ABORTED', 'Cannot check an answer: it was aborted before there was a verdict.');
    if (late.aborted) throw failed(`expected a verdict within ${limitMs} ms, got none`, error);
    throw failed(`it could not be asked (${messageOf(error)})`, error);
  }
}

/** Null for more than an answer may have. */
function textOf(response: Response): Promise<string | null> {
  return textWithin(MAX_ANSWER_BYTES, response).catch((error: unknown) => {
    if (error instanceof RangeError) return null;
    throw error;
  });
}

function objectIn(text: string | null): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function readVerdict(value: Readonly<Record<string, unknown>>): EndpointVerdict | null {
  const { success, extractedAnswer = null, detail = 'judged by the endpoint' } = value;
  if (typeof success !== 'boolean' || typeof detail !== 'string') return null;
  if (extractedAnswer !== null && typeof extractedAnswer !== 'string') return null;
  return {
    success,
    extractedAnswer: extractedAnswer === null ? null : withoutControls(extractedAnswer.slice(0, 4000)),
    detail: onOneLine(detail.slice(0, 1000)),
  };
}
