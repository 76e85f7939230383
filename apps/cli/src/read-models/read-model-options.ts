/** What commands that answer from read models have in common. */
import type { EventLog } from '@seamstream/event-log';
import type { KeptLog, ReadingOptions } from '@seamstream/operations/read-models';
import { Option } from 'commander';
import type { CommandRuntime, ReadModelOptions } from '../command-runtime.js';

export const fromScratchOption = (): Option =>
  new Option('--from-scratch', 'read the log from its first record on, and replace the snapshot');

export const asOfOption = (): Option =>
  new Option(
    '--as-of <moment>',
    'answer from the log as it was: a time (ISO 8601 with Z or an offset; a date is of UTC), or a record (topic/partition/offset)',
  ).conflicts('fromScratch');

/** The log as it was at a moment; as it is where none is given. @throws INVALID_INPUT, NOT_FOUND as `momentOf` */
export async function asItWas(log: EventLog, asOf: string | undefined): Promise<EventLog> {
  if (asOf === undefined) return log;
  const { PastEventLog } = await import('@seamstream/event-log');
  return PastEventLog.asOf(log, asOf);
}

/** The log and how it is read, as operations take them. */
export async function keptLogOf(
  runtime: CommandRuntime,
  { fromScratch, asOf }: ReadModelOptions = {},
): Promise<readonly [KeptLog, ReadingOptions]> {
  if (asOf === undefined) return [await runtime.openKeptLog({ fromScratch }), readingOf(runtime)];
  // Snapshots are of the whole log, and stay so.
  return [{ log: await asItWas(await runtime.openLog('read'), asOf), snapshots: null }, readingOf(runtime)];
}

/** How a log is read, with a bar on the terminal. */
export function readingOf({ terminal, signal }: CommandRuntime): ReadingOptions {
  return { signal, progress: (total) => terminal.progress('reading the log', total) };
}
