import { Controller } from '@nestjs/common';
import { GROUP, TOPIC } from '@seamstream/events';
import { ConsumeTopic, type DeliveredBatch, type HandlerResult } from '@seamstream/service-kit';
import { PlanWindowsHandler } from './plan-windows.handler.js';

@Controller()
export class OutcomesConsumer {
  constructor(private readonly planWindows: PlanWindowsHandler) {}

  @ConsumeTopic({
    topic: TOPIC.outcomes,
    group: GROUP.trainer,
    maxBatchRecords: 500,
    maxConcurrentPartitions: 1,
    sharing: 'whole',
  })
  consume(batch: DeliveredBatch): Promise<readonly HandlerResult[]> {
    return this.planWindows.handle(batch);
  }
}
