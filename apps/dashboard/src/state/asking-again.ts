/** When a page asks again that the gateway refused because too many ask. Pure. */

/** In a row; then the page says that it stopped. */
export const MOST_TRIES = 20;

const USUAL_MS = 5_000;
const LEAST_MS = 1_000;
const MOST_MS = 60_000;

/** How long a refused page shall wait; null: this answer is no such refusal. @param retryAfter the header, in seconds */
export function waitAsked(status: number, retryAfter: string | null): number | null {
  if (status !== 429) return null;
  const seconds = retryAfter === null || !/^\d+$/.test(retryAfter) ? Number.NaN : Number(retryAfter);
  return Number.isNaN(seconds) ? USUAL_MS : Math.min(MOST_MS, Math.max(LEAST_MS, seconds * 1000));
}

export interface NextTry {
  /** Null: not by itself. */
  readonly waitMs: number | null;
  /** What the page says meanwhile, after the gateway's words. */
  readonly told: string;
}

/** @param refused how often in a row, this time included */
export function nextTry(askedMs: number, refused: number): NextTry {
  return refused < MOST_TRIES
    ? { waitMs: askedMs, told: `The page asks again in ${askedMs / 1000} s (${refused} of ${MOST_TRIES}).` }
    : { waitMs: null, told: `The page asked ${MOST_TRIES} times. Load it again later.` };
}
