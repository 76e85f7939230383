/** A semaphore: at most so many actions at once, first come first served. */
import { SeamError } from '../errors.js';

export class Semaphore {
  private readonly waiting: (() => void)[] = [];

  /** @param permits actions at once, at least 1 */
  constructor(private permits: number) {}

  /**
   * Runs the action as soon as a permit is free.
   * @param signal ends the waiting for a permit, not the action
   * @throws ABORTED when the signal arrived before the permit, and any error of the action
   */
  async run<T>(action: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.permits > 0 && signal?.aborted !== true) this.permits--;
    else await this.permit(signal);
    try {
      return await action();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.permits++;
      else next();
    }
  }

  private permit(signal: AbortSignal | undefined): Promise<void> {
    const aborted = new SeamError('ABORTED', 'Cannot begin: aborted while waiting for others to finish.');
    return new Promise((resolve, reject) => {
      const proceed = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.waiting.splice(this.waiting.indexOf(proceed), 1);
        reject(aborted);
      };
      if (signal?.aborted === true) {
        reject(aborted);
        return;
      }
      this.waiting.push(proceed);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }
}
