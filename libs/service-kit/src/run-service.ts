/**
 * From a module to a running service: drivers, transport, health and metrics over HTTP, orderly end. `startService` is
 * for a program that hosts services in its own process. `runService` is all that a main.ts calls.
 */
import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { inspect } from 'node:util';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { isSeamError, messageOf, SeamError, withDeadline } from '@seamstream/kernel';
import { SignedEventLog } from '@seamstream/signatures';
import type { z } from 'zod';
import type { CommonConfig } from './config/common-config.js';
import { type Environment, loadConfig, printableConfig } from './config/load-config.js';
import { closeDrivers, type Drivers, openDrivers } from './drivers/drivers.js';
import { OperationsController } from './health/operations.controller.js';
import { mayRead } from './health/operations-access.js';
import { HealthChecks, transportChecks } from './health/service-health.js';
import { usage, WrongArguments, wishOf } from './service-arguments.js';
import { createServiceLogger, NestLogger, type ServiceLogger, standardError } from './service-logger.js';
import { ServiceMetrics } from './service-metrics.js';
import { openTracing } from './tracing/open-tracing.js';
import type { Tracing } from './tracing/tracing.port.js';
import { EventLogStrategy, type EventLogStrategyOptions } from './transport/event-log.strategy.js';

export interface ServiceContext<C extends CommonConfig> {
  readonly config: C;
  readonly drivers: Drivers;
  readonly logger: ServiceLogger;
  readonly metrics: ServiceMetrics;
  /** What /health/ready asks; the transport's own checks are there already. */
  readonly health: HealthChecks;
  /** Undefined where nothing is traced. */
  readonly tracing: Tracing | undefined;
  /** Called when the service has ended and nothing consumes any more: for models and files that it opened. */
  readonly onClose: (close: () => Promise<void>) => void;
  /** For work besides consumption: the service ends when it ends, with its error when it fails. */
  readonly endsWith: (work: Promise<void>) => void;
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
  /** Receives the batches under way, for a display of progress. */
  readonly onUnderWay?: EventLogStrategyOptions['onUnderWay'];
}

export interface RunningService {
  readonly name: string;
  /** Where health and metrics are served; undefined without HTTP. */
  readonly url: string | undefined;
  readonly metrics: ServiceMetrics;
  /** Rejects when the service can no longer do its work; resolves after {@link close}, or when its work is done. */
  readonly ended: Promise<void>;
  /** The provider of a class or token, for a host that wants to look inside. */
  get<T>(token: Type<T> | symbol): T;
  /** Finishes or hands back what is in flight, then ends. The drivers stay open: they are their owner's. */
  close(): Promise<void>;
}

interface ClosableApp {
  get<T>(token: Type<T> | symbol, options: { strict: boolean }): T;
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
  const logger = options.logger ?? loggerOf(definition.name, config);
  const metrics = metricsOf(drivers);
  const tracing = await openTracing(definition.name, config.tracing, metrics);
  const strategy = new EventLogStrategy({
    log: drivers.log,
    source: `seam/${definition.name}`,
    consuming: config.consuming,
    metrics,
    logger,
    overrides: definition.consumption?.(config) ?? {},
    onUnderWay: options.onUnderWay,
    crashMarksIn: isOwnProcess ? drivers.objects : undefined,
    tracing,
  });
  const health = new HealthChecks();
  health.add(...transportChecks(drivers.log, strategy));
  const closers: (() => Promise<void>)[] = [];
  const onClose = (close: () => Promise<void>): void => {
    closers.push(close);
  };
  const works: Promise<void>[] = [];
  const endsWith = (work: Promise<void>): void => {
    works.push(work);
  };
  const close = async (): Promise<void> => {
    for (const each of closers.toReversed()) await each();
    await tracing?.close();
  };
  try {
    const module = await definition.module({ config, drivers, logger, metrics, health, tracing, onClose, endsWith });
    const served = await serve(module, { config: config.http, serveHttp, strategy, metrics, health, logger });
    return runningService({ name: definition.name, ...served, metrics, strategy, close, works });
  } catch (error) {
    // Work that began before the fault must not continue without a service.
    await close();
    throw error;
  }
}

/** With the records that are not believed, where it is checked who vouches for them. */
function metricsOf({ log }: Drivers): ServiceMetrics {
  const metrics = new ServiceMetrics();
  if (log instanceof SignedEventLog)
    metrics.family(
      {
        name: 'seam_unbelieved_records',
        help: 'Records that this process has met and passed over, since no trusted key vouches for them.',
        labels: ['topic'],
        samples: (passedOver: ReadonlyMap<string, number>) =>
          [...passedOver].map(([topic, value]) => ({ labels: { topic }, value })),
      },
      async () => log.passedOver(),
    );
  return metrics;
}

