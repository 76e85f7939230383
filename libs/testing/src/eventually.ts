/** Waiting for what other code does in its own time, with a limit, so that a spec that waits in vain says for what. */
import { setTimeout as pause } from 'node:timers/promises';

/** How long a spec waits, and how often it looks. */
export interface Patience {
  /** Milliseconds until it gives up. The default suits work in memory on a busy machine. */
  readonly withinMs?: number;
  /** Milliseconds between two looks. */
  readonly everyMs?: number;
}

const WITHIN_MS = 20_000;
const EVERY_MS = 2;

/**
 * Waits until a condition holds.
 * @param what the awaited state in words, for the error; a function is asked when the time is over
 * @throws Error when it does not hold in time
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string | (() => string) = 'the awaited condition',
  { withinMs = WITHIN_MS, everyMs = EVERY_MS }: Patience = {},
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) {
      const awaited = typeof what === 'string' ? what : what();
      throw new Error(`Cannot wait any longer: expected within ${withinMs} ms ${awaited}, got no such state.`);
    }
    await pause(everyMs);
  }
}

/** Waits until a check passes, which may hold several expectations. The check's last error is thrown when none passes in time. */
export async function eventually(
  check: () => unknown,
  { withinMs = WITHIN_MS, everyMs = EVERY_MS }: Patience = {},
): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(everyMs);
    }
  }
}
