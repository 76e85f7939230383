/**
 * Lines that a stranger can cause as many of as there are records: each is told in full, as long as they are few. Of a flood of one reason
 * the first ones of a minute are told, then how many more there were. What is counted or recorded is so without exception. Whoever
 * tells them says when it ends, for then the rest is summed up.
 *
 *   NOT BELIEVED … (10 lines) │ 999,990 more of this reason in 60 s
 */
import { systemClock } from '@seamstream/kernel';
import type { ServiceLogger } from './service-logger.js';

/** Of one reason, in full, from the first line of it on. */
export const LINES_PER_REASON = 10;
export const INTERVAL_MS = 60_000;

/** What was told of one reason since a time. */
interface Ration {
  readonly sinceMs: number;
  readonly told: number;
  readonly untold: number;
}

/**
 * Whether the next line of a reason is told.
 * @param ration of the lines before it; undefined for the first
 * @returns with it how many lines of an interval that is over were not, which is to be told first
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

/** What a service says of records, by reason: a code or another word of few, never what a record says. */
export class RationedLines {
  private readonly rations = new Map<string, Ration>();
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param atEnd takes what is to be called once no more lines come: {@link sumUp}
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

  /** Tells how many lines of each reason were not told yet. */
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
      `${untold.toLocaleString('en')} more of the same reason were not told one by one`,
    );
  }
}
