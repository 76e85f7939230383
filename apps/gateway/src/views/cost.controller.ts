/** What the page of costs reads: the answers of `seam cost spent` and `seam cost prices list`, for operators, each of their tenant. */
import { Controller, Get, Header, Inject } from '@nestjs/common';
import { costQuerySchema, momentQuerySchema } from '@seamstream/gateway-contract';
import { jsonText } from '@seamstream/kernel';
import { UNSHOWN } from '@seamstream/log-reader';
import { type CostSource, costReport } from '@seamstream/operations/cost';
import { type DeclaredLimits, listedPrices, readDeclaredLimits } from '@seamstream/operations/quotas';
import type { EstimateMemory } from '@seamstream/operations/read-models';
import { Access } from '../access/access.js';
import { ForEachTenant, Needs } from '../access/role.guard.js';
import { GatewayWorld } from '../gateway-world.js';
import { FRESH, JSON_TYPE } from './answer-headers.js';
import { AsAsked, type Asked } from './asked.js';
import { LiveViews } from './live-views.js';
import { Moments } from './moments.js';
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
    @Inject(Moments) private readonly moments: Moments,
  ) {}

  /** Each attempt of the log is priced again, since a price may be declared for the past: it is read for each answer. */
  @Get('cost')
  @Needs('operator')
  @ForEachTenant()
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  cost(@AsAsked() asked: Asked): Promise<string> {
    const { by, since, tenant, asOf } = costQuerySchema.parse(asked.query);
    const reader = this.access.readerOf(asked.raw);
    const wanted = {
      ...{ by, sinceMs: since === undefined ? 0 : Date.parse(since) },
      tenant: tenantFor('sum costs', reader, tenant),
    };
    const reported = async (source: CostSource, signal: AbortSignal) => ({
      ...(await costReport(source, wanted, { signal, progress: () => UNSHOWN })),
      // A page that asked for something else meanwhile knows by it that this is no answer to that.
      ...{ asked: { by, since: since ?? '', tenant: tenant ?? '' }, you: reader },
    });
    if (asOf !== undefined)
      return this.moments.past(
        asked,
        asOf,
        ({ log, folded }, signal) => reported({ log, lift: async () => (await folded()).lift() }, signal),
        'sum costs',
      );
    const lift = async () => (await this.live.current()).lift();
    const now = { log: this.world.drivers.log, lift, estimates: this.estimates };
    const turn = { tenant: reader.tenant, what: 'sum costs', closing: this.world.closing };
    return this.turns.answer(asked.reply, turn, async (signal) => jsonText(await reported(now, signal)));
  }

  /** Prices are of the whole system, and hold for all. Who declared them, and why, is for those who see it. */
  @Get('prices')
  @Needs('operator')
  @ForEachTenant()
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async prices(@AsAsked() asked: Asked): Promise<string> {
    const { asOf } = momentQuerySchema.parse(asked.query);
    const { isOfAll } = this.access.readerOf(asked.raw);
    const told = (declared: DeclaredLimits, nowMs: number) => {
      const prices = listedPrices(declared);
      return {
        prices: isOfAll ? prices : prices.map((price) => ({ ...price, declaredBy: null, reason: null })),
        nowMs,
      };
    };
    if (asOf === undefined) return jsonText(told(this.access.declared, this.world.clock.now()));
    return this.moments.past(
      asked,
      asOf,
      async ({ log }, signal) => told(await readDeclaredLimits(log, signal), log.asOfMs),
      'list prices',
    );
  }
}
