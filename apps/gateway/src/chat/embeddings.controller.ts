import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Needs } from '../access/role.guard.js';
import { ApiError } from '../http/api-error.js';
import { goneOf } from '../http/reply-stream.js';
import { Upstream } from './upstream.port.js';

/** Paths that pass through: no problem is in them, and nothing is recorded. */
@Controller('v1')
export class EmbeddingsController {
  constructor(private readonly upstream: Upstream) {}

  @Post('embeddings')
  @HttpCode(200)
  @Needs('publisher')
  async embed(@Body() body: unknown, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const answer = await this.upstream.passOn('embeddings', JSON.stringify(body), goneOf(reply));
    if (answer === undefined) {
      const message = `Cannot answer ${request.url}: the executor has no such path.`;
      throw new ApiError({ status: 404, message, code: 'not_found' });
    }
    await reply
      .code(answer.status)
      .headers({ ...answer.headers })
      .type('application/json; charset=utf-8')
      .send(answer.body);
  }
}
