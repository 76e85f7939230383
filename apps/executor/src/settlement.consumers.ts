import { Controller } from '@nestjs/common';
import { GROUP, TOPIC } from '@seamstream/events';
import { ConsumeTopic, type DeliveredBatch, type HandlerResult } from '@seamstream/service-kit';
import { SettleAnswersHandler } from './settle-answers.handler.js';

/** Waiting answers are delivered again and again, so a batch of them is small. */
@Controller()
export class AnswersConsumer {
  constructor(private readonly settleAnswers: SettleAnswersHandler) {}

  @ConsumeTopic({ topic: TOPIC.answers, group: GROUP.settler, maxBatchRecords: 64 })
  consume(batch: DeliveredBatch): Promise<readonly HandlerResult[]> {
    return this.settleAnswers.endOverdue(batch);
  }
}

@Controller()
export class FeedbackConsumer {
  constructor(private readonly settleAnswers: SettleAnswersHandler) {}

  @ConsumeTopic({ topic: TOPIC.feedback, group: GROUP.judge, maxBatchRecords: 256 })
  consume(batch: DeliveredBatch): Promise<readonly HandlerResult[]> {
    return this.settleAnswers.judge(batch);
  }
}
