/** Who may read a service's readiness and metrics. They show models, topics, budgets and addresses. */
import { createHash, timingSafeEqual } from 'node:crypto';

/** That a process is alive is not secret, and a scheduler's probe needs nothing else. */
const OPEN_TO_ALL = '/health/live';

/**
 * Whether a request is answered.
 * @param token where it is absent, every caller that can reach the port may read
 * @param url path and query of the request
 */
export function mayRead(token: string | undefined, url: string, authorization: string | undefined): boolean {
  if (token === undefined || url === OPEN_TO_ALL) return true;
  // Digests are of one length, and their comparison takes as long wherever they differ.
  return timingSafeEqual(digest(`Bearer ${token}`), digest(authorization ?? ''));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
