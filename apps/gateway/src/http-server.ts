/** The listener for clients: a separate Nest application next to the one for health and metrics. */
import 'reflect-metadata';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { messageOf, SeamError, withDeadline } from '@seamstream/kernel';
import type { Access } from './access/access.js';
import { RoleGuard } from './access/role.guard.js';
import type { GatewayConfig } from './config.js';
import type { GatewayWorld } from './gateway-world.js';
import { ErrorsFilter } from './http/errors.filter.js';
import { openAdapter } from './http/fastify-adapter.js';

@Module({})
class HttpRootModule {}

/** Where clients are answered. A class, so that a host finds it by its type. */
export class GatewayServer {
  constructor(
    readonly url: string,
    readonly close: () => Promise<void>,
    /** Everything that is answered, as it is declared: `GET /api/problems/:id`. */
    readonly routes: readonly string[],
  ) {}
}

/** How a gateway ends: first what has no end, then what has not ended. */
export interface Shutdown {
  readonly closing: AbortController;
  readonly ending: AbortController;
}

/** For records and errors of what is ended. */
const LAST_WORDS_MS = 2_000;

export interface ListenOptions {
  /** Take a free port where the configured one is taken: two demonstrations on one machine. */
  readonly anyPortIfTaken?: boolean;
}

/**
 * Listens.
 * @param parts modules with controllers
 * @throws INVALID_CONFIGURATION where the address cannot be listened on
 */
export async function serveHttp(
  world: GatewayWorld,
  access: Access,
  parts: readonly (DynamicModule | Type)[],
  shutdown: Shutdown,
  { anyPortIfTaken = false }: ListenOptions,
): Promise<GatewayServer> {
  const { gateway } = world.config;
  const root: DynamicModule = { module: HttpRootModule, imports: [...parts] };
  const options = { logger: false as const, abortOnError: false };
  const adapter = await openAdapter(gateway, access, world.requests);
  const routes = new Set<string>();
  adapter.getInstance().addHook('onRoute', ({ method, url: path }) => {
    for (const each of [method].flat()) routes.add(`${each} ${path}`);
  });
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest declares its option objects as classes.
  const app = await NestFactory.create<NestFastifyApplication>(root, adapter, options);
  app.useGlobalGuards(new RoleGuard(access));
  app.useGlobalFilters(new ErrorsFilter(world.logger, access, world.requests));
  await listen(app, gateway, anyPortIfTaken);
  const url = await app.getUrl();
  world.logger.info({ url }, 'gateway listens');
  return new GatewayServer(url, () => closeInTime(app, gateway.shutdownGraceMs, shutdown), [...routes]);
}

/** Streams without an end close at once, answers under way get their time, and what is left learns why it ends. */
async function closeInTime(app: NestFastifyApplication, graceMs: number, { closing, ending }: Shutdown): Promise<void> {
  closing.abort();
  const closed = app.close();
  const isLate = await withDeadline(graceMs, closed).then(
    () => false,
    () => true,
  );
  if (!isLate) return;
  ending.abort();
  await withDeadline(LAST_WORDS_MS, closed).catch(() => {
    app.getHttpServer().closeAllConnections();
  });
}

async function listen(
  app: NestFastifyApplication,
  { host, port }: GatewayConfig['gateway'],
  anyPortIfTaken: boolean,
): Promise<void> {
  try {
    await app.listen(port, host);
  } catch (error) {
    if (anyPortIfTaken && (error as { code?: unknown } | null)?.code === 'EADDRINUSE') {
      await app.listen(0, host);
      return;
    }
    await app.close();
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot listen at ${host}:${port}: ${messageOf(error)}. Choose another SEAM_GATEWAY_PORT or SEAM_GATEWAY_HOST.`,
      { cause: error },
    );
  }
}
