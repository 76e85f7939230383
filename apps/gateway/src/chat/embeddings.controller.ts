import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { isSeamError } from '@seamstream/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Access } from '../access/access.js';
import { ForEachTenant, Needs } from '../access/role.guard.js';
import { ApiError } from '../http/api-error.js';
import { goneOf } from '../http/reply-stream.js';
import type { Charge } from '../quotas/charge.js';
import { Quotas } from '../quotas/quotas.js';
import { worstCaseOfInput } from '../quotas/worst-case.decide.js';
import { type PassedOn, Upstream } from './upstream.port.js';

/** Paths that pass through: no problem is in them, and nothing is recorded but what a client with limits used. */
@Controller('v1')
export class EmbeddingsController {
  constructor(
    private readonly upstream: Upstream,
    private readonly quotas: Quotas,
    private readonly access: Access,
  ) {}

  @Post('embeddings')
  @HttpCode(200)
  @Needs('publisher')
  @ForEachTenant()
  async embed(@Body() body: unknown, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const client = this.access.principalOf(request.raw);
    const model = this.upstream.models[0]!;
    const charge = await this.quotas.reserve(client, () => worstCaseOfInput(body), [model]);
    const answer = await this.passOn(body, reply, charge, model);
    if (answer === undefined) {
      const message = `Cannot answer ${request.url}: the executor has no such path.`;
      throw new ApiError({ status: 404, message, code: 'not_found' });
    }
    await reply
      .code(answer.status)
      .headers({ ...charge.headers, ...answer.headers })
      .type('application/json; charset=utf-8')
      .send(answer.body);
  }

  private async passOn(
    body: unknown,
    reply: FastifyReply,
    charge: Charge,
    model: string,
  ): Promise<PassedOn | undefined> {
    let settlement = charge.released();
    try {
      charge.begin();
      settlement = charge.charged({ usage: null, model });
      const answer = await this.upstream.passOn('embeddings', JSON.stringify(body), goneOf(reply));
      settlement = answer?.status === 200 ? charge.charged({ usage: usageIn(answer.body), model }) : charge.released();
      return answer;
    } catch (error) {
      if (isSeamError(error, 'ENDPOINT_UNAVAILABLE')) settlement = charge.released();
      throw error;
    } finally {
      await this.quotas.settle(settlement);
    }
  }
}

/** Embeddings are read and not written: a server that names the prompt's tokens alone has said everything. */
function usageIn(body: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    const { usage } = JSON.parse(body.toString('utf8')) as { usage?: unknown };
    return typeof usage === 'object' && usage !== null ? { completion_tokens: 0, ...usage } : null;
  } catch {
    return null;
  }
}
