/**
 * One server as a child process: its output goes to a file, it can be killed with any signal and started again with the
 * same arguments, and it ends with its owner even if that is killed (`bin/reaper.mjs`).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SeamError } from '@seamstream/kernel';
import { missingTool, tail } from './host-tools.js';

const REAPER = fileURLToPath(new URL('../bin/reaper.mjs', import.meta.url));
const START_TIMEOUT_MS = 120_000; // a shared machine; an idle one takes seconds
const POLL_MS = 50;

let reaper: ChildProcess | undefined;

function tellReaper(line: string): void {
  if (reaper === undefined) {
    // Detached, so that an interrupt typed at the terminal does not reach it before its work is known.
    reaper = spawn(process.execPath, [REAPER], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    reaper.unref();
    (reaper.stdin as unknown as { unref(): void }).unref();
  }
  reaper.stdin?.write(`${line}\n`);
}

/** A new empty folder that is deleted by {@link removeFolder}, or when this process ends without having done so. */
export async function temporaryFolder(name: string, below = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(below, `seamstream-${name}-`));
  tellReaper(`+folder ${folder}`);
  return folder;
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  tellReaper(`-folder ${folder}`);
}

export interface ServerCommand {
  /** How errors call it: "Kafka broker 1". */
  name: string;
  command: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Its output is appended here. */
  logFile: string;
  /** Whether it serves; `logged` is what it has written since this start. */
  readonly isReady: (logged: () => string) => boolean | Promise<boolean>;
  /** How long its start may take. */
  readonly startTimeoutMs?: number;
}

export class ServerProcess {
  readonly #server: ServerCommand;
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();

  constructor(server: ServerCommand) {
    this.#server = server;
  }

  /** Process id; undefined while it does not run. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts it and waits until it serves. Throws INTERNAL with the end of its output when it ends first or takes too long. */
  async start(): Promise<void> {
    const { name, command, args, env, logFile, isReady, startTimeoutMs = START_TIMEOUT_MS } = this.#server;
    if (this.#child !== undefined) {
      throw new SeamError(
        'CONFLICT',
        `Cannot start ${name}: it already runs as process ${String(this.pid)}. Kill it first.`,
      );
    }
    const output = openSync(logFile, 'a');
    const loggedBefore = statSync(logFile).size;
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      cwd: dirname(logFile), // what it leaves there goes with its folder
      stdio: ['ignore', output, output],
      detached: true,
    });
    closeSync(output);
    const life: { ended: boolean; failure?: unknown } = { ended: false };
    this.#child = child;
    this.#exited = new Promise((resolve) => {
      const end = (): void => {
        life.ended = true;
        if (this.#child === child) this.#child = undefined;
        if (child.pid !== undefined) tellReaper(`-pid ${child.pid}`);
        resolve();
      };
      child.once('error', (error) => {
        life.failure = error;
        end();
      });
      child.once('exit', end);
    });
    if (child.pid !== undefined) tellReaper(`+pid ${child.pid}`);

    const logged = (): string => readFileSync(logFile).subarray(loggedBefore).toString();
    const deadline = performance.now() + startTimeoutMs;
    while (!(await isReady(logged))) {
      if (life.failure !== undefined) throw missingTool(command, `start ${name}`, life.failure);
      const outcome = life.ended
        ? 'it ended'
        : performance.now() > deadline
          ? `it did not serve in ${startTimeoutMs} ms`
          : '';
      if (outcome !== '') {
        const output = tail(logged());
        await this.kill('SIGKILL');
        throw new SeamError(
          'INTERNAL',
          `Cannot start ${name} (${command}): ${outcome}. The end of its output says why:\n${output}`,
        );
      }
      await sleep(POLL_MS);
    }
  }

  /** Sends a signal to it and to what it has started. Resolves when it has ended, or at once for signals that do not end it (SIGSTOP, SIGCONT). */
  async kill(signal: NodeJS.Signals): Promise<void> {
    try {
      if (this.pid !== undefined) process.kill(-this.pid, signal);
    } catch {
      // It has just ended by itself.
    }
    if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await this.#exited;
  }
}
