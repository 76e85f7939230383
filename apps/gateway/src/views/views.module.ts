/** The dashboard's read side. */
import { type DynamicModule, Inject, Module, type OnModuleDestroy } from '@nestjs/common';
import { snapshotPlaceOf } from '@seamstream/service-kit';
import type { GatewayWorld } from '../gateway-world.js';
import { LibrariesController } from './libraries.controller.js';
import { LiveViews } from './live-views.js';
import { SelfEditsController } from './self-edits.controller.js';
import { StreamController } from './stream.controller.js';
import { TeamsController } from './teams.controller.js';
import { ViewsController } from './views.controller.js';

@Module({})
export class ViewsModule implements OnModuleDestroy {
  static async of(world: GatewayWorld): Promise<DynamicModule> {
    const { config, drivers } = world;
    const live = new LiveViews(world, { log: drivers.log, snapshots: await snapshotPlaceOf(config, process.env) });
    live.observe(world.metrics);
    return {
      module: ViewsModule,
      controllers: [ViewsController, LibrariesController, TeamsController, SelfEditsController, StreamController],
      providers: [{ provide: LiveViews, useValue: live }],
    };
  }

  constructor(@Inject(LiveViews) private readonly live: LiveViews) {}

  async onModuleDestroy(): Promise<void> {
    await this.live.close();
  }
}
