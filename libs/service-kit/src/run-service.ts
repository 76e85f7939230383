/**
 * From a module to a running service: drivers, transport, health and metrics over HTTP, orderly end. `startService` is
 * for whoever hosts services in a process of its own; `runService` is the whole of a main.ts.
 */
import 'reflect-metadata';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { isSeamError, messageOf } from '@seamstream/kernel';
import type { z } from 'zod';
import type { CommonConfig } from './config/common-config.js';
import { type Environment, loadConfig, printableConfig } from './config/load-config.js';
import { closeDrivers, type Drivers, openDrivers } from './drivers/drivers.js';
import { OperationsController } from './health/operations.controller.js';
import { HealthChecks, transportChecks } from './health/service-health.js';
import { createServiceLogger, NestLogger, type ServiceLogger } from './service-logger.js';
import { ServiceMetrics } from './service-metrics.js';
import { EventLogStrategy, type EventLogStrategyOptions } from './transport/event-log.strategy.js';

export interface ServiceContext<C extends CommonConfig> {
  readonly config: C;
  readonly drivers: Drivers;
  readonly logger: ServiceLogger;
  readonly metrics: ServiceMetrics;
  /** What /health/ready asks; the transport's own checks are there already. */
  readonly health: HealthChecks;
  /** Called when the service has ended and nothing consumes any more: for models and files that it opened. */
  readonly onClose: (close: () => Promise<void>) => void;
}

export interface ServiceDefinition<C extends CommonConfig> {
  /** e.g. generator; facts are stated as `seam/generator`. */
  readonly name: string;
  /** The root module, e.g. `GeneratorModule.forRoot(context)`. May load what the service needs before it exists. */
  readonly module: (context: ServiceContext<C>) => DynamicModule | Promise<DynamicModule>;
  /** By group: figures of configuration that replace the decorators'. */
  readonly consumption?: (config: C) => NonNullable<EventLogStrategyOptions['overrides']>;
}

export interface StartServiceOptions<C extends CommonConfig> {
  readonly config: C;
  readonly drivers: Drivers;
  /** Serve health and metrics over HTTP at config.http. */
  readonly serveHttp: boolean;
  /** Whether nothing else lives in this process, so that what kills it is the service's own work. */
  readonly isOwnProcess?: boolean;
  readonly logger?: ServiceLogger;
}

export interface RunningService {
  readonly name: string;
  /** Where health and metrics are served; undefined without HTTP. */
  readonly url: string | undefined;
  readonly metrics: ServiceMetrics;
  /** Rejects when the service can no longer do its work; resolves after {@link close}. */
  readonly ended: Promise<void>;
  /** The provider of a class or token, for a host that wants to look inside. */
  get<T>(token: Type<T> | symbol): T;
  /** Finishes or hands back what is in flight, then ends. The drivers stay open: they are their owner's. */
  close(): Promise<void>;
}

@Module({})
class ServiceRootModule {}

