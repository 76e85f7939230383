/** The process as a command's world: its streams, files and signals, and the drivers that the configuration names. */
import { existsSync } from 'node:fs';
import type { FileBytes } from '@seamstream/datasets';
import type { EventLog } from '@seamstream/event-log';
import type { KafkaEventLog } from '@seamstream/event-log-kafka';
import type { Problem } from '@seamstream/events';
import type { ExecutorConfig } from '@seamstream/executor/config';
import type { EntrySchemas } from '@seamstream/experience';
import type { GeneratorConfig } from '@seamstream/generator/config';
import { SeamError, systemClock } from '@seamstream/kernel';
import type { Settings } from '@seamstream/learning';
import type { ObjectStore } from '@seamstream/object-store';
import type { BaseModel } from '@seamstream/operations/adapters';
import type { LogAddress } from '@seamstream/operations/copy';
import type { Models, WorldSet } from '@seamstream/operations/evaluate';
import type { KeptLog } from '@seamstream/operations/read-models';
import type { TrainerClient } from '@seamstream/operations/train';
import type { CommonConfig, Environment, LogMode, Setting, Signing } from '@seamstream/service-kit';
import type { ToldStart } from '@seamstream/standalone';
import type { TrainerServiceConfig } from '@seamstream/trainer/config';
import type { BucketDoor, CommandRuntime, GlobalOptions, ReadModelOptions, Shell } from './command-runtime.js';
import { editDoors } from './edits/edit-doors.js';
import { modelDoors } from './evaluate/model-doors.js';
import { EXIT } from './exit-codes.js';
import { openInput, readInput } from './files/input-file.js';
import { isMissing } from './files/is-missing.js';
import { makeFolder } from './files/make-folder.js';
import { type FileIdentity, OutputFiles } from './files/output-file.js';
import { personOfMachine } from './person.js';
import { promptTemplates } from './prompt-templates.js';
import { stopSignal } from './stop-signal.js';
import { styleFor } from './terminal/style.js';
import { processTerminal } from './terminal/terminal.js';

type ServicesConfig = GeneratorConfig & ExecutorConfig & TrainerServiceConfig;

/** Opens log, objects and models when they are first asked for, and closes what was opened. */
class RuntimeResources {
  private readonly logs = new Map<LogMode, EventLog>();
  private objects: ObjectStore | undefined;
  private readonly closers: (() => Promise<void>)[] = [];
  private common: CommonConfig | undefined;
  private all: ServicesConfig | undefined;
  private readonly inputs: FileIdentity[] = [];
  readonly outputs = new OutputFiles(this.inputs);

  constructor(private readonly options: GlobalOptions) {}

  async openInput(path: string): Promise<FileBytes> {
    const file = await openInput(path);
    this.closers.push(() => file.close());
    if (file.identity !== undefined) this.inputs.push(file.identity);
    return file;
  }

  async openLog(mode: LogMode): Promise<EventLog> {
    const { openEventLog } = await import('@seamstream/service-kit/drivers');
    const config = await this.presentLog(mode);
    const opened = this.logs.get(mode) ?? (await openEventLog(config, mode));
    this.logs.set(mode, opened);
    return opened;
  }

  async openKeptLog(options: ReadModelOptions = {}): Promise<KeptLog> {
    const { snapshotPlaceOf } = await import('@seamstream/service-kit/drivers');
    const log = await this.openLog('read');
    return { log, snapshots: await snapshotPlaceOf(await this.loadCommon(), process.env), ...options };
  }

  async openUnsignedLog(mode: LogMode): Promise<EventLog> {
    const { openUnsignedLog } = await import('@seamstream/service-kit/drivers');
    const log = await openUnsignedLog(await this.presentLog(mode), mode);
    this.closers.push(() => log.close());
    return log;
  }

  async signing(): Promise<Signing> {
    const { signingOf } = await import('@seamstream/service-kit/drivers');
    return signingOf(await this.loadCommon());
  }

  /** The configuration of a log that is there, or may be made. */
  private async presentLog(mode: LogMode): Promise<CommonConfig> {
    const { logFolder } = await import('@seamstream/service-kit/drivers');
    const config = await this.loadCommon();
    if (mode !== 'create' && config.eventLog.driver === 'lmdb') {
      const folder = await logFolder(config);
      if (isMissing(folder)) {
        throw new SeamError(
          'NOT_FOUND',
          `Cannot open the event log: expected the folder ${folder}, got nothing. Start the system (seam start), publish something (seam publish), or say where the data is (--data-dir, SEAM_DATA_FOLDER).`,
          { details: { folder } },
        );
      }
    }
    return config;
  }

