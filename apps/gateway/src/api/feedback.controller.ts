import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { type EventOf, experienceIdOf, originMeta } from '@seamstream/events';
import { feedbackRequestSchema } from '@seamstream/gateway-contract';
import { derivedId, newId } from '@seamstream/kernel';
import type { FastifyRequest } from 'fastify';
import { Access } from '../access/access.js';
import { scopeOf } from '../access/principal.js';
import { ForEachTenant, Needs } from '../access/role.guard.js';
import { COMPLETION } from '../chat/completion-form.decide.js';
import { GatewayWorld } from '../gateway-world.js';
import { repeatKeyOf } from '../http/repeat-key.js';
import { RESPONSE } from '../responses/response-form.decide.js';
import { SOURCE } from '../source.js';

/** What is said of an answer is recorded; the executor's service decides whether it counts (docs/adr/0052). */
@Controller('v1')
export class FeedbackController {
  constructor(
    private readonly world: GatewayWorld,
    private readonly access: Access,
  ) {}

  @Post('feedback')
  @HttpCode(202)
  @Needs('publisher')
  @ForEachTenant()
  async give(@Body() body: unknown, @Req() request: FastifyRequest): Promise<Readonly<Record<string, string>>> {
    const given = feedbackRequestSchema.parse(body);
    const principal = this.access.principalOf(request.raw);
    const { id: client, tenant } = principal;
    const problemId = given.problemId ?? problemOfAnswer(given.completionId!);
    const attemptId = given.attemptId ?? experienceIdOf(derivedId(problemId, 'published'), 0);
    const repeatKey = repeatKeyOf(request);
    const messageId = repeatKey === null ? newId() : derivedId(`${scopeOf(principal) ?? ''}/${repeatKey}`, 'feedback');
    const feedback: EventOf<'FeedbackGiven'> = {
      type: 'FeedbackGiven',
      meta: originMeta({
        ...{ messageId, correlationId: problemId, source: SOURCE, subject: client, tenant },
        ...{ occurredAt: this.world.clock.now(), sourceClass: 'user' },
        traceparent: this.world.requests.traceparentOf(request),
      }),
      ...{
        problemId,
        attemptId,
        score: Number(given.value),
        by: given.by ?? client ?? 'client',
        reason: given.comment,
      },
    };
    const named = { key: repeatKey, path: 'feedback', scope: scopeOf(principal) };
    await this.world.repeats.during(named, given, () => this.world.events.send(feedback));
    return { feedbackId: messageId, problemId, attemptId };
  }
}

/** The id of an answer is its problem's behind a word of the API that gave it. */
function problemOfAnswer(answerId: string): string {
  const word = [COMPLETION, RESPONSE].find((each) => answerId.startsWith(each)) ?? '';
  return answerId.slice(word.length);
}
