/**
 * A program of this machine that carries out jobs of files. It leads a process group, which ends with it. Its standard input is a pipe that
 * nothing is written to. The pipe ends when the program does, or this process, even by SIGKILL: what the program started in groups of their
 * own, as torchrun starts its workers, can watch it and end then too.
 */
import { spawn } from 'node:child_process';
import { signalGroup } from '@seamstream/kernel';
import { type EndedJob, JobLauncher, type RunningJob } from './job-launcher.port.js';

export interface ChildProcessSettings {
  /** Program and arguments; the job's folder is appended. */
  readonly command: readonly [string, ...string[]];
  /** Added to this process's own. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Between the request to end and the end by force. Nothing that is whole is lost by force. */
  readonly graceMs?: number;
}

/** Enough for the last message of each of some processes. */
const SAID_CHARACTERS = 8_000;

export class ChildProcessLauncher extends JobLauncher {
  constructor(private readonly settings: ChildProcessSettings) {
    super();
  }

  override start(folder: string): RunningJob {
    return this.run(folder);
  }

  /** Runs the program with `--version` in the place of a folder: whether it starts here, and takes its options. */
  reportVersion(): Promise<EndedJob> {
    return this.run('--version').ended;
  }

  private run(argument: string): RunningJob {
    const { command, environment, cwd, graceMs = 5_000 } = this.settings;
    const [program, ...args] = command;
    const child = spawn(program, [...args, argument], {
      env: { ...process.env, ...environment },
      ...(cwd === undefined ? {} : { cwd }),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    // A program that does not read it closes it; its exit status says more.
    child.stdin.on('error', () => undefined);
    let said = '';
    const hear = (chunk: Buffer): void => {
      said = (said + chunk.toString()).slice(-SAID_CHARACTERS);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    const ended = new Promise<EndedJob>((resolve) => {
      child.once('error', (error) => {
        resolve({ hasSucceeded: false, report: `${program} could not be started: ${error.message}` });
      });
      // What the program left running would write into the folder of a job that is over, and holds its output open.
      child.once('exit', () => signalGroup(child.pid, 'SIGKILL'));
      child.once('close', (status, signal) => {
        const how = signal === null ? `status ${String(status)}` : `signal ${signal}`;
        resolve({ hasSucceeded: status === 0, report: `${program} ended with ${how}: ${said.trim()}` });
      });
    });
    let isCancelled = false;
    const cancel = (): void => {
      if (isCancelled) return;
      isCancelled = true;
      signalGroup(child.pid, 'SIGTERM');
      const force = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), graceMs);
      void ended.finally(() => clearTimeout(force));
    };
    return { ended, cancel };
  }
}
