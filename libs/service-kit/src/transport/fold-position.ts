/**
 * How far a consumer of a whole topic has folded it into its state, partition by partition, and whether that state may go on:
 * it follows what its group has committed, no more and no less. Whoever lost the partitions and has them back, or has some of
 * them for the first time, cannot tell from one batch what others have done meanwhile on all of them.
 */
import type { ConsumedOffset, EventLog } from '@seamstream/event-log';
import { canonicalJson } from '@seamstream/kernel';
import type { DeliveredBatch } from './delivery.js';

export class FoldPosition {
  private readonly places: Map<number, { readonly next: number; readonly claim: string | undefined }>;

  /** @param consumed what the group has committed of the topic, read before everything else that the state is made from */
  constructor(consumed: readonly ConsumedOffset[]) {
    this.places = new Map(
      consumed.map(({ partition, nextOffset }) => [partition, { next: nextOffset, claim: undefined }]),
    );
  }

  /** Whether the batch begins where the state ends, under the claim of the one before: nobody else can have been at work. */
  continuesWith({ partition, firstOffset, claim }: DeliveredBatch): boolean {
    const place = this.places.get(partition);
    return place !== undefined && place.next <= firstOffset && place.claim === canonicalJson(claim);
  }

  /** Whether exactly this is folded. */
  isAt(consumed: readonly ConsumedOffset[]): boolean {
    return (
      this.places.size === consumed.length &&
      consumed.every(({ partition, nextOffset }) => this.places.get(partition)?.next === nextOffset)
    );
  }

  /** The batch is folded up to an offset. */
  advance({ partition, claim, nextOffset }: DeliveredBatch, next: number = nextOffset): void {
    this.places.set(partition, { next, claim: canonicalJson(claim) });
  }
}

/**
 * The state that goes on with the batch: what is held, where nobody else has been at work since, else what is restored.
 * @param restore is given what the group has committed, read before everything else that the state is made from
 */
export async function stateFor<Held extends { readonly places: FoldPosition }>(
  log: EventLog,
  batch: DeliveredBatch,
  held: Held | undefined,
  restore: (consumed: readonly ConsumedOffset[]) => Promise<Held>,
): Promise<Held> {
  if (held?.places.continuesWith(batch)) return held;
  const consumed = (await log.committedOffsets(batch.claim.group)).filter(({ topic }) => topic === batch.topic);
  return held?.places.isAt(consumed) ? held : restore(consumed);
}
