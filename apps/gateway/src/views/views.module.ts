/** The dashboard's read side. */
import { type DynamicModule, Inject, Module, type OnModuleDestroy } from '@nestjs/common';
import type { GatewayWorld } from '../gateway-world.js';
import { KeptLogOfWorld } from './kept-log.js';
import { LiveViews } from './live-views.js';
import { StreamController } from './stream.controller.js';
import { ViewsController } from './views.controller.js';

@Module({})
export class ViewsModule implements OnModuleDestroy {
  static async of(world: GatewayWorld): Promise<DynamicModule> {
    const kept = new KeptLogOfWorld(world);
    const live = new LiveViews(world, await kept.open());
    return {
      module: ViewsModule,
      controllers: [ViewsController, StreamController],
      providers: [
        { provide: KeptLogOfWorld, useValue: kept },
        { provide: LiveViews, useValue: live },
      ],
    };
  }

  constructor(@Inject(LiveViews) private readonly live: LiveViews) {}

  async onModuleDestroy(): Promise<void> {
    await this.live.close();
  }
}
