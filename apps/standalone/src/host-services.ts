/** Generator, executor, buffer, trainer and gateway in one process, on shared drivers, with each model loaded once. */
import { bufferService, bufferServiceConfigSchema } from '@seamstream/buffer';
import { type ExecutorModel, openEnvironment, sessionEnvironment } from '@seamstream/environments';
import type { EventLog } from '@seamstream/event-log';
import { executorConfigSchema, executorService, recordedTokens } from '@seamstream/executor';
import { type EntrySchemas, loadEntrySchemas, loadPrompts, type Prompts } from '@seamstream/experience';
import { GatewayServer, gatewayConfigSchema, gatewayService, type HostedStart } from '@seamstream/gateway';
import { generatorConfigSchema, generatorService } from '@seamstream/generator';
import { fromNamedFolder, LanguageModel, type SamplingSettings } from '@seamstream/language-model';
import { openExecutor } from '@seamstream/model-clients';
import { editWriter } from '@seamstream/self-edits';
import {
  type BatchUnderWay,
  closeDrivers,
  createServiceLogger,
  type Drivers,
  type Environment,
  loadConfig,
  openDrivers,
  type RunningService,
  startService,
} from '@seamstream/service-kit';
import { trainerConfigSchema, trainerService } from '@seamstream/trainer';
import type { TrainingProgress } from '@seamstream/training-runs';
import type { z } from 'zod';
import type { HostedService } from './config.js';

export interface Host {
  readonly drivers: Drivers;
  readonly generator: LanguageModel;
  readonly environment: ReturnType<typeof openEnvironment>;
  readonly executor: ExecutorModel;
  /** How the executor is trained where entries act by training. */
  readonly innerUpdate: ServiceConfigs['executor']['executor']['innerUpdate'];
  /** How entries are drawn in the rounds. */
  readonly sampling: SamplingSettings;
  /** The setting SEAM_ENTRY_SCHEMAS. */
  readonly entrySchemas: string | undefined;
  readonly prompts: Prompts;
  readonly schemaFor: EntrySchemas;
  readonly entryMaxTokens: number;
  /** Names of the services that run here. */
  readonly services: readonly string[];
  /** Where the gateway answers; undefined where it is not hosted. */
  readonly gatewayUrl: string | undefined;
  /** Rejects when a service can no longer do its work. */
  readonly ended: Promise<void>;
  /** Ends the services. Drivers and models stay open for measurements. */
  closeServices(): Promise<void>;
  close(): Promise<void>;
}

/** What a host reports, and is asked, while it starts and runs. */
export interface HostHooks {
  readonly onTraining: (progress: TrainingProgress) => void;
  readonly onUnderWay?: (service: HostedService, progress: BatchUnderWay | null) => void;
  /** Awaited when the log is open and no service has touched it. */
  readonly beforeServices?: (log: EventLog) => Promise<void>;
  /** What the gateway's page says of the run that the services are hosted for. */
  readonly start?: HostedStart;
  /** Where the services' log lines go; stderr where absent. */
  readonly logLines?: { write(line: string): void };
}

interface ServiceConfigs {
  readonly generator: z.infer<typeof generatorConfigSchema>;
  readonly executor: z.infer<typeof executorConfigSchema>;
  readonly buffer: z.infer<typeof bufferServiceConfigSchema>;
  readonly trainer: z.infer<typeof trainerConfigSchema>;
  readonly gateway: z.infer<typeof gatewayConfigSchema>;
}

/** @throws INVALID_CONFIGURATION naming every setting at fault */
export function loadServiceConfigs(environment: Environment): ServiceConfigs {
  return {
    generator: loadConfig(generatorConfigSchema, environment),
    executor: loadConfig(executorConfigSchema, environment),
    buffer: loadConfig(bufferServiceConfigSchema, environment),
    trainer: loadConfig(trainerConfigSchema, environment),
    gateway: loadConfig(gatewayConfigSchema, environment),
  };
}

/**
 * Opens drivers and models and starts the named services.
 * @throws INVALID_CONFIGURATION, and errors of drivers and models that cannot be opened
 */
