/** Works on the batches of a group's partitions. Each partition has its own processor. */
import { type Claim, partitionName, type RecordBatch } from '@seamstream/event-log';
import type { BatchConsumer } from './delivery.js';
import { PartitionProcessor } from './partition-processor.js';
import { TimedConsumer } from './timed-consumer.js';
import type { WorkerOptions } from './worker-options.js';

interface Owned {
  readonly processor: PartitionProcessor;
  /** Under which it was worked on last; whether it is being worked on. */
  claim: Claim | undefined;
  isAtWork: boolean;
}

export class BatchWorker {
  /** By topic/partition; of those that are owned, and of those whose failures outlive their claim. */
  private readonly owned = new Map<string, Owned>();
  /** Records that are late are judged by all of the group's. */
  private readonly consumer: TimedConsumer;

  constructor(
    private readonly options: WorkerOptions,
    consumer: BatchConsumer,
  ) {
    this.consumer = new TimedConsumer(options, consumer);
  }

  /** Partitions of which something is known, as topic/partition. */
  get places(): readonly string[] {
    return [...this.owned.keys()];
  }

  /**
   * Resolves when the batch is committed or handed back; rejects when the subscription must end. Batches of one partition come one at a time.
   * @param signal aborts when work should stop now
   */
  async work(batch: RecordBatch, signal: AbortSignal): Promise<void> {
    const place = partitionName(batch.topic, batch.partition);
    const own = this.ownedAt(place);
    const { claim } = batch;
    if (own.claim !== claim) {
      own.claim = claim;
      const drop = (): void => (own.claim === claim ? this.dropEnded(place, own) : undefined);
      batch.signal.addEventListener('abort', drop, { once: true });
    }
    own.isAtWork = true;
    try {
      await own.processor.work(batch, signal);
    } finally {
      own.isAtWork = false;
      if (batch.signal.aborted) this.dropEnded(place, own);
    }
  }

  private ownedAt(place: string): Owned {
    let own = this.owned.get(place);
    if (own === undefined) {
      own = { processor: new PartitionProcessor(this.options, this.consumer), claim: undefined, isAtWork: false };
      this.owned.set(place, own);
    }
    return own;
  }

  /** What is idle when its claim ends goes then, what is at work when that has ended. */
  private dropEnded(place: string, own: Owned): void {
    if (!own.isAtWork && own.processor.isSettled && this.owned.get(place) === own) this.owned.delete(place);
  }
}
