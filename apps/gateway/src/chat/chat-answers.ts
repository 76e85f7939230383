/** Between HTTP and the way of a request: who asks, how many at a time, and how the answer goes out. */
import type { ChatRequest } from '@seamstream/gateway-contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../access/access.js';
import { type Principal, scopeOf } from '../access/principal.js';
import type { GatewayWorld } from '../gateway-world.js';
import { ApiError } from '../http/api-error.js';
import { repeatKeyOf } from '../http/repeat-key.js';
import { goneOf, sendFrames } from '../http/reply-stream.js';
import type { AnswerChatHandler } from './answer-chat.handler.js';
import type { AnswerForm } from './answer-form.js';

/** A class, so that it is its own injection token. */
export class ChatAnswers {
  private underWay = 0;

  constructor(
    private readonly answerChat: AnswerChatHandler,
    private readonly world: GatewayWorld,
    private readonly access: Access,
  ) {}

  /** @throws ApiError before the first byte of an answer */
  async send(asked: ChatRequest, form: AnswerForm, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { maxConcurrent } = this.world.config.gateway;
    if (this.underWay >= maxConcurrent) throw tooMany(maxConcurrent);
    this.underWay++;
    const principal = this.access.principalOf(request.raw);
    try {
      // The same again is asked again: an answer is not kept for a second request.
      const named = { key: repeatKeyOf(request), path: 'answers', scope: scopeOf(principal) };
      await this.world.repeats.during(named, asked, () => this.answer(asked, form, { principal, request, reply }));
    } finally {
      this.underWay--;
    }
  }

  private async answer(
    asked: ChatRequest,
    form: AnswerForm,
    by: { readonly principal: Principal; readonly request: FastifyRequest; readonly reply: FastifyReply },
  ): Promise<void> {
    const { principal, request, reply } = by;
    const { keepAliveMs, stalledMs } = this.world.config.gateway;
    const { headers, content } = await this.answerChat.handle(asked, form, {
      principal,
      requestId: request.id,
      retries: textOf(request.headers['x-stainless-retry-count']),
      traceparent: this.world.requests.traceparentOf(request),
      gone: goneOf(reply),
      ending: this.world.ending,
    });
    if ('frames' in content) await sendFrames(reply, headers, content.frames, { keepAliveMs, stalledMs });
    else
      await reply
        .code(200)
        .headers({ ...headers })
        .type('application/json; charset=utf-8')
        .send(content.whole);
  }
}

function tooMany(most: number): ApiError {
  return new ApiError({
    status: 429,
    message: `Cannot answer now: ${most} requests are under way, which is the most at a time. Try again.`,
    code: 'too_many_requests',
    headers: { 'retry-after-ms': '250', 'retry-after': '1' },
  });
}

function textOf(header: string | string[] | undefined): string | null {
  return typeof header === 'string' && /^\d{1,3}$/.test(header) ? header : null;
}
