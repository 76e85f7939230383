import { Controller } from '@nestjs/common';
import { GROUP, TOPIC } from '@seamstream/events';
import { answersProblem } from '@seamstream/evidence';
import { ConsumeTopic, type DeliveredBatch, type HandlerResult } from '@seamstream/service-kit';
import { WriteExperiencesHandler } from './write-experiences.handler.js';

@Controller()
export class ProblemsConsumer {
  constructor(private readonly writeExperiences: WriteExperiencesHandler) {}

  @ConsumeTopic({
    topic: TOPIC.problems,
    group: GROUP.generator,
    maxBatchRecords: 64,
    isPaced: true,
    answersIn: { topics: [TOPIC.experiences, TOPIC.outcomes], recognise: answersProblem },
  })
  consume(batch: DeliveredBatch): Promise<readonly HandlerResult[]> {
    return this.writeExperiences.handle(batch);
  }
}
