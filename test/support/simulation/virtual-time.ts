/**
 * Time that passes only when nothing is left to do at the present moment. Timers and immediates of this realm wait in one
 * queue; the next due entry runs, then every promise that it settled, then the next. A run of code that waits for timers
 * and promises alone is therefore a function of its inputs.
 */
interface Task {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

/** What Node's timers are to their callers: nothing here keeps a process alive. */
class Handle {
  constructor(readonly order: number) {}
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return false;
  }
  [Symbol.toPrimitive](): number {
    return this.order;
  }
}

export class VirtualTime {
  private readonly queue = new Map<number, Task>();
  private order = 0;
  private readonly real = { setTimeout, clearTimeout, setImmediate, clearImmediate };
  private readonly realNow = Date.now;

  /** @param nowMs milliseconds since the epoch */
  constructor(private nowMs: number) {}

  get now(): number {
    return this.nowMs;
  }

  /** From now on this realm's timers and `Date.now` are these. */
  install(): void {
    const cancel = (handle: unknown): void => void this.queue.delete(Number(handle));
    Object.assign(globalThis, {
      setTimeout: (run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) =>
        this.add(Math.max(1, ms), () => run(...given)),
      clearTimeout: cancel,
      setImmediate: (run: (...given: unknown[]) => void, ...given: unknown[]) => this.add(0, () => run(...given)),
      clearImmediate: cancel,
    });
    Date.now = () => this.nowMs;
  }

  uninstall(): void {
    Object.assign(globalThis, this.real);
    Date.now = this.realNow;
  }

  /** Resolves after so many milliseconds of this time. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.add(ms, resolve));
  }

  /** Lets time pass until the condition holds. @returns false when nothing is left to happen, or the time is over, before */
  async runUntil(isDone: () => boolean, untilMs: number): Promise<boolean> {
    for (;;) {
      // All promises that are settled run before an immediate of the real world.
      await new Promise<void>((resolve) => this.real.setImmediate(resolve));
      if (isDone()) return true;
      const next = this.takeNext();
      if (next === undefined || next.atMs > untilMs) return false;
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.run();
    }
  }

  /** Lets time pass until the promise is fulfilled. @returns as {@link runUntil} */
  runWhile(work: Promise<unknown>, untilMs: number): Promise<boolean> {
    const state = { isDone: false };
    const done = (): void => {
      state.isDone = true;
    };
    work.then(done, () => undefined); // who awaits it hears of its error
    return this.runUntil(() => state.isDone, untilMs);
  }

  private add(ms: number, run: () => void): Handle {
    const order = ++this.order;
    this.queue.set(order, { atMs: this.nowMs + ms, order, run });
    return new Handle(order);
  }

  private takeNext(): Task | undefined {
    let next: Task | undefined;
    for (const task of this.queue.values()) if (next === undefined || task.atMs < next.atMs) next = task;
    if (next !== undefined) this.queue.delete(next.order);
    return next;
  }
}
