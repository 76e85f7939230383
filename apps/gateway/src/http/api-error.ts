/** An error for a client: its status and OpenAI's body. */
import type { ErrorBody } from '@seamstream/gateway-contract';

export interface ApiErrorFacts {
  readonly status: number;
  readonly message: string;
  /** Default: follows from the status. */
  readonly type?: string;
  readonly param?: string | null;
  readonly code?: string | null;
  /** What it is counted as, where the code is another party's. Default: the code. */
  readonly countedAs?: string | null;
  /** Further headers of the answer, e.g. retry-after. */
  readonly headers?: Readonly<Record<string, string>>;
}

export class ApiError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody;
  readonly countedAs: string | null;

  constructor(facts: ApiErrorFacts) {
    const { status, message, type = typeOf(status), param = null, code = null, countedAs = code, headers = {} } = facts;
    super(message);
    this.status = status;
    this.countedAs = countedAs;
    this.headers = headers;
    this.body = { error: { message, type, param, code } };
  }
}

/** What OpenAI calls errors of a status. */
function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
