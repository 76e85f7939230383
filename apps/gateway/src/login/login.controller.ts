/** The way of a browser to a session, and its end. */
import { Controller, Delete, Get, Inject, Query, Req, Res } from '@nestjs/common';
import type { SignedOutReply } from '@seamstream/gateway-contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Access } from '../access/access.js';
import { ForEachTenant, Needs } from '../access/role.guard.js';
import { ApiError } from '../http/api-error.js';
import { Login, type Sent } from './login.js';

@Controller()
export class LoginController {
  constructor(
    @Inject(Login) private readonly login: Login,
    @Inject(Access) private readonly access: Access,
  ) {}

  @Get('login')
  async begin(@Query('to') to: unknown, @Res() reply: FastifyReply): Promise<void> {
    send(reply, await this.login.begin(to));
  }

  @Get('login/callback')
  async finish(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { raw, headers, routeOptions } = request;
    const address = raw.url ?? '';
    const query = address.includes('?') ? address.slice(address.indexOf('?')) : '';
    const sent = await this.login.finish(query, headers.cookie);
    if (sent.refused !== undefined) this.access.count(sent.refused, raw, routeOptions.url);
    send(reply, sent);
  }

  @Delete('api/session')
  @Needs('viewer')
  @ForEachTenant()
  async end(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<SignedOutReply> {
    const principal = this.access.principalOf(request.raw);
    const { id, sessionId } = principal;
    if (id === null || sessionId === undefined)
      throw new ApiError({
        status: 400,
        message: 'Cannot sign out: expected the session of a browser, got a key or a token.',
        code: 'no_session',
      });
    const { location, cookies } = await this.login.end({ ...principal, id, sessionId });
    void reply.header('set-cookie', [...cookies]);
    return { location };
  }
}

function send(reply: FastifyReply, { location, cookies }: Sent): void {
  if (cookies.length > 0) void reply.header('set-cookie', [...cookies]);
  // Neither a cache nor a later page may learn the address with the code.
  void reply.header('cache-control', 'no-store').code(303).header('location', location).send();
}
