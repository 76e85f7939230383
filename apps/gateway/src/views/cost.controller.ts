/** What the page of costs reads: the answers of `seam cost spent` and `seam cost prices list`, for operators, each of their tenant. */
import { Controller, Get, Header, Inject } from '@nestjs/common';
import { PastEventLog } from '@seamstream/event-log';
import { costQuerySchema, momentQuerySchema } from '@seamstream/gateway-contract';
import { jsonText } from '@seamstream/kernel';
import { UNSHOWN } from '@seamstream/log-reader';
import { costReport } from '@seamstream/operations/cost';
import { listedPrices, readDeclaredLimits } from '@seamstream/operations/quotas';
import type { EstimateMemory } from '@seamstream/operations/read-models';
import { Access } from '../access/access.js';
import { ForEachTenant, Needs } from '../access/role.guard.js';
import { GatewayWorld } from '../gateway-world.js';
import { FRESH, JSON_TYPE } from './answer-headers.js';
import { AsAsked, type Asked } from './asked.js';
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
  cost(@AsAsked() { query, raw, reply }: Asked): Promise<string> {
    const { by, since, tenant, asOf } = costQuerySchema.parse(query);
    const reader = this.access.readerOf(raw);
    const wanted = {
      ...{ by, sinceMs: since === undefined ? 0 : Date.parse(since) },
      tenant: tenantFor('sum costs', reader, tenant),
    };
    const lift = async () => (await this.live.current()).lift();
    const now = { log: this.world.drivers.log, lift, estimates: this.estimates };
    const turn = { tenant: reader.tenant, what: 'sum costs', closing: this.world.closing };
    return this.turns.answer(reply, turn, async (signal) => {
      const reported = (source: typeof now | Omit<typeof now, 'estimates'>) =>
        costReport(source, wanted, { signal, progress: () => UNSHOWN });
      const report = await (asOf === undefined
        ? reported(now)
        : this.live.asOf(asOf, signal, (past) => reported({ log: past.log, lift: async () => past.reader.lift() })));
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
  async prices(@AsAsked() { query, raw }: Asked): Promise<string> {
    const { asOf } = momentQuerySchema.parse(query);
    const { isOfAll } = this.access.readerOf(raw);
    const past = asOf === undefined ? undefined : await PastEventLog.asOf(this.world.drivers.log, asOf);
    const prices = listedPrices(past === undefined ? this.access.declared : await readDeclaredLimits(past));
    return jsonText({
      prices: isOfAll ? prices : prices.map((price) => ({ ...price, declaredBy: null, reason: null })),
      nowMs: past?.asOfMs ?? this.world.clock.now(),
    });
  }
}
