/**
 * Shows other workers that a run is being worked on: an object next to the run's checkpoints that its holder renews. A lease that is not
 * renewed for a while belongs to a worker that died. It saves work and proves nothing: who holds a run is decided by its claim on the
 * log, where the latest claim fences all earlier ones.
 */
import { type Clock, isSeamError } from '@seamstream/kernel';
import type { ObjectStore } from '@seamstream/object-store';
import { runFolder } from './checkpoints.js';

export class RunLeases {
  /** By run: another's lease as it was last found, and since when it has been so by the own clock. */
  private readonly seen = new Map<string, { readonly text: string; readonly sinceMs: number }>();

  /** @param leaseMs a lease that is not renewed for so long has no holder; 0: no other process takes runs, and no lease is kept */
  constructor(
    private readonly objects: ObjectStore,
    private readonly clock: Clock,
    private readonly leaseMs: number,
  ) {}

  /** Whether no worker holds the run, as far as its lease shows. */
  async isFree(runId: string): Promise<boolean> {
    if (this.leaseMs === 0) return true;
    const text = await this.textOf(runId);
    if (text === undefined) {
      this.seen.delete(runId);
      return true;
    }
    const seen = this.seen.get(runId);
    if (seen?.text === text) return this.clock.now() - seen.sinceMs >= this.leaseMs;
    this.seen.set(runId, { text, sinceMs: this.clock.now() });
    return false;
  }

  /** Holds the lease until the work has settled. @param holder a name that no other holder has */
  async during<T>(runId: string, holder: string, work: () => Promise<T>): Promise<T> {
    if (this.leaseMs === 0) return work();
    let beat = 0;
    // A renewal that fails is made up by the next one; others may take the run meanwhile, which its claim settles.
    const renew = (): Promise<unknown> =>
      this.objects.put(keyOf(runId), Buffer.from(JSON.stringify({ holder, beat: ++beat }))).catch(() => undefined);
    let renewing = renew();
    await renewing;
    const timer = setInterval(() => {
      renewing = renewing.then(renew);
    }, this.leaseMs / 3);
    timer.unref(); // work that was left behind must not hold the process
    let isFenced = false;
    try {
      return await work();
    } catch (error) {
      isFenced = isSeamError(error, 'FENCED');
      throw error;
    } finally {
      clearInterval(timer);
      await renewing;
      // A lost run's lease stays: it may name the loser by now, but it still shows that the run is held.
      if (!isFenced) await this.release(runId, holder);
    }
  }

  /** So that the next worker need not wait. */
  private async release(runId: string, holder: string): Promise<void> {
    try {
      const text = await this.textOf(runId);
      if (text !== undefined && (JSON.parse(text) as { holder?: unknown }).holder === holder)
        await this.objects.delete(keyOf(runId));
    } catch {
      // Then it runs out.
    }
  }

  private async textOf(runId: string): Promise<string | undefined> {
    try {
      return Buffer.from(await this.objects.get(keyOf(runId))).toString();
    } catch (error) {
      if (isSeamError(error, 'OBJECT_NOT_FOUND')) return undefined;
      throw error;
    }
  }
}

function keyOf(runId: string): string {
  return `${runFolder(runId)}lease.json`;
}
