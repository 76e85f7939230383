/** Waits between tries: exponential back-off, with full jitter where many clients fail together. */

/** Bounds of the waits of one kind of try. */
export interface BackoffLimits {
  /** Bound of the first wait, milliseconds. */
  readonly firstRetryMs: number;
  /** Largest bound of a wait, milliseconds. */
  readonly maxRetryMs: number;
}

/**
 * min(firstRetryMs · 2^(failures − 1), maxRetryMs) milliseconds.
 * @param failures so far: 1, 2, …
 */
export function backoffMs(failures: number, { firstRetryMs, maxRetryMs }: BackoffLimits): number {
  return Math.min(firstRetryMs * 2 ** Math.min(failures - 1, 30), maxRetryMs);
}

/**
 * Full jitter (Brooker 2015, https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/): uniform below {@link backoffMs}, so
 * that clients that failed together do not come back together.
 * @param failures so far: 1, 2, …
 * @param chance in [0, 1)
 */
export function jitteredBackoffMs(failures: number, chance: number, limits: BackoffLimits): number {
  return chance * backoffMs(failures, limits);
}
