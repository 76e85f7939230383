/**
 * Typed errors. One table holds every code with its retryability, so an error cannot disagree with its own code.
 * An error is recognised by a symbol brand, not by `instanceof`: two copies of this package may be loaded at once.
 */
import { withoutUrlSecrets } from './safe-text.js';

const BRAND = Symbol.for('seamstream.error');

/** Every code of the system. `retryable`: the same call may succeed later without a change by anyone. */
export const ERROR_CODES = {
  // Input and configuration
  /** A value from outside is not what it has to be: a row, an option, a record. */
  INVALID_INPUT: { retryable: false },
  /** A setting is missing, contradicts another one, or does not fit what is there. */
  INVALID_CONFIGURATION: { retryable: false },
  /** The named thing does not exist. */
  NOT_FOUND: { retryable: false },
  /** What is there already excludes what was asked for. */
  CONFLICT: { retryable: false },
  /** The caller asked to stop. What was committed before is committed. */
  ABORTED: { retryable: true },
  /** A handler took longer than a batch may take. */
  DEADLINE_EXCEEDED: { retryable: false },
  /** Work on what strangers wrote used more than it may; `details.limit` says of what. */
  LIMIT_EXCEEDED: { retryable: false },
  /** A record ended the process that worked on it, more than once. */
  POISON: { retryable: false },
  /** A fault of this program. */
  INTERNAL: { retryable: false },
  // Events on the wire
  /** A record names a schema that this release does not have. */
  UNKNOWN_SCHEMA: { retryable: false },
  /** The bytes of a record are not what its schema says. */
  MALFORMED_RECORD: { retryable: false },
  /** Records that the log cannot hand out, damaged or beyond a limit. */
  UNREADABLE_BATCH: { retryable: false },
  /** A schema cannot be read by the schema that is compiled in. */
  INCOMPATIBLE_SCHEMA: { retryable: false },
  /** The schema registry does not answer. */
  SCHEMA_REGISTRY_UNAVAILABLE: { retryable: true },
  // Event log
  /** The log has no such topic or partition. */
  UNKNOWN_TOPIC: { retryable: false },
  /** The log does not hold the offset: it is deleted, or not written yet. */
  OFFSET_OUT_OF_RANGE: { retryable: false },
  /** Another owner has taken over. Nothing of this step was committed. */
  FENCED: { retryable: true },
  /** The log has no room for more records. */
  LOG_FULL: { retryable: true },
  /** The log was opened for reading, or its folder may not be written. */
  LOG_READ_ONLY: { retryable: false },
  /** The stored bytes of the log are damaged. */
  LOG_CORRUPT: { retryable: false },
  /** The log, or the broker, is of a version that this release does not speak. */
  LOG_INCOMPATIBLE_VERSION: { retryable: false },
  /** The log does not answer at present. */
  LOG_UNAVAILABLE: { retryable: true },
  /** A record is larger than the log takes. */
  RECORD_TOO_LARGE: { retryable: false },
  // Who vouches for it
  /** A fact that has to be signed is not, or not by a key that may sign it. */
  SIGNATURE_INVALID: { retryable: false },
  // Object store
  /** The object store has no such object. */
  OBJECT_NOT_FOUND: { retryable: false },
  /** The object changed, or came into being, since it was looked at. */
  PRECONDITION_FAILED: { retryable: false },
  /** The bytes of an object are not those of its digest. */
  OBJECT_CORRUPT: { retryable: false },
  /** The object store does not answer at present. */
  OBJECT_STORE_UNAVAILABLE: { retryable: true },
  /** The object store has no room for more objects. */
  OBJECT_STORE_FULL: { retryable: true },
  // Models and training
  /** A tensor does not have the shape that the model says. */
  SHAPE_MISMATCH: { retryable: false },
  /** A graph has an operator without a rule for its shape or its derivative. */
  UNSUPPORTED_OPERATOR: { retryable: false },
  /** A checkpoint is of a family, or has an option, that is not computed here. */
  UNSUPPORTED_MODEL: { retryable: false },
  /** A checkpoint of a model or of a training run cannot be used. */
  CHECKPOINT_INVALID: { retryable: false },
  /** The bytes of an adapter cannot be used with this base model. */
  ADAPTER_INVALID: { retryable: false },
  /** A computation gave infinity or NaN. */
  NON_FINITE: { retryable: false },
  /** A prompt leaves no room for an answer in the model's context. */
  PROMPT_TOO_LONG: { retryable: false },
  /** A program that trains ended without a result; its job resumes from the newest checkpoint. */
  ENGINE_FAILED: { retryable: true },
  /** A worker thread of a model ended; the model can be loaded again. */
  SESSION_FAILED: { retryable: true },
  /** A JSON Schema uses a keyword that no grammar is made of; the message names it. */
  UNSUPPORTED_JSON_SCHEMA: { retryable: false },
  /** A text is not an entry of its schema. */
  ENTRY_INVALID: { retryable: false },
  /** Recorded data cannot be learned from. */
  DATA_REFUSED: { retryable: false },
  // Verifiers
  /** A problem names a verifier that this executor does not have. */
  UNKNOWN_VERIFIER: { retryable: false },
  /** A verifier did not come to a verdict. The answer has no reward, not a reward of zero. */
  VERIFIER_FAILED: { retryable: true },
  // Endpoints of models
  /** The model server does not answer anybody at present. */
  ENDPOINT_UNAVAILABLE: { retryable: true },
  /** The model server did not answer this request, or not with an answer. */
  ENDPOINT_FAILED: { retryable: true },
  /** The model server refuses this request as it is. */
  ENDPOINT_REFUSED: { retryable: false },
  /** The configured budget of an endpoint is spent. */
  BUDGET_SPENT: { retryable: false },
} as const satisfies Record<string, { retryable: boolean }>;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface SeamErrorOptions {
  /** Plain data that helps a program or an operator: positions, names, actual values. */
  details?: Readonly<Record<string, unknown>>;
  cause?: unknown;
}

/**
 * An error with a code. Its message names the operation, what was expected, what it got and what to do. Neither message nor details hold the
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
