import { Body, Controller, Get, Header, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { type ProblemsReply, problemsRequestSchema } from '@seamstream/gateway-contract';
import { isSeamError, jsonText } from '@seamstream/kernel';
import { UNSHOWN } from '@seamstream/log-reader';
import { publishProblems } from '@seamstream/operations/publish';
import { readStory, storyWithDoubts } from '@seamstream/operations/show';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Access } from '../access/access.js';
import { type Principal, scopeOf } from '../access/principal.js';
import { ForEachTenant, Needs } from '../access/role.guard.js';
import { confinedTo } from '../access/sight.decide.js';
import { GatewayWorld } from '../gateway-world.js';
import { repeatKeyOf } from '../http/repeat-key.js';
import { otherBody } from '../http/repeat-keys.js';
import { Quotas } from '../quotas/quotas.js';
import { SOURCE } from '../source.js';

@Controller('api/problems')
export class ProblemsController {
  constructor(
    private readonly world: GatewayWorld,
    private readonly access: Access,
    private readonly quotas: Quotas,
  ) {}

  @Post()
  @HttpCode(202)
  @Needs('publisher')
  @ForEachTenant()
  async publish(
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ProblemsReply> {
    const asked = problemsRequestSchema.parse(body);
    const key = repeatKeyOf(request);
    const client = this.access.principalOf(request.raw);
    const named = { key, path: 'problems', scope: scopeOf(client) };
    return this.world.repeats.during(named, asked, () => this.publishAs(client, asked, request, reply));
  }

  private async publishAs(
    client: Principal,
    asked: ReturnType<typeof problemsRequestSchema.parse>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<ProblemsReply> {
    const rows = 'problems' in asked && Array.isArray(asked.problems) ? asked.problems : [asked];
    const repeatKey = repeatKeyOf(request);
    const worst = { problems: rows.length, promptTokens: 0, responseTokens: 0 };
    const charge = await this.quotas.reserve(client, () => worst, []);
    void reply.headers({ ...charge.headers });
    try {
      const problems = await publishProblems(this.world.drivers.log, rows, {
        ...{ nowMs: this.world.clock.now(), subject: client.id, tenant: client.tenant, repeatKey, source: SOURCE },
        traceparent: this.world.requests.traceparentOf(request),
        together: charge.taken(),
      });
      return { problems: [...problems] };
    } catch (error) {
      // Without problems in the log nothing was used. Where the log is away the reservation lapses.
      await this.quotas.settle(charge.released()).catch(() => undefined);
      throw isSeamError(error) && error.code === 'CONFLICT' ? otherBody() : error;
    }
  }

  /** The same that `seam show --json` prints, by the problem's whole id; costs for operators alone. */
  @Get(':id')
  @Header('content-type', 'application/json; charset=utf-8')
  @Needs('viewer')
  @ForEachTenant()
  async show(@Param('id') problemId: string, @Req() request: FastifyRequest): Promise<string> {
    const told = await readStory(this.world.drivers.log, problemId, {
      signal: this.world.closing,
      progress: () => UNSHOWN,
      tenant: confinedTo(this.access.sightOf(request.raw)),
    });
    const { cost, ...story } = storyWithDoubts(told);
    return jsonText(this.access.seesCosts(request.raw) ? { ...story, cost } : story);
  }
}
