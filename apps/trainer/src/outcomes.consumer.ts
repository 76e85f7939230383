import { Controller } from '@nestjs/common';
import { GROUP, TOPIC } from '@seamstream/events';
import { ConsumeTopic, type DeliveredBatch, type HandlerResult } from '@seamstream/service-kit';
import { TrainWindowsHandler } from './train-windows.handler.js';

@Controller()
export class OutcomesConsumer {
  constructor(private readonly trainWindows: TrainWindowsHandler) {}

  @ConsumeTopic({
    topic: TOPIC.outcomes,
    group: GROUP.trainer,
    maxBatchRecords: 500,
    maxConcurrentPartitions: 1,
    sharing: 'whole',
    isUnbounded: true,
  })
  consume(batch: DeliveredBatch): Promise<readonly HandlerResult[]> {
    return this.trainWindows.handle(batch);
  }
}
