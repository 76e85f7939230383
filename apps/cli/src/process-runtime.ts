/** The process as a command's world: its streams, files and signals, and the drivers that the configuration names. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventLog } from '@seamstream/event-log';
import { messageOf, SeamError, systemClock } from '@seamstream/kernel';
import type { ObjectStore } from '@seamstream/object-store';
import type { CommonConfig } from '@seamstream/service-kit';
import type { CommandRuntime, GlobalOptions, Shell } from './command-runtime.js';
import { EXIT } from './exit-codes.js';
import { processTerminal } from './terminal/terminal.js';

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

/** Opens log and objects when they are first asked for, and closes what was opened. */
class LazyDrivers {
  private log: EventLog | undefined;
  private objects: ObjectStore | undefined;
  private config: CommonConfig | undefined;

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

  async close(): Promise<void> {
    await this.log?.close();
    await this.objects?.close();
  }

  /** The environment's settings; --data-dir wins over SEAM_DATA_FOLDER. Unknown SEAM_* names are refused. */
  private async loadConfig(): Promise<CommonConfig> {
    const { commonConfigSchema, loadConfig } = await import('@seamstream/service-kit');
    const { dataDir } = this.options;
    return loadConfig(
      commonConfigSchema,
      dataDir === undefined ? process.env : { ...process.env, SEAM_DATA_FOLDER: dataDir },
    );
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
      const drivers = new LazyDrivers(options);
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
        openLog: (mode) => drivers.openLog(mode),
        openObjects: () => drivers.openObjects(),
      };
      try {
        return await action(runtime);
      } finally {
        await drivers.close();
        release();
      }
    },
  };
}
