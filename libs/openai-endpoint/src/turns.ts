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
    if (this.free > 0) this.free--;
    else await this.handedOver(signal);
    try {
      return await work();
    } finally {
      this.handOver();
    }
  }

  /** Resolves with a turn in hand. @throws ABORTED */
  private handedOver(signal: AbortSignal): Promise<void> {
    const stopped = new SeamError('ABORTED', 'Asking an endpoint: told to stop before it was asked.');
    return new Promise((resolve, reject) => {
      const proceed = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.waiting.splice(this.waiting.indexOf(proceed), 1);
        reject(stopped);
      };
      if (signal.aborted) {
        reject(stopped);
        return;
      }
      this.waiting.push(proceed);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** A turn goes to who waits longest, and is free where nobody does. */
  private handOver(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.free++;
    else next();
  }
}