export async function hostServices(
  environment: Environment,
  services: readonly HostedService[],
  hooks: HostHooks,
): Promise<Host> {
  const configs = loadServiceConfigs(environment);
  const { generator: settings, entrySchemas } = configs.generator;
  const drivers = await openDrivers(configs.generator);
  const closers: (() => Promise<void>)[] = [() => closeDrivers(drivers)];
  const close = async (): Promise<void> => {
    for (const each of closers.splice(0).toReversed()) await each();
  };
  try {
    await hooks.beforeServices?.(drivers.log);
    const models = await openModels(configs, { environment, drivers, closers });
    const running: RunningService[] = [];
    const closeServices = async (): Promise<void> => {
      for (const service of running.splice(0).toReversed()) await service.close();
    };
    closers.push(closeServices);
    for (const name of services) running.push(await startNamed(name, configs, { drivers, models, hooks }));
    return {
      ...models,
      ...{ drivers, services, entrySchemas, closeServices, close },
      innerUpdate: configs.executor.executor.innerUpdate,
      sampling: settings.sampling,
      entryMaxTokens: settings.sampling.maxTokens,
      gatewayUrl: running.find(({ name }) => name === 'gateway')?.get(GatewayServer).url,
      ended:
        running.length === 0 ? new Promise(() => undefined) : Promise.race(running.map((service) => service.ended)),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

type Models = Pick<Host, 'generator' | 'executor' | 'environment' | 'prompts' | 'schemaFor'>;

/** @param closers receives what closes each model, also of one that is still loading when another fails */
async function openModels(
  { generator: { generator: settings, entrySchemas }, executor: executorConfig }: ServiceConfigs,
  {
    environment,
    drivers,
    closers,
  }: { readonly environment: Environment; readonly drivers: Drivers; readonly closers: (() => Promise<void>)[] },
): Promise<Models> {
  const { template, templatesFolder: ownTemplates, rollouts } = executorConfig.executor;
  const prompts = await loadPrompts({ template, ownTemplates, writer: editWriter(entrySchemas) });
  const loading = [
    fromNamedFolder(
      'SEAM_GENERATOR_MODEL_FOLDER',
      settings.modelFolder,
      LanguageModel.load(settings.modelFolder, {
        threads: settings.threads,
        executionProvider: settings.executionProvider,
        cacheBytes: settings.cacheMib * 2 ** 20,
        chatTemplate: settings.chatTemplate,
      }),
    ),
    openExecutor(executorConfig.executor, {
      environment,
      prompts,
      spentBefore: (model) => recordedTokens(drivers.log, model, rollouts),
    }),
    loadEntrySchemas(entrySchemas),
  ] as const;
  for (const model of loading.slice(0, 2) as Promise<{ close(): Promise<void> }>[]) {
    closers.push(async () => (await model.catch(() => undefined))?.close());
  }
  const [generator, { model: executor }, schemaFor] = await Promise.all(loading);
  const acting = { ...executorConfig.executor, entrySchemas: executorConfig.entrySchemas };
  return { generator, executor, environment: openEnvironment(acting, executor, prompts), prompts, schemaFor };
}

/** Starts one service on the drivers and models of all. */
function startNamed(
  name: HostedService,
  configs: ServiceConfigs,
  {
    drivers,
    models: { generator, executor, environment, prompts, schemaFor },
    hooks: { onTraining, onUnderWay, logLines, start },
  }: { readonly drivers: Drivers; readonly models: Models; readonly hooks: HostHooks },
): Promise<RunningService> {
  const assets = { prompts, schemaFor, model: generator, executor, onProgress: onTraining };
  const surroundings = {
    drivers,
    serveHttp: false,
    logger: createServiceLogger(name, configs[name].logging.level, logLines),
    onUnderWay: (_group: string, progress: BatchUnderWay | null) => onUnderWay?.(name, progress),
  };
  switch (name) {
    case 'generator': {
      // A server's model serves; this one is still what is trained and measured.
      const serving = configs.generator.generator.driver === 'checkpoint' ? assets : { prompts, schemaFor };
      return startService(generatorService(serving), { config: configs.generator, ...surroundings });
    }
    case 'executor':
      return startService(executorService(assets), { config: configs.executor, ...surroundings });
    case 'buffer':
      return startService(bufferService(assets), { config: configs.buffer, ...surroundings });
    case 'trainer':
      return startService(trainerService(assets), { config: configs.trainer, ...surroundings });
    case 'gateway': {
      const hasSessions = configs.executor.executor.environment === 'prompt-injection';
      const sessions = hasSessions ? { executor, environmentOf: sessionEnvironment(executor, prompts) } : undefined;
      const embedded = { environment, sessions };
      return startService(gatewayService({ embedded, schemaFor, start, anyPortIfTaken: true }), {
        config: configs.gateway,
        ...surroundings,
      });
    }
  }
}
