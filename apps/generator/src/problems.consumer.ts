import { Controller } from '@nestjs/common';
import { TOPIC } from '@seamstream/events';
import { ConsumeTopic, type DeliveredBatch, type HandlerResult } from '@seamstream/service-kit';
import { WriteExperiencesHandler } from './write-experiences.handler.js';

export const GENERATOR_GROUP = 'seam.generator';

@Controller()
export class ProblemsConsumer {
  constructor(private readonly writeExperiences: WriteExperiencesHandler) {}

  @ConsumeTopic({
    topic: TOPIC.problems,
    group: GENERATOR_GROUP,
    maxBatchRecords: 64,
    isPaced: true,
    answersIn: [TOPIC.experiences, TOPIC.outcomes],
  })
  consume(batch: DeliveredBatch): Promise<readonly HandlerResult[]> {
    return this.writeExperiences.handle(batch);
  }
}
