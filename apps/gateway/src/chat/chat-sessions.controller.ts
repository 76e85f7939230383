import { Controller, Delete, Get, Param, Req } from '@nestjs/common';
import { type SessionForgotten, type SessionReply, sessionQuerySchema } from '@seamstream/gateway-contract';
import type { FastifyRequest } from 'fastify';
import { Access } from '../access/access.js';
import { ForEachTenant, Needs } from '../access/role.guard.js';
import { ApiError } from '../http/api-error.js';
import { ChatSessions } from './chat-sessions.js';

/** What a client's own sessions have, and their end. */
@Controller('v1/sessions')
export class ChatSessionsController {
  constructor(
    private readonly sessions: ChatSessions,
    private readonly access: Access,
  ) {}

  @Get(':id')
  @Needs('viewer')
  @ForEachTenant()
  read(@Param() asked: unknown, @Req() request: FastifyRequest): SessionReply {
    const { id } = sessionQuerySchema.parse(asked);
    const standing = this.sessions.standingOf(this.access.principalOf(request.raw), id);
    if (standing === undefined)
      throw new ApiError({
        status: 404,
        message: `Cannot find session ${id}: expected one that a request of yours began, got none. It may be forgotten.`,
        param: 'id',
        code: 'not_found',
      });
    const { trainings: updates, ...rest } = standing;
    return { id, updates, ...rest };
  }

  /** At once, and as often as one asks. */
  @Delete(':id')
  @Needs('publisher')
  @ForEachTenant()
  forget(@Param() asked: unknown, @Req() request: FastifyRequest): SessionForgotten {
    const { id } = sessionQuerySchema.parse(asked);
    return { id, wasKnown: this.sessions.forget(this.access.principalOf(request.raw), id) };
  }
}
