/**
 * How far a consumer of a whole topic has folded it into its state, partition by partition, and whether that state may be
 * continued: it must hold what its group has committed, no more and no less. A consumer that lost the partitions and has them
 * back, or has some of them for the first time, cannot know from one batch what others have done meanwhile on all of them.
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

  /** Whether the batch begins where the state ends, under the claim of the one before. Then no other process has worked in between. */
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
 * The state to which the batch is added: the held one where no other process has worked since, else a restored one.
 * @param restore receives what the group has committed; it was read before everything else that the state is made from
 */
export async function ensureCurrent<Held extends { readonly places: FoldPosition }>(
  log: EventLog,
  batch: DeliveredBatch,
  held: Held | undefined,
  restore: (consumed: readonly ConsumedOffset[]) => Promise<Held>,
): Promise<Held> {
  if (held?.places.continuesWith(batch)) return held;
  const consumed = (await log.committedOffsets(batch.claim.group)).filter(({ topic }) => topic === batch.topic);
  return held?.places.isAt(consumed) ? held : restore(consumed);
}
