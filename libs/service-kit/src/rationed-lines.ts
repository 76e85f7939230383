/**
 * Log lines that a stranger's records can cause without limit. As long as they are few, each is written in full. Of a flood with one
 * reason the first lines of a minute are written, then the number of the others. Only lines are rationed: every record is counted, and
 * recorded, as before. The owner announces its end, so that the last lines are summed up.
 *
 *   NOT BELIEVED … (10 lines) │ 999,990 more of this reason in 60 s
 */
import { systemClock } from '@seamstream/kernel';
import type { ServiceLogger } from './service-logger.js';

/** Of one reason, in full, from the first line of it on. */
export const LINES_PER_REASON = 10;
export const INTERVAL_MS = 60_000;

/** Lines of one reason since a time: those written, and those only counted. */
interface Ration {
  readonly sinceMs: number;
  readonly told: number;
  readonly untold: number;
}

/**
 * Whether the next line of a reason is written.
 * @param ration of the lines before it; undefined for the first
 * @returns also how many lines of an interval that is over were only counted; their sum is to be written first
 */
function nextLine(
  ration: Ration | undefined,
  nowMs: number,
): { readonly ration: Ration; readonly isTold: boolean; readonly untoldBefore: number } {
  // A clock that was set back ends an interval too.
  if (ration === undefined || nowMs < ration.sinceMs || nowMs - ration.sinceMs >= INTERVAL_MS)
    return { ration: { sinceMs: nowMs, told: 1, untold: 0 }, isTold: true, untoldBefore: ration?.untold ?? 0 };
  return ration.told < LINES_PER_REASON
    ? { ration: { ...ration, told: ration.told + 1 }, isTold: true, untoldBefore: 0 }
    : { ration: { ...ration, untold: ration.untold + 1 }, isTold: false, untoldBefore: 0 };
}

/** A service's lines about records, by reason: a code or another word from a small set, never text of a record. */
export class RationedLines {
  private readonly rations = new Map<string, Ration>();
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param atEnd is given what to call once there are no more lines: {@link sumUp}
   * @param nowMs milliseconds since the epoch
   */
  constructor(
    private readonly logger: Pick<ServiceLogger, 'warn' | 'error'>,
    atEnd: (sumUp: () => Promise<void>) => void,
    private readonly nowMs: () => number = () => systemClock.now(),
  ) {
    atEnd(async () => this.sumUp());
  }

  warn(reason: string, facts: Readonly<Record<string, unknown>>, sentence: string): void {
    if (this.isTold(reason)) this.logger.warn(facts, sentence);
  }

  error(reason: string, facts: Readonly<Record<string, unknown>>, sentence: string): void {
    if (this.isTold(reason)) this.logger.error(facts, sentence);
  }

  private isTold(reason: string): boolean {
    const { ration, isTold, untoldBefore } = nextLine(this.rations.get(reason), this.nowMs());
    this.rations.set(reason, ration);
    if (untoldBefore > 0) this.sum(reason, untoldBefore);
    // A flood that ends is summed up as well. The process need not stay for that.
    if (!isTold) this.timer ??= setTimeout(() => this.sumUp(), INTERVAL_MS).unref();
    return isTold;
  }

  /** Writes for each reason how many lines were only counted so far. */
  sumUp(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const [reason, ration] of this.rations) {
      if (ration.untold === 0) continue;
      this.rations.set(reason, { ...ration, untold: 0 });
      this.sum(reason, ration.untold);
    }
  }

  private sum(reason: string, untold: number): void {
    this.logger.warn(
      { reason, untold },
      `${untold.toLocaleString('en')} more lines with the same reason were not written one by one`,
    );
  }
}
