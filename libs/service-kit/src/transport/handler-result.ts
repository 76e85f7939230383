/**
 * What a consumer answers, for a whole batch or per record. A consumer that throws is treated as one that answered
 * `retry`, so nothing is lost by forgetting to answer; but an answer says why.
 */
import type { SeamEvent } from '@seamstream/events';
import type { ErrorCode } from '@seamstream/kernel';

export type HandlerResult =
  /** Append these events and move on. */
  | { readonly kind: 'done'; readonly events: readonly SeamEvent[] }
  /** The record cannot be used: it goes to the dead letters with its bytes. */
  | { readonly kind: 'deadLetter'; readonly code: ErrorCode; readonly reason: string }
  /** Try again later; after the limit of attempts as `deadLetter`. */
  | { readonly kind: 'retry'; readonly code: ErrorCode; readonly reason: string; readonly afterMs: number | undefined }
  /** Not looked at yet: commit what precedes it, and deliver it and what follows again, at once. */
  | { readonly kind: 'defer' }
  /** Not ready yet, and nothing is wrong: commit what precedes it, and deliver it and what follows again after a while. */
  | { readonly kind: 'wait'; readonly afterMs: number }
  /** No service should consume this topic as it is: the service ends with an error, and a person looks. */
  | { readonly kind: 'halt'; readonly code: ErrorCode; readonly reason: string };

/** Append these events and move on; without events: nothing follows from this record. */
export function done(events: readonly SeamEvent[] = []): HandlerResult {
  return { kind: 'done', events };
}

/** The record goes to the dead letters with code, reason and bytes. */
export function deadLetter(code: ErrorCode, reason: string): HandlerResult {
  return { kind: 'deadLetter', code, reason };
}

/** Try again after `afterMs` milliseconds (back-off when absent); to the dead letters after the limit of attempts. */
export function retry(code: ErrorCode, reason: string, afterMs?: number): HandlerResult {
  return { kind: 'retry', code, reason, afterMs };
}

/** For a consumer that wants its answers so far committed before it continues. Never for the first record of a batch. */
export function defer(): HandlerResult {
  return { kind: 'defer' };
}

/**
 * The record has to wait for something that happens elsewhere; no attempt is counted, and a service that closes does not stay for it.
 * @param afterMs milliseconds until it is delivered again
 */
export function wait(afterMs: number): HandlerResult {
  return { kind: 'wait', afterMs };
}

/** End the subscription with an error. Nothing of the record is committed. */
export function halt(code: ErrorCode, reason: string): HandlerResult {
  return { kind: 'halt', code, reason };
}