  async openLogAt(address: LogAddress, mode: 'read' | 'create'): Promise<EventLog> {
    if (address.driver === 'lmdb') {
      const { checkFolder } = await import('@seamstream/service-kit/drivers');
      await checkFolder(address.folder, 'open a log', mode === 'read' ? '--from' : '--to');
    }
    if (mode === 'read' && address.driver === 'lmdb' && isMissing(address.folder)) {
      throw new SeamError(
        'NOT_FOUND',
        `Cannot open lmdb:${address.folder}: expected the folder of a log, got nothing. Name the subfolder "log" of a data folder.`,
        { details: { folder: address.folder } },
      );
    }
    const log = await this.openDriver(address, mode);
    this.closers.push(() => log.close());
    return log;
  }

  /** A folder is written without the registry's ids, so that it can be read where that registry is not. */
  private async openDriver(address: LogAddress, mode: 'read' | 'create'): Promise<EventLog> {
    const { withRegistry } = await import('@seamstream/service-kit/drivers');
    const config = await this.loadCommon();
    const readOnly = mode === 'read';
    if (address.driver === 'lmdb') {
      const { LmdbEventLog } = await import('@seamstream/event-log-lmdb');
      const log = await LmdbEventLog.open({ folder: address.folder, readOnly });
      return readOnly ? withRegistry(log, config, null) : log;
    }
    const prefix = address.prefix ?? '';
    const log = await this.openKafka({ brokers: [...address.brokers], prefix });
    return withRegistry(log, config, readOnly ? null : prefix);
  }

  /** The door to the cluster itself: its topics and rights. */
  async openCluster(): Promise<KafkaEventLog> {
    const log = await this.openKafka({});
    this.closers.push(() => log.close());
    return log;
  }

  /** Credentials, encryption and time-outs are those of the configuration. */
  private async openKafka(
    address: Partial<Pick<CommonConfig['eventLog']['kafka'], 'brokers' | 'prefix'>>,
  ): Promise<KafkaEventLog> {
    const { KafkaEventLog } = await import('@seamstream/event-log-kafka');
    const { kafkaOptions } = await import('@seamstream/service-kit/drivers');
    const { eventLog, logging } = await this.loadCommon();
    return KafkaEventLog.open(kafkaOptions({ ...eventLog.kafka, ...address }, logging.level));
  }

  async openObjects(): Promise<ObjectStore> {
    const { openObjectStore } = await import('@seamstream/service-kit/drivers');
    this.objects ??= await openObjectStore(await this.loadCommon());
    return this.objects;
  }

  async openCatalogue(folder: string): Promise<ObjectStore> {
    const { openObjectStore } = await import('@seamstream/service-kit/drivers');
    const config = await this.loadCommon();
    const objects = await openObjectStore({ ...config, objectStore: { ...config.objectStore, driver: 'fs', folder } });
    this.closers.push(() => objects.close());
    return objects;
  }

  async openBucket(): Promise<BucketDoor> {
    const { openBucket } = await import('@seamstream/service-kit/drivers');
    const bucket = await openBucket(await this.loadCommon());
    this.closers.push(async () => bucket.close());
    return bucket;
  }

  async openSchemaRegistry(): ReturnType<CommandRuntime['openSchemaRegistry']> {
    const { openSchemaRegistry } = await import('@seamstream/service-kit/drivers');
    return openSchemaRegistry(await this.loadCommon());
  }

  async entrySchemas(): Promise<EntrySchemas> {
    const { loadEntrySchemas } = await import('@seamstream/experience');
    return loadEntrySchemas((await this.loadAll()).entrySchemas);
  }

  async openModels(): Promise<Models> {
    const { loadPrompts } = await import('@seamstream/experience');
    const { openGenerator } = await import('@seamstream/generator');
    const { openEnvironment } = await import('@seamstream/environments');
    const { editWriter } = await import('@seamstream/self-edits');
    const { openExecutor } = await import('@seamstream/model-clients');
    const { generator, executor, entrySchemas } = await this.loadAll();
    const { template, templatesFolder: ownTemplates } = executor;
    const prompts = await loadPrompts({ template, ownTemplates, writer: editWriter(entrySchemas) });
    const { model, close } = await openGenerator(generator, this.environment());
    this.closers.push(close);
    const opened = await openExecutor(executor, { environment: this.environment(), prompts });
    this.closers.push(() => opened.close());
    return {
      generator: model,
      environment: openEnvironment({ ...executor, entrySchemas }, opened.model, prompts),
      prompts,
      maxEntryTokens: generator.sampling.maxTokens,
      maxResponseTokens: executor.maxTokens,
    };
  }

