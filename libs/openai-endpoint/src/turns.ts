import { SeamError } from '@seamstream/kernel';

/** At most so many at a time, first come first served. */
export class Turns {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(atATime: number) {
    this.free = atATime;
  }

  /** @throws ABORTED when told to stop before its turn, and whatever the work throws */
  async take<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    while (this.free === 0) {
      await new Promise<void>((resolve) => {
        this.waiting.push(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      if (signal.aborted) {
        this.wakeNext(); // the turn may have been meant for this one
        throw new SeamError('ABORTED', 'Asking an endpoint: told to stop before it was asked.');
      }
    }
    this.free--;
    try {
      return await work();
    } finally {
      this.free++;
      this.wakeNext();
    }
  }

  private wakeNext(): void {
    this.waiting.shift()?.();
  }
}
