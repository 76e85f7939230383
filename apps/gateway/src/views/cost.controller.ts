/** What the page of costs reads: the answers of `seam cost spent` and `seam cost prices list`, for operators, each of their tenant. */
import { Controller, Get, Header, Inject, Query, Req, Res } from '@nestjs/common';
import { costQuerySchema } from '@seamstream/gateway-contract';
import { jsonText } from '@seamstream/kernel';
import { UNSHOWN } from '@seamstream/log-reader';
import { costReport } from '@seamstream/operations/cost';
import { listedPrices } from '@seamstream/operations/quotas';
import type { EstimateMemory } from '@seamstream/operations/read-models';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Access } from '../access/access.js';
import { ForEachTenant, Needs } from '../access/role.guard.js';
import { GatewayWorld } from '../gateway-world.js';
import { FRESH, JSON_TYPE } from './answer-headers.js';
import { LiveViews } from './live-views.js';
import { ReadingTurns } from './reading-turns.js';
import { tenantFor } from './tenant-for.js';

@Controller('api/views')
export class CostController {
  /** A page asks again and again, and estimates take time in which the gateway does nothing else. */
  private readonly estimates: EstimateMemory = new Map();

  constructor(
    @Inject(GatewayWorld) private readonly world: GatewayWorld,
    @Inject(LiveViews) private readonly live: LiveViews,
    @Inject(Access) private readonly access: Access,
    @Inject(ReadingTurns) private readonly turns: ReadingTurns,
  ) {}

  /** Each attempt of the log is priced again, since a price may be declared for the past: it is read for each answer. */
  @Get('cost')
  @Needs('operator')
  @ForEachTenant()
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async cost(
    @Query() query: unknown,
    @Req() { raw }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { by, since, tenant } = costQuerySchema.parse(query);
    const reader = this.access.readerOf(raw);
    const wanted = {
      ...{ by, sinceMs: since === undefined ? 0 : Date.parse(since) },
      tenant: tenantFor('sum costs', reader, tenant),
    };
    const lift = async () => (await this.live.current()).lift();
    const source = { log: this.world.drivers.log, lift, estimates: this.estimates };
    const turn = { tenant: reader.tenant, what: 'sum costs', closing: this.world.closing };
    return this.turns.answer(reply, turn, async (signal) => {
      const report = await costReport(source, wanted, { signal, progress: () => UNSHOWN });
      // A page that asked for something else meanwhile knows by it that this is no answer to that.
      return jsonText({ ...report, asked: { by, since: since ?? '', tenant: tenant ?? '' }, you: reader });
    });
  }

  /** Prices are of the whole system, and hold for all. Who declared them, and why, is for those who see it. */
  @Get('prices')
  @Needs('operator')
  @ForEachTenant()
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  prices(@Req() { raw }: FastifyRequest): string {
    const { isOfAll } = this.access.readerOf(raw);
    const prices = listedPrices(this.access.declared);
    return jsonText({
      prices: isOfAll ? prices : prices.map((price) => ({ ...price, declaredBy: null, reason: null })),
      nowMs: this.world.clock.now(),
    });
  }
}
