/** When to try again. Waits grow and are drawn at random, so that clients that failed together do not come back together. */
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { type BackoffLimits, jitteredBackoffMs, messageOf } from '@seamstream/kernel';
import { Contended, DamagedTransfer, factsOf, isTransient } from './s3-error.js';

export interface RetrySettings extends BackoffLimits {
  /** Tries of one request, the first included. */
  readonly maxAttempts: number;
}

/** Bytes that are damaged at rest come damaged every time; it does not take all tries to know. */
const TRIES_OF_DAMAGED = 3;

/**
 * Milliseconds to wait after so many tries: exponential back-off with full jitter.
 * @param tries how often it was tried, from 1
 * @param random 0 (inclusive) … 1 (exclusive)
 */
export function waitBeforeRetry(tries: number, random: number, limits: RetrySettings): number {
  return jitteredBackoffMs(tries, random, limits);
}

/** Whether what failed is worth another try after so many. */
export function isWorthRetry(error: unknown, tries: number, { maxAttempts }: RetrySettings): boolean {
  if (error instanceof DamagedTransfer) return tries < Math.min(TRIES_OF_DAMAGED, maxAttempts);
  if (error instanceof Contended) return tries < maxAttempts;
  // A request that the SDK has already retried is not retried again.
  return tries < maxAttempts && factsOf(error).attempts < maxAttempts && isTransient(error);
}

/** The same rules for the requests that the SDK sends on its own account: the parts of an upload. */
export function sdkRetryStrategy(settings: RetrySettings): NonNullable<S3ClientConfig['retryStrategy']> {
  const token = (tries: number) => ({
    getRetryCount: () => tries,
    getRetryDelay: () => (tries === 0 ? 0 : waitBeforeRetry(tries, Math.random(), settings)),
  });
  return {
    acquireInitialRetryToken: async () => token(0),
    refreshRetryTokenForRetry: async (last, { error }) => {
      const tries = last.getRetryCount() + 1;
      if (tries >= settings.maxAttempts || !isTransient(error))
        throw error instanceof Error ? error : new Error(messageOf(error));
      return token(tries);
    },
    recordSuccess: () => undefined,
  };
}
