import { Controller, type Type } from '@nestjs/common';
import { GROUP, TOPIC } from '@seamstream/events';
import { ConsumeTopic, type DeliveredBatch, done, type HandlerResult, halt } from '@seamstream/service-kit';
import { type Shard, shardName } from '@seamstream/success-buffer';
import type { FoldOutcomesHandler } from './fold-outcomes.handler.js';
import { UnrestorableBuffer } from './restore-fold.js';

/** The group whose offsets are a shard's place in the log. Its name has the number of shards, so state is never continued in another. */
export function groupOf(shard: Shard): string {
  return shard.of === 1 ? GROUP.buffer : `${GROUP.buffer}.${shardName(shard)}`;
}

/** Each shard has its own consumer: a class, since that is what the framework wires. */
export function outcomesConsumer(shard: Shard, foldOutcomes: FoldOutcomesHandler): Type {
  @Controller()
  class OutcomesConsumer {
    @ConsumeTopic({
      topic: TOPIC.outcomes,
      group: groupOf(shard),
      maxBatchRecords: 500,
      maxConcurrentPartitions: 1,
      sharing: 'whole',
      // The only shard stays where it is until its owner is gone.
      ...(shard.of === 1 ? {} : { turn: shard.index }),
    })
    async consume(batch: DeliveredBatch): Promise<HandlerResult> {
      try {
        return done(await foldOutcomes.handle(batch));
      } catch (error) {
        // No outcome is to blame, and none may be passed over.
        if (error instanceof UnrestorableBuffer) return halt(error.code, error.message);
        throw error;
      }
    }
  }
  return OutcomesConsumer;
}
