/** `seam` as a process that a spec can kill, and as a call that gives what it printed. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Environment } from '@seamstream/service-kit';

const SEAM = fileURLToPath(new URL('../../apps/cli/bin/seam.js', import.meta.url));

export interface SeamCommand {
  readonly child: ChildProcess;
  /** Settles when the process is gone; `code` is null where it was killed. */
  readonly ended: Promise<{ readonly code: number | null; readonly output: string; readonly errors: string }>;
}

/** @param environment what the command reads of it, besides the path */
export function seamCommand(args: readonly string[], environment: Environment): SeamCommand {
  const child = spawn(process.execPath, [SEAM, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...environment },
  });
  const texts = { output: '', errors: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (texts.output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (texts.errors += text));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...texts }));
  return { child, ended };
}

const execute = promisify(execFile);

/**
 * Each line of what `seam … --json` prints, read.
 * @param folder where it runs
 * @throws where it ends with another status than 0
 */
export async function seamLines(
  args: readonly string[],
  environment: Environment,
  folder?: string,
): Promise<unknown[]> {
  const { stdout } = await execute(process.execPath, [SEAM, ...args, '--json'], {
    env: { PATH: process.env.PATH, ...environment },
    cwd: folder,
    maxBuffer: 1 << 26,
  });
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as unknown);
}
