import { ApiError, type ApiErrorFacts } from '../http/api-error.js';
import type { Principal } from './principal.js';

/** A request without the right to be answered, as its client learns it and as the log counts it. */
export class RefusedError extends ApiError {
  constructor(
    facts: ApiErrorFacts & { readonly code: string },
    /** The client and its tenant, where the request proves who it is. */
    readonly who: { readonly id: string; readonly tenant: Principal['tenant'] } | null,
    /** For the log: it may say more than the client learns. */
    readonly reason: string = facts.code,
  ) {
    super(facts);
  }
}

/** A request without room under a limit. It was let in, so the door has not counted it. */
export class NoRoomError extends RefusedError {}
