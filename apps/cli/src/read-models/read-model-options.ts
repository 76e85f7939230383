/** What commands that answer from read models have in common. */
import type { KeptLog, ReadingOptions } from '@seamstream/operations/read-models';
import { Option } from 'commander';
import type { CommandRuntime, ReadModelOptions } from '../command-runtime.js';

export const fromScratchOption = (): Option =>
  new Option('--from-scratch', 'read the log from its first record on, and replace the snapshot');

/** The log and how it is read, as operations take them. */
export async function keptLogOf(
  runtime: CommandRuntime,
  { fromScratch }: ReadModelOptions = {},
): Promise<readonly [KeptLog, ReadingOptions]> {
  return [await runtime.openKeptLog({ fromScratch }), readingOf(runtime)];
}

/** How a log is read, with a bar on the terminal. */
export function readingOf({ terminal, signal }: CommandRuntime): ReadingOptions {
  return { signal, progress: (total) => terminal.progress('reading the log', total) };
}
