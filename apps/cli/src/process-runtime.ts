/** The process as a command's world: its streams, files and signals, and the drivers that the configuration names. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventLog } from '@seamstream/event-log';
import type { ExecutorConfig } from '@seamstream/executor';
import type { EntrySchemas } from '@seamstream/experience';
import type { GeneratorConfig } from '@seamstream/generator';
import { messageOf, SeamError, systemClock } from '@seamstream/kernel';
import type { LanguageModel } from '@seamstream/language-model';
import type { ObjectStore } from '@seamstream/object-store';
import type { CommandRuntime, GlobalOptions, Models, Shell } from './command-runtime.js';
import { EXIT } from './exit-codes.js';
import { processTerminal } from './terminal/terminal.js';
import type { TrainerDoor } from './train/trainer.port.js';

async function readInput(path: string): Promise<Uint8Array> {
  if (path !== '-') {
    try {
      return await readFile(path);
    } catch (cause) {
      throw new SeamError('NOT_FOUND', `Reading ${path}: expected a readable file, came: ${messageOf(cause)}.`, {
        cause,
      });
    }
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

async function writeOutput(path: string, body: Uint8Array): Promise<void> {
  const part = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(part, body, { flag: 'wx' });
    await rename(part, path);
  } catch (cause) {
    await rm(part, { force: true });
    throw new SeamError('INVALID_INPUT', `Writing ${path}: expected a writable place, came: ${messageOf(cause)}.`, {
      cause,
    });
  }
}

type CommandLineConfig = GeneratorConfig & ExecutorConfig;

/** Opens log, objects and models when they are first asked for, and closes what was opened. */
class LazyWorld {
  private log: EventLog | undefined;
  private objects: ObjectStore | undefined;
  private readonly models: LanguageModel[] = [];
  private config: CommandLineConfig | undefined;

  constructor(private readonly options: GlobalOptions) {}

  async openLog(mode: 'existing' | 'create'): Promise<EventLog> {
    // Loaded late: the kit brings a web framework along, which "seam --help" has no use for.
    const { openEventLog } = await import('@seamstream/service-kit');
    const { dataFolder, eventLog } = (this.config ??= await this.loadConfig());
    const folder = eventLog.folder ?? join(dataFolder, 'log');
    if (this.log === undefined && mode === 'existing' && eventLog.driver === 'lmdb' && !existsSync(folder)) {
      throw new SeamError(
        'NOT_FOUND',
        `Opening the event log: expected the folder ${folder}, came nothing. Start the system (npm start), publish something (seam publish), or say where the data is (--data-dir, SEAM_DATA_FOLDER).`,
        { details: { folder } },
      );
    }
    this.log ??= await openEventLog({ dataFolder, eventLog });
    return this.log;
  }

  async openObjects(): Promise<ObjectStore> {
    const { openObjectStore } = await import('@seamstream/service-kit');
    this.config ??= await this.loadConfig();
    this.objects ??= await openObjectStore(this.config);
    return this.objects;
  }

  async entrySchemas(): Promise<EntrySchemas> {
    const { loadEntrySchemas } = await import('@seamstream/experience');
    this.config ??= await this.loadConfig();
    return loadEntrySchemas(this.config.entrySchemas);
  }

  async openModels(): Promise<Models> {
    const { loadPrompts } = await import('@seamstream/experience');
    const { LanguageModel } = await import('@seamstream/language-model');
    const { LanguageModelExecutor } = await import('@seamstream/rollout');
    const { generator, executor } = (this.config ??= await this.loadConfig());
    const open = async (folder: string, threads: number): Promise<LanguageModel> => {
      const model = await LanguageModel.load(folder, { threads });
      this.models.push(model);
      return model;
    };
    const { name, maxTokens, expectedDigest } = executor;
    return {
      generator: await open(generator.modelFolder, generator.threads),
      executor: new LanguageModelExecutor(await open(executor.modelFolder, executor.threads), {
        name,
        maxTokens,
        ...(expectedDigest === undefined ? {} : { expectedDigest }),
      }),
      prompts: await loadPrompts(),
      maxEntryTokens: generator.sampling.maxTokens,
    };
  }

  openTrainer(): Promise<TrainerDoor> {
    return Promise.reject(new SeamError('NOT_FOUND', 'Opening the trainer: this build has none.'));
  }

  async close(): Promise<void> {
    for (const model of this.models) await model.close();
    await this.log?.close();
    await this.objects?.close();
  }

  /** The environment's settings, as the services read them; --data-dir wins over SEAM_DATA_FOLDER. */
  private async loadConfig(): Promise<CommandLineConfig> {
    const { loadConfig } = await import('@seamstream/service-kit');
    const { generatorConfigSchema } = await import('@seamstream/generator');
    const { executorConfigSchema } = await import('@seamstream/executor');
    const { dataDir } = this.options;
    const environment = dataDir === undefined ? process.env : { ...process.env, SEAM_DATA_FOLDER: dataDir };
    return loadConfig(generatorConfigSchema.extend(executorConfigSchema.shape), environment);
  }
}

/** Aborts at the first SIGINT or SIGTERM; the second ends the process at once. */
function stopSignal(): { readonly signal: AbortSignal; readonly release: () => void } {
  const controller = new AbortController();
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort(new SeamError('ABORTED', 'Stopped on request; what was done before is done.'));
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return {
    signal: controller.signal,
    release: () => void process.off('SIGINT', stop).off('SIGTERM', stop),
  };
}

export function processShell(): Shell {
  // A reader that has seen enough (`seam tail … | head`) closes the pipe: that is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.internal);
  });
  return {
    write: (text) => void process.stdout.write(text),
    writeError: (text) => void process.stderr.write(text),
    async withRuntime(options, action) {
      const { signal, release } = stopSignal();
      const world = new LazyWorld(options);
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
        writeOutput,
        openLog: (mode) => world.openLog(mode),
        openObjects: () => world.openObjects(),
        openModels: () => world.openModels(),
        openTrainer: () => world.openTrainer(),
        entrySchemas: () => world.entrySchemas(),
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
