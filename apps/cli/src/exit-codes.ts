import { isInputFault, isSeamError } from '@seamstream/kernel';

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
  /** `start --exit`: the loop ended, and a domain stands below its target. There is a report. */
  notConverged: 3,
  /** The system failed: log or object store unavailable, a fault of ours. */
  internal: 70,
  /** Stopped by Ctrl-C (SIGINT) or SIGTERM. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The exit code that an error leads to. */
export function exitCodeOf(error: unknown): ExitCode {
  if (isSeamError(error, 'ABORTED')) return EXIT.interrupted;
  return isInputFault(error) ? EXIT.badInput : EXIT.internal;
}
