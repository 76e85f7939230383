import { Controller } from '@nestjs/common';
import { GROUP, TOPIC } from '@seamstream/events';
import { answersExperience } from '@seamstream/evidence';
import { ConsumeTopic, type DeliveredBatch, type HandlerResult } from '@seamstream/service-kit';
import { ExecuteExperiencesHandler } from './execute-experiences.handler.js';

@Controller()
export class ExperiencesConsumer {
  constructor(private readonly executeExperiences: ExecuteExperiencesHandler) {}

  @ConsumeTopic({
    topic: TOPIC.experiences,
    group: GROUP.executor,
    maxBatchRecords: 256,
    isPaced: true,
    answersIn: { topics: [TOPIC.outcomes, TOPIC.answers], recognise: answersExperience },
  })
  consume(batch: DeliveredBatch): Promise<readonly HandlerResult[]> {
    return this.executeExperiences.handle(batch);
  }
}
