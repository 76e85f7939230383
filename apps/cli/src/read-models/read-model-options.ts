/** What commands that answer from read models have in common. */
import type { KeptLog, ReadingOptions } from '@seamstream/operations/read-models';
import { Option } from 'commander';
import { readTime } from '../command-options.js';
import type { CommandRuntime, ReadModelOptions } from '../command-runtime.js';

export const fromScratchOption = (): Option =>
  new Option('--from-scratch', 'read the log from its first record on, and replace the snapshot');

export const asOfOption = (): Option =>
  new Option('--as-of <time>', 'answer from the log as it was then, as ISO 8601').conflicts('fromScratch');

/** The log and how it is read, as operations take them. */
export async function keptLogOf(
  runtime: CommandRuntime,
  { fromScratch, asOf }: ReadModelOptions = {},
): Promise<readonly [KeptLog, ReadingOptions]> {
  if (asOf === undefined) return [await runtime.openKeptLog({ fromScratch }), readingOf(runtime)];
  const asOfMs = readTime('--as-of', asOf);
  const { PastEventLog } = await import('@seamstream/event-log');
  // Snapshots are of the whole log, and stay so.
  return [{ log: new PastEventLog(await runtime.openLog('read'), asOfMs), snapshots: null }, readingOf(runtime)];
}

/** How a log is read, with a bar on the terminal. */
export function readingOf({ terminal, signal }: CommandRuntime): ReadingOptions {
  return { signal, progress: (total) => terminal.progress('reading the log', total) };
}