function loggerOf(name: string, { logging, tracing }: CommonConfig, stderr = standardError()): ServiceLogger {
  return createServiceLogger(name, logging.level, stderr, tracing.url !== undefined);
}

/** NestJS around the module, listening. */
async function serve(
  module: DynamicModule,
  parts: {
    readonly config: CommonConfig['http'];
    readonly serveHttp: boolean;
    readonly strategy: EventLogStrategy;
    readonly metrics: ServiceMetrics;
    readonly health: HealthChecks;
    readonly logger: ServiceLogger;
  },
): Promise<{ readonly url: string | undefined; readonly app: ClosableApp }> {
  const { config, serveHttp, strategy, metrics, health, logger } = parts;
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
    return { url: undefined, app };
  }
  const app = await NestFactory.create<NestFastifyApplication>(root, guarded(adapterOf(config), config), nestOptions);
  /* eslint-enable @typescript-eslint/no-unsafe-class-instance-assignment */
  app.connectMicroservice({ strategy });
  await app.startAllMicroservices();
  await app.listen(config.port, config.host).catch((error: unknown) => {
    throw unservable(config, error);
  });
  const url = await app.getUrl();
  logger.info({ url }, 'service started');
  return { url, app };
}

/** Plain or with a certificate. INVALID_CONFIGURATION for files that cannot be read or are not a pair. */
function adapterOf({ tls: { certificateFile, keyFile } }: CommonConfig['http']): FastifyAdapter {
  if (certificateFile === undefined || keyFile === undefined) return new FastifyAdapter();
  try {
    const https = { cert: readFileSync(certificateFile), key: readFileSync(keyFile), minVersion: 'TLSv1.2' as const };
    createSecureContext(https);
    return new FastifyAdapter({ https });
  } catch (error) {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot serve health and metrics by https: ${messageOf(error)}. Check that SEAM_HTTP_TLS_CERTIFICATE_FILE and SEAM_HTTP_TLS_KEY_FILE are PEM and belong to each other.`,
      { cause: error },
    );
  }
}

/** What every request passes before a route is looked for. */
function guarded(adapter: FastifyAdapter, { token }: CommonConfig['http']): FastifyAdapter {
  adapter.getInstance().addHook('onRequest', async ({ url, headers }, reply) => {
    if (!mayRead(token, url, headers.authorization))
      await reply.code(401).header('www-authenticate', 'Bearer').send({ statusCode: 401, message: 'Unauthorized' });
  });
  return adapter;
}

function unservable({ host, port }: CommonConfig['http'], cause: unknown): SeamError {
  return new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot serve health and metrics at ${host}:${port}: ${messageOf(cause)}. Choose another SEAM_HTTP_PORT or SEAM_HTTP_HOST.`,
    { cause },
  );
}

function runningService(parts: {
  readonly name: string;
  readonly url: string | undefined;
  readonly metrics: ServiceMetrics;
  readonly strategy: EventLogStrategy;
  readonly app: ClosableApp;
  readonly close: () => Promise<void>;
  readonly works: readonly Promise<void>[];
}): RunningService {
  const { name, url, metrics, strategy, app, close, works } = parts;
  let closing: Promise<void> | undefined;
  const ended = Promise.race([strategy.ended, ...works]);
  ended.catch(() => undefined); // a host may await it, but need not
  return {
    name,
    url,
    metrics,
    ended,
    get: (token) => app.get(token, { strict: false }),
    close: () => {
      // Consumers first, so that models and files are there until the last batch is done.
      closing ??= (async () => {
        await strategy.close();
        await app.close();
        await close();
      })();
      return closing;
    },
  };
}

/** Statuses of BSD's sysexits: wrong arguments (EX_USAGE), and a configuration at fault (EX_CONFIG). */
const EXIT = { stopped: 0, failed: 1, usage: 64, configuration: 78 } as const;

/** Longest wait for a start that a signal overtook, and then for its drivers' end; schedulers kill after some 10 s. */
const ABANDON_START_AFTER_MS = 2_000;

/** What a service has of the process that it runs in. */
interface ServiceProcess {
  readonly env: Environment;
  /** Arguments behind the program's name. */
  readonly argv: readonly string[];
  /** Resolves with the signal's name when the process is to end. */
  readonly stopAsked: Promise<string>;
  readonly print: (text: string) => Promise<void>;
  /** Where faults and log lines go. */
  readonly stderr: { write(text: string): void };
}

/**
 * The whole of a service's process: {@link serviceLife}, then its end.
 * @param purpose one sentence for `--help`
 */
