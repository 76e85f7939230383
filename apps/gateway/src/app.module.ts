/** The gateway's parts put together: what clients ask over HTTP, and what follows from it on the log. */
import { type DynamicModule, Module } from '@nestjs/common';
import { systemClock } from '@seamstream/kernel';
import type { ServiceContext, ServiceDefinition } from '@seamstream/service-kit';
import type { GatewayConfig } from './config.js';
import { GatewayWorld } from './gateway-world.js';
import { GatewayServer, type ListenOptions, serveHttp } from './http-server.js';
import { PageModule } from './page/page.module.js';
import { ViewsModule } from './views/views.module.js';

export { type GatewayConfig, gatewayConfigSchema } from './config.js';
export { GatewayServer } from './http-server.js';

/** What a host may bring along instead of having it loaded; what it brings, it closes. */
export type GatewayAssets = ListenOptions;

/** Controllers of a part get the world injected. */
@Module({})
class WorldModule {
  static of(world: GatewayWorld): DynamicModule {
    return {
      module: WorldModule,
      global: true,
      providers: [{ provide: GatewayWorld, useValue: world }],
      exports: [GatewayWorld],
    };
  }
}

@Module({})
export class GatewayModule {
  static async forRoot(context: ServiceContext<GatewayConfig>, assets: GatewayAssets = {}): Promise<DynamicModule> {
    const { config, drivers, logger, metrics, onClose } = context;
    const closing = new AbortController();
    const world = new GatewayWorld(config, drivers, logger, metrics, systemClock, closing.signal);
    const parts = [WorldModule.of(world), await ViewsModule.of(world), await PageModule.load()];
    const server = await serveHttp(world, parts, closing, assets);
    onClose(server.close);
    return { module: GatewayModule, providers: [{ provide: GatewayServer, useValue: server }] };
  }
}

/** The gateway as a service. */
export function gatewayService(assets: GatewayAssets = {}): ServiceDefinition<GatewayConfig> {
  return { name: 'gateway', module: (context) => GatewayModule.forRoot(context, assets) };
}
