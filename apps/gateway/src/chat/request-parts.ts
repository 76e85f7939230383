/**
 * Where the time of one chat request goes:
 *
 *   received ─► checks, limits, its record ─► the wait for its entry ─► the executor ⇄ the client that reads ─► recorded
 *               own                           entry                     executor      client                    own
 *
 * What no other part took is the gateway's own. Time in which a client does not take the next frame is neither the executor's nor the gateway's.
 */
import type { Clock } from '@seamstream/kernel';

/** Parts that are measured; the rest is the gateway's own. */
type MeasuredPart = 'entry' | 'executor' | 'client';

/** What metrics have, in seconds. */
export type PartSeconds = Readonly<Record<'executor' | 'own', number>> & {
  /** Null: no entry was waited for. */
  readonly entry: number | null;
};

export class RequestParts {
  private readonly spentMs = new Map<MeasuredPart, number>();
  private readonly receivedAtMs: number;

  constructor(private readonly clock: Clock) {
    this.receivedAtMs = clock.now();
  }

  async during<T>(part: MeasuredPart, work: () => PromiseLike<T>): Promise<T> {
    const sinceMs = this.clock.now();
    try {
      return await work();
    } finally {
      this.add(part, sinceMs);
    }
  }

  /** Measures the waits for each of them, and the time in which the next one is not asked for as the client's. */
  async *eachOf<T>(all: AsyncIterable<T>): AsyncGenerator<T> {
    const left = all[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await this.during('executor', () => left.next());
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await left.return?.();
    }
  }

  /** Gives frames to a client, which takes the next one when it can. */
  *toClient<T>(frames: Iterable<T>): Generator<T> {
    for (const frame of frames) {
      const sinceMs = this.clock.now();
      yield frame;
      this.add('client', sinceMs);
    }
  }

  /** Milliseconds since the request came. */
  get sinceReceivedMs(): number {
    return this.clock.now() - this.receivedAtMs;
  }

  /** Null: nothing of the kind was waited for. */
  get entryMs(): number | null {
    return this.spentMs.get('entry') ?? null;
  }

  get executorMs(): number {
    return this.spentMs.get('executor') ?? 0;
  }

  /** Until now. */
  get ownMs(): number {
    const ofOthers = [...this.spentMs.values()].reduce((sum, each) => sum + each, 0);
    return Math.max(0, this.sinceReceivedMs - ofOthers);
  }

  /** Until now. */
  get seconds(): PartSeconds {
    const { entryMs, executorMs, ownMs } = this;
    return { entry: entryMs === null ? null : entryMs / 1000, executor: executorMs / 1000, own: ownMs / 1000 };
  }

  private add(part: MeasuredPart, sinceMs: number): void {
    this.spentMs.set(part, (this.spentMs.get(part) ?? 0) + this.clock.now() - sinceMs);
  }
}