export async function runService<S extends z.ZodObject>(
  definition: ServiceDefinition<z.infer<S> & CommonConfig>,
  schema: S,
  purpose: string,
): Promise<void> {
  const stopAsked = new Promise<string>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => resolve(name));
  });
  process.exitCode = await serviceLife(definition, schema, purpose, {
    env: process.env,
    argv: process.argv.slice(2),
    stopAsked,
    print: (text) =>
      new Promise((resolve) => {
        process.stdout.write(text, () => resolve());
      }),
    stderr: standardError(),
  });
  // A consumer that was left behind at the deadline, or a start that was overtaken, may hold the event loop.
  process.exit();
}

/**
 * Reads arguments and configuration (`--help` and `--print-config` print and end), opens the drivers, runs until it is
 * asked to stop, and ends in order. A request to stop during the start does not wait for the start. Never throws.
 * @returns the exit status: 0 when it was asked to stop, 64 for unknown arguments, 78 for a faulty configuration, also
 * where only opening shows it, 1 when the service can no longer do its work
 */
export async function serviceLife<S extends z.ZodObject>(
  definition: ServiceDefinition<z.infer<S> & CommonConfig>,
  schema: S,
  purpose: string,
  { env, argv, stopAsked, print, stderr }: ServiceProcess,
): Promise<number> {
  let logger: ServiceLogger | undefined;
  try {
    const wish = wishOf(argv);
    if (wish === 'help') {
      await print(usage(definition.name, purpose, schema));
      return EXIT.stopped;
    }
    const config = loadConfig(schema, env) as z.infer<S> & CommonConfig;
    if (wish === 'print-config') {
      await print(`${printableConfig(schema, config)}\n`);
      return EXIT.stopped;
    }
    logger = loggerOf(definition.name, config, stderr);
    await liveUntilStopped(definition, config, stopAsked, logger);
    return EXIT.stopped;
  } catch (error) {
    if (error instanceof WrongArguments) {
      stderr.write(`${definition.name}: ${error.message}. Try --help.\n`);
      return EXIT.usage;
    }
    // The configuration's faults are a list for a person to read, and not even the level of log lines is known.
    if (logger === undefined && isSeamError(error, 'INVALID_CONFIGURATION')) stderr.write(`${error.message}\n`);
    else logFatal(logger ?? createServiceLogger(definition.name, 'info', stderr), error);
    return isSeamError(error, 'INVALID_CONFIGURATION') ? EXIT.configuration : EXIT.failed;
  }
}

async function liveUntilStopped<C extends CommonConfig>(
  definition: ServiceDefinition<C>,
  config: C,
  stopAsked: Promise<string>,
  logger: ServiceLogger,
): Promise<void> {
  const world: { drivers?: Drivers } = {};
  const abandon = new AbortController();
  const isAbandoned = (): boolean => abandon.signal.aborted;
  const start = async (): Promise<RunningService> => {
    const drivers = await openDrivers(config);
    if (isAbandoned()) {
      await closeDrivers(drivers);
      throw new SeamError('ABORTED', `Cannot start ${definition.name}: it was asked to stop meanwhile.`);
    }
    world.drivers = drivers;
    const service = await startService(definition, { config, drivers, serveHttp: true, isOwnProcess: true, logger });
    if (isAbandoned()) await service.close();
    return service;
  };
  const starting = start();
  try {
    const first = await Promise.race([stopAsked, starting]);
    if (typeof first === 'string') {
      logger.info({ signal: first }, 'service stops before it has started');
      const started = await withDeadline(ABANDON_START_AFTER_MS, starting).catch(() => undefined);
      abandon.abort();
      await started?.close();
      return;
    }
    try {
      const signal = await Promise.race([stopAsked, first.ended]);
      logger.info({ signal }, 'service stops');
    } finally {
      await first.close();
    }
  } finally {
    if (world.drivers !== undefined) {
      const closing = closeDrivers(world.drivers);
      // The process ends in any case; a log that does not answer must not hold a start that was overtaken.
      await (isAbandoned() ? withDeadline(ABANDON_START_AFTER_MS, closing) : closing).catch(() => undefined);
    }
  }
}

/** A foreseen fault is logged with its message and code. Where it arose matters only for other faults. */
function logFatal(logger: ServiceLogger, error: unknown): void {
  if (isSeamError(error) && error.code !== 'INTERNAL') {
    logger.fatal({ code: error.code }, error.message);
    logger.debug({ err: error }, 'where the fault arose');
  } else {
    const code = isSeamError(error) ? error.code : undefined;
    logger.fatal({ code, stack: inspect(error) }, `${messageOf(error)} (not foreseen)`);
  }
}
