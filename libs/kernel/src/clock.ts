/** Where "now" comes from. Domain code receives a timestamp; only the edge asks a clock. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** A clock that a test moves by hand. */
export class ManualClock implements Clock {
  constructor(private nowMs = 0) {}

  now(): number {
    return this.nowMs;
  }

  advance(milliseconds: number): void {
    this.nowMs += milliseconds;
  }
}
