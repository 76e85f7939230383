/** The dashboard's read side. */
import { type DynamicModule, Inject, Module, type OnModuleDestroy } from '@nestjs/common';
import { snapshotPlaceOf } from '@seamstream/service-kit';
import type { Access } from '../access/access.js';
import { RecentRefusals } from '../access/recent-refusals.js';
import type { GatewayWorld } from '../gateway-world.js';
import type { Quotas } from '../quotas/quotas.js';
import { AccessController } from './access.controller.js';
import { CostController } from './cost.controller.js';
import { LibrariesController } from './libraries.controller.js';
import { LiveViews } from './live-views.js';
import { Moments } from './moments.js';
import { ReadingTurns } from './reading-turns.js';
import { RequestsController } from './requests.controller.js';
import { SelfEditsController } from './self-edits.controller.js';
import { HostedStart, StartController } from './start.controller.js';
import { StreamController } from './stream.controller.js';
import { TeamsController } from './teams.controller.js';
import { ViewsController } from './views.controller.js';

@Module({})
export class ViewsModule implements OnModuleDestroy {
  /**
   * @param refusals what the gateway refused lately
   * @param start what its host says of the run that it was started for
   */
  static async of(
    world: GatewayWorld,
    access: Access,
    quotas: Quotas,
    refusals: RecentRefusals,
    start: HostedStart,
  ): Promise<DynamicModule> {
    const { config, drivers } = world;
    const kept = { log: drivers.log, snapshots: await snapshotPlaceOf(config, process.env) };
    const live = new LiveViews(world, kept, () => access.changes + quotas.changes);
    live.observe(world.metrics);
    return {
      module: ViewsModule,
      controllers: [
        ...[ViewsController, LibrariesController, TeamsController, SelfEditsController, AccessController],
        ...[CostController, RequestsController, StartController, StreamController],
      ],
      providers: [
        { provide: LiveViews, useValue: live },
        ReadingTurns,
        Moments,
        { provide: RecentRefusals, useValue: refusals },
        { provide: HostedStart, useValue: start },
      ],
    };
  }

  constructor(@Inject(LiveViews) private readonly live: LiveViews) {}

  async onModuleDestroy(): Promise<void> {
    await this.live.close();
  }
}
