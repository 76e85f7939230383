/** The process as a command's world: its streams, files and signals, and the drivers that the configuration names. */
import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { InMemoryEventLog } from '@seamstream/event-log';
import { messageOf, SeamError, systemClock } from '@seamstream/kernel';
import { InMemoryObjectStore } from '@seamstream/object-store';
import type { CommandRuntime, Shell } from './command-runtime.js';
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

/** Aborts at the first SIGINT or SIGTERM; the second ends the process at once. */
function stopSignal(): { readonly signal: AbortSignal; readonly release: () => void } {
  const controller = new AbortController();
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return {
    signal: controller.signal,
    release: () => void process.off('SIGINT', stop).off('SIGTERM', stop),
  };
}

export const processShell: Shell = {
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
  async withRuntime(options, action) {
    const { signal, release } = stopSignal();
    // A reader that has seen enough (`seam tail … | head`) closes the pipe: that is no failure.
    process.stdout.on('error', (error: NodeJS.ErrnoException) =>
      process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.internal),
    );
    const opened: { close(): Promise<void> }[] = [];
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
      openLog: async () => new InMemoryEventLog(),
      openObjects: async () => new InMemoryObjectStore(),
    };
    try {
      return await action(runtime);
    } finally {
      for (const resource of opened.reverse()) await resource.close();
      release();
    }
  },
};
