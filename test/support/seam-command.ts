/** `seam` as a process that a spec can kill. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
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
