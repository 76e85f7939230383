import { Controller, Get, Req } from '@nestjs/common';
import type { MeReply } from '@seamstream/gateway-contract';
import type { FastifyRequest } from 'fastify';
import { Access } from '../access/access.js';
import { ForEachTenant, Needs } from '../access/role.guard.js';

@Controller('api/me')
export class MeController {
  constructor(private readonly access: Access) {}

  /** Who asks: the name that limits and audit have for them. */
  @Get()
  @Needs('viewer')
  @ForEachTenant()
  read(@Req() request: FastifyRequest): MeReply {
    const { id, role, tenant, expiresAt, sessionId } = this.access.principalOf(request.raw);
    return { id, role, tenant, expiresAt, session: sessionId !== undefined };
  }
}