/** Starts a service on open drivers. */
export async function startService<C extends CommonConfig>(
  definition: ServiceDefinition<C>,
  options: StartServiceOptions<C>,
): Promise<RunningService> {
  const { config, drivers, serveHttp, isOwnProcess = false } = options;
  const logger = options.logger ?? createServiceLogger(definition.name, config.logging.level);
  const metrics = new ServiceMetrics();
  const strategy = new EventLogStrategy({
    log: drivers.log,
    source: `seam/${definition.name}`,
    consuming: config.consuming,
    metrics,
    logger,
    overrides: definition.consumption?.(config) ?? {},
    crashMarksIn: isOwnProcess ? drivers.objects : undefined,
  });
  const health = new HealthChecks();
  health.add(...transportChecks(drivers.log, strategy));
  const closers: (() => Promise<void>)[] = [];
  const onClose = (close: () => Promise<void>): void => {
    closers.push(close);
  };
  const module = await definition.module({ config, drivers, logger, metrics, health, onClose });
  const root: DynamicModule = {
    module: ServiceRootModule,
    imports: [module],
    controllers: serveHttp ? [OperationsController] : [],
    providers: [
      { provide: ServiceMetrics, useValue: metrics },
      { provide: HealthChecks, useValue: health },
    ],
  };
  /* eslint-disable @typescript-eslint/no-unsafe-class-instance-assignment -- Nest declares its option objects as classes. */
  const nestOptions = { logger: new NestLogger(logger), abortOnError: false };
  if (!serveHttp) {
    const app = await NestFactory.createMicroservice(root, { ...nestOptions, strategy });
    await app.listen();
    return runningService({ name: definition.name, url: undefined, metrics, strategy, app, closers });
  }
  const app = await NestFactory.create<NestFastifyApplication>(root, new FastifyAdapter(), nestOptions);
  /* eslint-enable @typescript-eslint/no-unsafe-class-instance-assignment */
  app.connectMicroservice({ strategy });
  await app.startAllMicroservices();
  await app.listen(config.http.port, config.http.host);
  const url = await app.getUrl();
  logger.info({ url }, 'service started');
  return runningService({ name: definition.name, url, metrics, strategy, app, closers });
}

function runningService(parts: {
  readonly name: string;
  readonly url: string | undefined;
  readonly metrics: ServiceMetrics;
  readonly strategy: EventLogStrategy;
  readonly app: { get<T>(token: Type<T> | symbol, options: { strict: boolean }): T; close(): Promise<void> };
  readonly closers: readonly (() => Promise<void>)[];
}): RunningService {
  const { name, url, metrics, strategy, app, closers } = parts;
  let closing: Promise<void> | undefined;
  return {
    name,
    url,
    metrics,
    ended: strategy.ended,
    get: (token) => app.get(token, { strict: false }),
    close: () => {
      // Consumers first, so that models and files are there until the last batch is through.
      closing ??= (async () => {
        await strategy.close();
        await app.close();
        for (const close of closers.toReversed()) await close();
      })();
      return closing;
    },
  };
}

/** Exit status of a process whose configuration is at fault (BSD sysexits EX_CONFIG). */
const EXIT_CONFIG = 78;

/**
 * The whole life of a service's process: reads the configuration (`--print-config` shows it and ends), opens the
 * drivers, runs until SIGTERM or SIGINT, ends orderly. Exits 0 after a signal, 78 on a faulty configuration, 1 when the
 * service can no longer do its work.
 */
export async function runService<S extends z.ZodObject>(
  definition: ServiceDefinition<z.infer<S> & CommonConfig>,
  schema: S,
  {
    env = process.env,
    argv = process.argv.slice(2),
  }: { readonly env?: Environment; readonly argv?: readonly string[] } = {},
): Promise<void> {
  let config: z.infer<S> & CommonConfig;
  try {
    config = loadConfig(schema, env) as z.infer<S> & CommonConfig;
  } catch (error) {
    if (!isSeamError(error, 'INVALID_CONFIGURATION')) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = EXIT_CONFIG;
    return;
  }
  if (argv.includes('--print-config')) {
    process.stdout.write(`${printableConfig(schema, config)}\n`);
    return;
  }
  const logger = createServiceLogger(definition.name, config.logging.level);
  let drivers: Drivers | undefined;
  try {
    const signalled = new Promise<string>((resolve) => {
      for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => resolve(name));
    });
    drivers = await openDrivers(config);
    const service = await startService(definition, { config, drivers, serveHttp: true, isOwnProcess: true, logger });
    try {
      const signal = await Promise.race([signalled, service.ended]);
      logger.info({ signal }, 'service stops');
    } finally {
      await service.close();
    }
  } catch (error) {
    logger.fatal({ code: isSeamError(error) ? error.code : undefined, err: error }, messageOf(error));
    process.exitCode = 1;
  } finally {
    if (drivers !== undefined) await closeDrivers(drivers).catch(() => undefined); // the process ends in any case
  }
  // A consumer that was left behind at the deadline may hold the event loop.
  process.exit();
}
