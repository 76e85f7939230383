/**
 * A limit per minute as a bucket: it fills at 6/7 of the limit and holds 1/7 of it, so that no 60 s, whenever they begin,
 * see more than the limit. Who takes more than the bucket holds leaves a debt that later ones wait for.
 */
export class MinuteBucket {
  private readonly capacity: number;
  private readonly perMs: number;
  private level: number;

  constructor(
    perMinute: number,
    private filledMs: number,
  ) {
    this.capacity = perMinute / 7;
    this.perMs = (perMinute * 6) / 7 / 60_000;
    this.level = this.capacity;
  }

  /** Milliseconds until `amount` may be taken; 0 when it may be now. */
  waitFor(amount: number, nowMs: number): number {
    this.fill(nowMs);
    const missing = Math.min(amount, this.capacity) - this.level;
    // The level is a sum of many small steps: what is missing by rounding is there.
    return missing <= this.capacity * 1e-9 ? 0 : missing / this.perMs;
  }

  take(amount: number, nowMs: number): void {
    this.fill(nowMs);
    this.level -= amount;
  }

  /** What was taken and not used. Negative: more was used. */
  giveBack(amount: number): void {
    this.level = Math.min(this.capacity, this.level + amount);
  }

  private fill(nowMs: number): void {
    this.level = Math.min(this.capacity, this.level + Math.max(0, nowMs - this.filledMs) * this.perMs);
    this.filledMs = Math.max(this.filledMs, nowMs);
  }
}
