import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** What a view is asked for, and by whom. */
export interface Asked {
  readonly query: unknown;
  readonly raw: FastifyRequest['raw'];
  /** Nest sends what the view returns; by this the view learns that its reader has left. */
  readonly reply: FastifyReply;
}

/** Parameter of a view. */
export const AsAsked = createParamDecorator((_: unknown, context: ExecutionContext): Asked => {
  const http = context.switchToHttp();
  const { query, raw } = http.getRequest<FastifyRequest>();
  return { query, raw, reply: http.getResponse<FastifyReply>() };
});
