import { SeamError } from '@seamstream/kernel';

/**
 * Waits for what others wait for too; the signal ends the waiting, and not the work.
 * @param what is waited for, as an error says it
 * @throws ABORTED by the signal, and whatever the work throws
 */
export async function endedBy<T>(signal: AbortSignal | undefined, work: Promise<T>, what: string): Promise<T> {
  if (signal === undefined) return work;
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = (): void =>
    reject(new SeamError('ABORTED', `Asking an endpoint: told to stop while it waited for ${what}.`));
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([work, ended]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}
