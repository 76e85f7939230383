import { Controller } from '@nestjs/common';
import { TOPIC } from '@seamstream/events';
import { ConsumeTopic, type DeliveredBatch, type HandlerResult } from '@seamstream/service-kit';
import { ExecuteExperiencesHandler } from './execute-experiences.handler.js';

export const EXECUTOR_GROUP = 'seam.executor';

@Controller()
export class ExperiencesConsumer {
  constructor(private readonly executeExperiences: ExecuteExperiencesHandler) {}

  @ConsumeTopic({
    topic: TOPIC.experiences,
    group: EXECUTOR_GROUP,
    maxBatchRecords: 256,
    isPaced: true,
    answersIn: [TOPIC.outcomes],
  })
  consume(batch: DeliveredBatch): Promise<readonly HandlerResult[]> {
    return this.executeExperiences.handle(batch);
  }
}
