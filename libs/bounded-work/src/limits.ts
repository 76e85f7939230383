/** What a task may use, and the error that names the limit it ran into. */
import { isSeamError, SeamError } from '@seamstream/kernel';

const LIMITS = ['processorTime', 'wallTime', 'heap', 'buffers', 'output'] as const;

/**
 * `processorTime`: what the thread computed. `wallTime`: the cap for a thread that neither computes nor answers, or cannot be asked.
 * `heap`: its JavaScript objects. `buffers`: what it makes besides them, where the thread counts it. `output`: what it answers.
 */
export type LimitName = (typeof LIMITS)[number];

export interface WorkLimits {
  /**
   * Milliseconds of the thread's own processor time, so that a busy machine takes nothing from an honest task. For a task that
   * answers in pieces they count for each piece.
   */
  readonly cpuMs: number;
  /** Milliseconds from the beginning of the task (or of the piece); default a minute and 20 times `cpuMs`. Waiting for a thread does not count. */
  readonly wallMs?: number | undefined;
  /** Bytes of an answer (or of a piece) as V8 serialises it: a character is one byte or two, a number at most nine. Default 16 MiB. */
  readonly outputBytes?: number | undefined;
  /** Ends the task, which then throws ABORTED. */
  readonly signal?: AbortSignal | undefined;
}

/** On a machine where forty threads want two processors each gets a twentieth of one, and waits long for its first turn. */
export const wallMsFor = (cpuMs: number): number => 60_000 + 20 * cpuMs;
export const OUTPUT_BYTES = 1 << 24;

const UNITS: Readonly<Record<LimitName, string>> = {
  processorTime: 'ms of processor time',
  wallTime: 'ms of wall time',
  heap: 'MB of heap',
  buffers: 'bytes of buffers',
  output: 'bytes of output',
};

/** LIMIT_EXCEEDED with `details` {task, limit, allowed}. */
export function limitExceeded(task: string, limit: LimitName, allowed: number): SeamError {
  return new SeamError(
    'LIMIT_EXCEEDED',
    `Cannot finish the task ${task}: expected at most ${allowed} ${UNITS[limit]}, got more. Its thread was ended; give it less, or allow it more.`,
    { details: { task, limit, allowed } },
  );
}

/** The limit that an error is about; undefined for every other error. */
export function limitOf(error: unknown): LimitName | undefined {
  return isSeamError(error, 'LIMIT_EXCEEDED') ? LIMITS.find((each) => each === error.details.limit) : undefined;
}