  async openBaseModel(named?: { readonly folder: string; readonly name: string }): Promise<BaseModel> {
    const { fromNamedFolder, LanguageModel, loadCheckpoint } = await import('@seamstream/language-model');
    const { modelFolder, threads, executionProvider, cacheMib, chatTemplate } = (await this.loadAll()).generator;
    const settings = { threads, executionProvider, cacheBytes: cacheMib * 2 ** 20, chatTemplate };
    const { folder, name } = named ?? { folder: modelFolder, name: 'SEAM_GENERATOR_MODEL_FOLDER' };
    return {
      checkpoint: await fromNamedFolder(name, folder, loadCheckpoint(folder)),
      fingerprint: async (adapter) => {
        const model = await LanguageModel.load(folder, settings);
        this.closers.push(() => model.close());
        return model.fingerprint(adapter);
      },
    };
  }

  async algorithmSettings(algorithm: string, preset?: string): Promise<Settings> {
    const { mergeSettings, presetNamed } = await import('@seamstream/learning');
    const { trainer } = await this.loadAll();
    const named = presetNamed(preset ?? trainer.preset).algorithms[algorithm];
    return mergeSettings(named ?? {}, trainer.algorithms[algorithm] ?? {});
  }

  async openTrainer(): Promise<TrainerClient> {
    const { createServiceLogger } = await import('@seamstream/service-kit');
    const { createTrainer } = await import('@seamstream/trainer');
    const { trainerDoor } = await import('@seamstream/operations/train');
    const drivers = { log: await this.openLog('append'), objects: await this.openObjects() };
    const config = await this.loadAll();
    const context = {
      config,
      drivers,
      logger: createServiceLogger('cli', config.logging.level),
      onClose: (close: () => Promise<void>) => void this.closers.push(close),
    };
    return trainerDoor((assets) => createTrainer(context, assets));
  }

  onClose(close: () => Promise<void>): void {
    this.closers.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.closers.reverse()) await close();
    for (const log of this.logs.values()) await log.close();
    await this.objects?.close();
  }

  /** Problems of the world that the data folder was begun in, those that its report is measured on. */
  async worldProblems(set: WorldSet): Promise<readonly Problem[]> {
    const { EARLIER_WORLD, problemsOfSet, settingsOfFolder } = await import('@seamstream/standalone');
    const { dataFolder } = await this.loadCommon();
    return problemsOfSet(set, (await settingsOfFolder(dataFolder)) ?? EARLIER_WORLD);
  }

  async toldStart(): Promise<ToldStart> {
    const { dataFolder, eventLog } = await this.loadCommon();
    if (eventLog.driver !== 'lmdb' || eventLog.folder !== undefined) return { start: null, unread: null };
    const { toldStart } = await import('@seamstream/standalone');
    return toldStart(dataFolder);
  }

  /** --data-dir wins over SEAM_DATA_FOLDER. */
  environment(): Environment {
    const { dataDir } = this.options;
    return {
      SEAM_LOGGING_LEVEL: 'warn',
      ...process.env,
      ...(dataDir === undefined ? {} : { SEAM_DATA_FOLDER: dataDir }),
    };
  }

  /** Where log and objects are. Settings of the services are left to those commands that use them. */
  async loadCommon(): Promise<CommonConfig> {
    const { commonConfigSchema, loadConfig } = await import('@seamstream/service-kit/config');
    this.common ??= loadConfig(commonConfigSchema, this.environment());
    return this.common;
  }

  /**
   * What generator, executor and trainer would read. A folder that the embedded demonstration has written to brings its
   * settings along, which the environment may override.
   */
  async loadAll(): Promise<ServicesConfig> {
    if (this.all !== undefined) return this.all;
    const { loadConfig } = await import('@seamstream/service-kit/config');
    const { generatorConfigSchema } = await import('@seamstream/generator/config');
    const { executorConfigSchema } = await import('@seamstream/executor/config');
    const { trainerConfigSchema } = await import('@seamstream/trainer/config');
    const schema = generatorConfigSchema.extend(executorConfigSchema.shape).extend(trainerConfigSchema.shape);
    const { SHIPPED_MODEL_FOLDERS } = await import('@seamstream/standalone');
    const environment = (await this.folderEnvironment()) ?? this.environment();
    this.all = loadConfig(schema, { ...SHIPPED_MODEL_FOLDERS, ...environment });
    return this.all;
  }

  /** What the services of a folder of `seam start` are started with; undefined for another one. */
  private async folderEnvironment(): Promise<Environment | undefined> {
    const { dataFolder } = await this.loadCommon();
    const { embeddedEnvironment, settingsOfFolder, worldFiles } = await import('@seamstream/standalone');
    const begunWith = await settingsOfFolder(dataFolder);
    if (begunWith === undefined || !existsSync(worldFiles(dataFolder).entrySchemas)) return undefined;
    return embeddedEnvironment({ ...begunWith, dataFolder }, this.environment());
  }

  /** Every setting of the services on this data folder, and who set it. */
  async settings(): Promise<readonly Setting[]> {
    const { explainConfig } = await import('@seamstream/service-kit/config');
    const { generatorConfigSchema } = await import('@seamstream/generator/config');
    const { executorConfigSchema } = await import('@seamstream/executor/config');
    const { bufferServiceConfigSchema } = await import('@seamstream/buffer/config');
    const { trainerConfigSchema } = await import('@seamstream/trainer/config');
    const schema = generatorConfigSchema
      .extend(executorConfigSchema.shape)
      .extend(bufferServiceConfigSchema.shape)
      .extend(trainerConfigSchema.shape);
    const { SHIPPED_MODEL_FOLDERS } = await import('@seamstream/standalone');
    const { dataDir } = this.options;
    return explainConfig(schema, [
      { source: '--data-dir', environment: { SEAM_DATA_FOLDER: dataDir } },
      { source: 'environment', environment: process.env },
      { source: 'the data folder (seam start)', environment: (await this.folderEnvironment()) ?? {} },
      // Their defaults are relative to a clone, which an installed package does not have.
      { source: 'default', environment: SHIPPED_MODEL_FOLDERS },
    ]);
  }
}

