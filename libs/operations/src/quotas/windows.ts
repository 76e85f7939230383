/** The windows of limits: one after the other, by UTC, so that every reader of the log counts in the same. Pure. */
import type { QuotaWindow } from '@seamstream/events';

export const QUOTA_WINDOWS = ['minute', 'hour', 'day', 'month'] as const satisfies readonly QuotaWindow[];

/** The last millisecond that Date knows, so that a time of strangers has a window too. */
const LAST_MS = 8.64e15;

const LENGTH_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

export interface TimeWindow {
  /** Milliseconds since the Unix epoch. */
  readonly startMs: number;
  /** Exclusive. */
  readonly endMs: number;
}

/** The window that holds a moment. */
export function windowAt(per: QuotaWindow, atMs: number): TimeWindow {
  if (per === 'month') {
    const at = new Date(Math.max(-LAST_MS, Math.min(LAST_MS, atMs)));
    const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
    return { startMs: Date.UTC(year, month), endMs: Date.UTC(year, month + 1) };
  }
  const length = LENGTH_MS[per];
  const startMs = Math.floor(atMs / length) * length;
  return { startMs, endMs: startMs + length };
}
