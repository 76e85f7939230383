/**
 * Typed errors. One table holds every code with its retryability, so an error cannot disagree with its own code.
 * An error is recognised by a symbol brand, not by `instanceof`: two copies of this package may be loaded at once.
 */
import { withoutUrlSecrets } from './safe-text.js';

const BRAND = Symbol.for('seamstream.error');

/** Every code of the system. `retryable`: the same call may succeed later without a change by anyone. */
export const ERROR_CODES = {
  // Input and configuration
  INVALID_INPUT: { retryable: false },
  INVALID_CONFIGURATION: { retryable: false },
  NOT_FOUND: { retryable: false },
  CONFLICT: { retryable: false },
  ABORTED: { retryable: true },
  DEADLINE_EXCEEDED: { retryable: false },
  /** Work on what strangers wrote used more than it may; `details.limit` says of what. */
  LIMIT_EXCEEDED: { retryable: false },
  /** What kills the process that works on it. */
  POISON: { retryable: false },
  INTERNAL: { retryable: false },
  // Events on the wire
  UNKNOWN_SCHEMA: { retryable: false },
  MALFORMED_RECORD: { retryable: false },
  /** Records that the log cannot hand out, damaged or beyond a limit. */
  UNREADABLE_BATCH: { retryable: false },
  INCOMPATIBLE_SCHEMA: { retryable: false },
  SCHEMA_REGISTRY_UNAVAILABLE: { retryable: true },
  // Event log
  UNKNOWN_TOPIC: { retryable: false },
  OFFSET_OUT_OF_RANGE: { retryable: false },
  FENCED: { retryable: true },
  LOG_FULL: { retryable: true },
  LOG_READ_ONLY: { retryable: false },
  LOG_CORRUPT: { retryable: false },
  LOG_INCOMPATIBLE_VERSION: { retryable: false },
  LOG_UNAVAILABLE: { retryable: true },
  RECORD_TOO_LARGE: { retryable: false },
  // Who vouches for it
  SIGNATURE_INVALID: { retryable: false },
  // Object store
  OBJECT_NOT_FOUND: { retryable: false },
  PRECONDITION_FAILED: { retryable: false },
  OBJECT_CORRUPT: { retryable: false },
  OBJECT_STORE_UNAVAILABLE: { retryable: true },
  OBJECT_STORE_FULL: { retryable: true },
  // Models and training
  SHAPE_MISMATCH: { retryable: false },
  UNSUPPORTED_OPERATOR: { retryable: false },
  UNSUPPORTED_MODEL: { retryable: false },
  CHECKPOINT_INVALID: { retryable: false },
  ADAPTER_INVALID: { retryable: false },
  NON_FINITE: { retryable: false },
  PROMPT_TOO_LONG: { retryable: false },
  SESSION_FAILED: { retryable: true },
  UNSUPPORTED_JSON_SCHEMA: { retryable: false },
  ENTRY_INVALID: { retryable: false },
  DATA_REFUSED: { retryable: false },
  // Verifiers
  UNKNOWN_VERIFIER: { retryable: false },
  VERIFIER_FAILED: { retryable: true },
  // Endpoints of models
  /** Nobody is answered at present. */
  ENDPOINT_UNAVAILABLE: { retryable: true },
  /** This request was not answered, or not with an answer. */
  ENDPOINT_FAILED: { retryable: true },
  /** This request is not wanted as it is. */
  ENDPOINT_REFUSED: { retryable: false },
  BUDGET_SPENT: { retryable: false },
} as const satisfies Record<string, { retryable: boolean }>;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface SeamErrorOptions {
  /** Plain data that helps a program or an operator: positions, names, actual values. */
  details?: Readonly<Record<string, unknown>>;
  cause?: unknown;
}

/**
 * An error with a code. Its message names the operation, what was expected, what came and what to do. Neither message nor details hold the
 * user, the password or the query of an address: they reach events, which are kept for ever.
 */
export class SeamError extends Error {
  readonly [BRAND] = true;
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: SeamErrorOptions = {}) {
    super(withoutUrlSecrets(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'SeamError';
    this.code = code;
    this.retryable = ERROR_CODES[code].retryable;
    this.details = bare(options.details ?? {}) as Readonly<Record<string, unknown>>;
  }
}

/** Whether `error` is a {@link SeamError}, from whichever copy of this package, optionally with the given code. */
export function isSeamError(error: unknown, code?: ErrorCode): error is SeamError {
  return (
    typeof error === 'object' &&
    error !== null &&
    BRAND in error &&
    (code === undefined || (error as SeamError).code === code)
  );
}

/** What the caller gave or named is at fault: a command ends with its status for wrong input, and has changed nothing. */
const INPUT_FAULTS: ReadonlySet<ErrorCode> = new Set([
  'INVALID_INPUT',
  'INVALID_CONFIGURATION',
  'NOT_FOUND',
  'CONFLICT',
  'UNKNOWN_TOPIC',
  'OFFSET_OUT_OF_RANGE',
  'UNKNOWN_VERIFIER',
  'DATA_REFUSED',
  'CHECKPOINT_INVALID',
  'UNSUPPORTED_MODEL',
  'ADAPTER_INVALID',
] satisfies ErrorCode[]);

/** Whether an error says that what was given or named is at fault, so that the same call fails again. */
export function isInputFault(error: unknown): boolean {
  return isSeamError(error) && INPUT_FAULTS.has(error.code);
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return withoutUrlSecrets(error instanceof Error ? error.message : String(error));
}

/** Plain data with its addresses bare; the same object where there is nothing to take out. */
function bare(value: unknown): unknown {
  if (typeof value === 'string') return withoutUrlSecrets(value);
  if (Array.isArray(value)) {
    const items = value.map(bare);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const fields = Object.entries(value).map(([key, inner]) => [key, inner, bare(inner)] as const);
  return fields.some(([, inner, shown]) => inner !== shown)
    ? Object.fromEntries(fields.map(([key, , shown]) => [key, shown]))
    : value;
}