export function processShell(): Shell {
  // A reader that has seen enough (`seam tail … | head`) closes the pipe: that is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.internal);
  });
  return {
    columns: styleFor(process.stdout.isTTY, process.env, process.stdout.columns).columns,
    write: (text) => void process.stdout.write(text),
    writeError: (text) => void process.stderr.write(text),
    async start(options) {
      const { start } = await import('@seamstream/standalone');
      // Models may still hold threads.
      return process.exit(await start(options));
    },
    async withRuntime(options, action) {
      const { signal, release } = stopSignal();
      const world = new RuntimeResources(options);
      const runtime: CommandRuntime = {
        terminal: processTerminal({
          stdout: process.stdout,
          stderr: process.stderr,
          environment: process.env,
          json: options.json ?? false,
        }),
        clock: systemClock,
        signal,
        readInput,
        openInput: (path) => world.openInput(path),
        checkOutput: (path, outputOptions) => world.outputs.check(path, outputOptions),
        writeOutput: (path, body, outputOptions) => world.outputs.write(path, body, outputOptions),
        async growOutput(path, growOptions) {
          const output = await world.outputs.grow(path, growOptions);
          world.onClose(() => output.close());
          return output;
        },
        isPresent: (path) => Promise.resolve(existsSync(path)),
        makeFolder,
        openLog: (mode) => world.openLog(mode),
        openKeptLog: (readModelOptions) => world.openKeptLog(readModelOptions),
        openUnsignedLog: (mode) => world.openUnsignedLog(mode),
        signing: () => world.signing(),
        openLogAt: (address, mode) => world.openLogAt(address, mode),
        openTopics: () => world.openCluster(),
        openAcls: () => world.openCluster(),
        openObjects: () => world.openObjects(),
        openCatalogue: (folder) => world.openCatalogue(folder),
        openBucket: () => world.openBucket(),
        openSchemaRegistry: () => world.openSchemaRegistry(),
        openModels: () => world.openModels(),
        ...modelDoors(world),
        openBaseModel: (named) => world.openBaseModel(named),
        ...editDoors(world),
        algorithmSettings: (algorithm, preset) => world.algorithmSettings(algorithm, preset),
        person: async () => personOfMachine(await world.loadCommon()),
        worldProblems: (set) => world.worldProblems(set),
        toldStart: () => world.toldStart(),
        openTrainer: () => world.openTrainer(),
        entrySchemas: () => world.entrySchemas(),
        promptTemplates: async () => promptTemplates(await world.loadAll()),
        settings: () => world.settings(),
      };
      try {
        return await action(runtime);
      } finally {
        await world.close();
        release();
      }
    },
  };
}
