import { ApiError, type ApiErrorFacts } from '../http/api-error.js';

/** A request without the right to be answered, as its client learns it and as the log counts it. */
export class RefusedError extends ApiError {
  constructor(
    facts: ApiErrorFacts & { readonly code: string },
    /** The client, where the request proves who it is. */
    readonly id: string | null,
    /** For the log: it may say more than the client learns. */
    readonly reason: string = facts.code,
  ) {
    super(facts);
  }
}
