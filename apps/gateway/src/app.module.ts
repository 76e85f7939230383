/** The gateway's parts put together: what clients ask over HTTP, and what follows from it on the log. */
import { type DynamicModule, Module } from '@nestjs/common';
import { systemClock } from '@seamstream/kernel';
import { RationedLines, type ServiceContext, type ServiceDefinition } from '@seamstream/service-kit';
import { Access } from './access/access.js';
import { issuerChecks, openAccess } from './access/open-access.js';
import { RecentRefusals } from './access/recent-refusals.js';
import { Refusals } from './access/refusals.js';
import { ApiModule } from './api/api.module.js';
import { type ChatAssets, ChatModule } from './chat/chat.module.js';
import type { GatewayConfig } from './config.js';
import { GatewayWorld } from './gateway-world.js';
import { ObservedRequests } from './http/observed-requests.js';
import { GatewayServer, type ListenOptions, serveHttp } from './http-server.js';
import { loginSettings } from './login/login.config.js';
import { LoginModule } from './login/login.module.js';
import { PageModule } from './page/page.module.js';
import { Quotas } from './quotas/quotas.js';
import { showLimits } from './quotas/use-metrics.js';
import { ResponsesModule } from './responses/responses.module.js';
import { HostedStart } from './views/start.controller.js';
import { ViewsModule } from './views/views.module.js';

export type { StartFacts, ToldStart } from '@seamstream/gateway-contract';
export { type GatewayConfig, gatewayConfigSchema } from './config.js';
export { GatewayServer } from './http-server.js';
export { HostedStart } from './views/start.controller.js';

/** What a host may bring along instead of having it loaded; what it brings, it closes. */
export interface GatewayAssets extends ListenOptions, ChatAssets {
  /** The run that it was started for; absent where a host knows of none. */
  readonly start?: HostedStart | undefined;
}

/** Controllers of a part get the world, who asks, and how much they may use, injected. */
@Module({})
class WorldModule {
  static of(world: GatewayWorld, access: Access, quotas: Quotas): DynamicModule {
    return {
      module: WorldModule,
      global: true,
      providers: [
        { provide: GatewayWorld, useValue: world },
        { provide: Access, useValue: access },
        { provide: Quotas, useValue: quotas },
      ],
      exports: [GatewayWorld, Access, Quotas],
    };
  }
}

@Module({})
export class GatewayModule {
  static async forRoot(context: ServiceContext<GatewayConfig>, assets: GatewayAssets = {}): Promise<DynamicModule> {
    const { config, drivers, logger, metrics, tracing, onClose } = context;
    const shutdown = { closing: new AbortController(), ending: new AbortController() };
    const { closing, ending } = shutdown;
    onClose(async () => ending.abort());
    const requests = new ObservedRequests(metrics, tracing, systemClock);
    const world = new GatewayWorld(
      ...([config, drivers, logger, metrics, tracing, requests, systemClock, closing.signal, ending.signal] as const),
    );
    const refusals = new Refusals(world);
    onClose(() => refusals.close());
    const login = loginSettings(config.gateway, process.env);
    const [access, reading] = await openAccess(world, refusals, login);
    context.endsWith(reading);
    context.health.add(...issuerChecks(access.doors));
    const recent = new RecentRefusals();
    const quotas = await openQuotas(context, world, access, recent);
    const chat = await ChatModule.forRoot(context, world, access, quotas, assets);
    const parts = [
      WorldModule.of(world, access, quotas),
      chat,
      ResponsesModule.over(chat),
      ApiModule,
      LoginModule.of(login, access.doors, new RationedLines(world.logger, onClose)),
      await ViewsModule.of(world, access, quotas, recent, assets.start ?? new HostedStart()),
      await PageModule.load(),
    ];
    const server = await serveHttp(world, access, parts, shutdown, assets);
    onClose(server.close);
    return { module: GatewayModule, providers: [{ provide: GatewayServer, useValue: server }] };
  }
}

async function openQuotas(
  { drivers, metrics, endsWith }: ServiceContext<GatewayConfig>,
  world: GatewayWorld,
  access: Access,
  recent: RecentRefusals,
): Promise<Quotas> {
  const exceeded = metrics.counter('seam_quota_exceeded_total', 'Requests without room under a limit.', [
    'measure',
    'per',
    'mode',
  ]);
  const [quotas, reading] = await Quotas.open(
    {
      ...{ log: drivers.log, clock: world.clock, declared: () => access.declared },
      onExceeded: ({ measure, per, mode }) => exceeded.inc({ measure, per, mode }),
      onRead: (placed) => recent.apply(placed),
    },
    world.config.gateway,
    world.ending,
  );
  showLimits(metrics, () => quotas.fullest());
  endsWith(reading);
  return quotas;
}

/** The gateway as a service. */
export function gatewayService(assets: GatewayAssets = {}): ServiceDefinition<GatewayConfig> {
  return { name: 'gateway', module: (context) => GatewayModule.forRoot(context, assets) };
}
