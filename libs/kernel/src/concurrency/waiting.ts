/** Waiting that ends: by a time, by a deadline or by an abort signal. */
import { SeamError } from '../errors.js';

/** Resolves after the time, or at once when the signal aborts; look at the signal afterwards. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}

/**
 * The work's result, or an error when it is late. Only the waiting ends: the work itself continues.
 * @param limitMs longest wait in milliseconds
 * @throws Error when the time is over, and any error of the work
 */
export async function withDeadline<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The work's result, or an error when the signal aborts. Only the waiting ends: the work may be waited for by others too.
 * @param what is waited for, as the error says it
 * @throws ABORTED by the signal, and any error of the work
 */
export async function raceAbort<T>(signal: AbortSignal | undefined, work: Promise<T>, what: string): Promise<T> {
  if (signal === undefined) return work;
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = (): void => reject(new SeamError('ABORTED', `Cannot continue: aborted while waiting for ${what}.`));
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([work, ended]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Resolves when the signal aborts; at once where it has. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
