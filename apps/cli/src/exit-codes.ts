import { type ErrorCode, isSeamError } from '@seamstream/kernel';

/**
 * How the command ends. 70 is EX_SOFTWARE of BSD's sysexits.h; 130 is what a shell reports for SIGINT (128 + 2).
 */
export const EXIT = {
  /** Done, and every check held. */
  ok: 0,
  /** The command ran; what it checked does not hold (unbalanced ledger, another digest, a run that was refused). */
  failedCheck: 1,
  /** Unknown command or option, a bad line or value, something that is not there. Nothing was changed. */
  badInput: 2,
  /** The system failed: log or object store unavailable, a fault of ours. */
  internal: 70,
  /** Stopped by Ctrl-C (SIGINT) or SIGTERM. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const INPUT_ERRORS: ReadonlySet<ErrorCode> = new Set([
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

/** The exit code that an error leads to. */
export function exitCodeOf(error: unknown): ExitCode {
  if (!isSeamError(error)) return EXIT.internal;
  if (error.code === 'ABORTED') return EXIT.interrupted;
  return INPUT_ERRORS.has(error.code) ? EXIT.badInput : EXIT.internal;
}
