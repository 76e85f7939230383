import { Controller } from '@nestjs/common';
import { TOPIC } from '@seamstream/events';
import { ConsumeTopic, type DeliveredBatch, done, type Outcome } from '@seamstream/service-kit';
import { FoldOutcomesHandler } from './fold-outcomes.handler.js';

export const BUFFER_GROUP = 'seam.buffer';

@Controller()
export class OutcomesConsumer {
  constructor(private readonly foldOutcomes: FoldOutcomesHandler) {}

  @ConsumeTopic({
    topic: TOPIC.outcomes,
    group: BUFFER_GROUP,
    maxBatchRecords: 500,
    maxConcurrentPartitions: 1,
    sharing: 'whole',
  })
  async consume(batch: DeliveredBatch): Promise<Outcome> {
    return done(await this.foldOutcomes.handle(batch));
  }
}
