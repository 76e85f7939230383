/** Which failures of an executor another one may make up for. Pure. */
import { type ErrorCode, excerpt, isSeamError } from '@seamstream/kernel';
import type { UpstreamAnswer } from './upstream.port.js';

/** Characters of a reason in an event. */
const REASON = 500;
const WITHOUT_ANSWER: readonly ErrorCode[] = ['ENDPOINT_UNAVAILABLE', 'ENDPOINT_FAILED'];

export type AskingResult = UpstreamAnswer | { readonly kind: 'threw'; readonly error: unknown };

export interface Fault {
  readonly code: ErrorCode;
  readonly reason: string;
}

/**
 * No connection, an answer that broke off before anything of it was sent, too many requests (429), and what the server says is its own fault
 * (5xx). Everything else another executor would refuse as well: it is the client's to read.
 * @returns why another one may be asked; undefined where none may
 */
export function mayAskNext(result: AskingResult): Fault | undefined {
  if (result.kind === 'threw') {
    const { error } = result;
    return isSeamError(error) && WITHOUT_ANSWER.includes(error.code)
      ? { code: error.code, reason: excerpt(error.message, REASON) }
      : undefined;
  }
  if (result.kind !== 'refused' || (result.serverStatus !== 429 && result.serverStatus < 500)) return undefined;
  const { code, serverStatus, body } = result;
  return { code, reason: excerpt(`status ${serverStatus}: ${body.error.message}`, REASON) };
}
