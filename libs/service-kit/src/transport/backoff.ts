/** min(first · 2^(failures − 1), max) milliseconds: the wait after the given number of failures (1, 2, …). */
export function backoffMs(failures: number, first: number, max: number): number {
  return Math.min(first * 2 ** Math.min(failures - 1, 30), max);
}

/** Resolves after the time, or at once when the signal aborts; look at the signal afterwards. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
