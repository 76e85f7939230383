import type { EventLog, LogRecord, Watermarks } from '@seamstream/event-log';
import { TOPICS } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { Command } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { decodeRecord } from '../log/decode-record.js';
import { type ReadRange, readMerged } from '../log/read-merged.js';
import { resolveTopic } from '../log/topic-name.js';
import { recordAsJson, renderRecord } from './event-line.js';
import { parseStartPosition, type StartPosition } from './start-position.js';
import { lastRanges, rangesFrom } from './tail-ranges.js';

interface TailOptions {
  readonly from?: StartPosition;
  readonly limit?: number;
  readonly partition?: number;
  readonly follow?: true;
}

/** Records shown when neither --from nor --limit is given, as many as `tail` of Unix shows lines, doubled. */
const DEFAULT_RECORDS = 20;

async function startOf(log: EventLog, topic: string, mark: Watermarks, from: StartPosition): Promise<number> {
  switch (from.at) {
    case 'earliest':
      return mark.low;
    case 'latest':
      return mark.high;
    case 'offset':
      return from.offset;
    case 'time':
      return log.offsetForTime(topic, mark.partition, from.timestampMs);
  }
}

/** What to read, and how many of the merged records come before the first that is shown. */
async function rangesOf(
  log: EventLog,
  topic: string,
  options: TailOptions,
): Promise<{ readonly ranges: readonly ReadRange[]; readonly passOver: number }> {
  const all = await log.watermarks(topic);
  const marks = options.partition === undefined ? all : all.filter((mark) => mark.partition === options.partition);
  if (marks.length === 0) {
    throw new SeamError(
      'INVALID_INPUT',
      `Reading --partition: expected 0 to ${all.length - 1} for ${topic}, came ${options.partition ?? ''}.`,
      { details: { topic, partition: options.partition } },
    );
  }
  const { from } = options;
  if (from === undefined) {
    const limit = options.limit ?? DEFAULT_RECORDS;
    const { ranges, stored } = await lastRanges(log, topic, marks, limit);
    return { ranges, passOver: Math.max(0, stored - limit) };
  }
  const starts = new Map<number, number>();
  for (const mark of marks) starts.set(mark.partition, await startOf(log, topic, mark, from));
  return { ranges: rangesFrom(topic, marks, ({ partition, low }) => starts.get(partition) ?? low), passOver: 0 };
}

/** Shows a topic's records in the order of time; then, with `follow`, those that come, until the signal aborts. */
async function tailTopic(runtime: CommandRuntime, topicName: string, options: TailOptions): Promise<ExitCode> {
  const { terminal, signal } = runtime;
  const log = await runtime.openUnsignedLog('read');
  const topic = resolveTopic(
    topicName,
    (await log.topics()).map(({ name }) => name),
  );
  const { ranges, ...selection } = await rangesOf(log, topic, options);
  const limit = options.limit ?? (options.from === undefined ? DEFAULT_RECORDS : Number.POSITIVE_INFINITY);
  let shown = 0;
  const show = (record: LogRecord): void => {
    const decoded = decodeRecord(record);
    if (terminal.json) terminal.printJson(recordAsJson(decoded));
    else terminal.print(renderRecord(decoded, terminal.style));
    shown++;
  };

  // Without --from the last records of the topic are wanted, which are the last of the merged ranges.
  let { passOver } = selection;
  for await (const record of readMerged(log, ranges)) {
    if (signal.aborted || shown >= limit) break;
    if (passOver > 0) passOver--;
    else {
      show(record);
      await terminal.drained();
    }
  }
  if (options.follow !== true) return signal.aborted ? EXIT.interrupted : EXIT.ok;

  // Without --from the limit says how much of the past is shown; what comes afterwards is shown without end.
  const followLimit = options.from === undefined ? Number.POSITIVE_INFINITY : limit;
  if (shown >= followLimit) return EXIT.ok;
  const from = ranges.map(({ partition, to }) => ({ topic, partition, nextOffset: to }));
  const followed = new Set(ranges.map(({ partition }) => partition));
  for await (const chunk of log.follow({ topics: [topic], from, signal })) {
    for (const record of chunk) {
      if (!followed.has(record.partition)) continue;
      show(record);
      if (shown >= followLimit) return EXIT.ok;
    }
    await terminal.drained();
  }
  // Ctrl-C is how a follower is meant to end.
  return EXIT.ok;
}

export function tailCommand(run: RunCommand): Command {
  return new Command('tail')
    .summary('show what happened, one readable line per event')
    .description(
      `Shows the records of TOPIC (${TOPICS.map(({ name }) => name.replace(/^seam\./, '')).join(', ')}; with or without "seam."), all\n` +
        'partitions merged by time: time, partition/offset, event, what it says. A record that is no event is shown with\n' +
        'its error and first bytes. With --json: the whole event, bytes as base64.',
    )
    .argument('<topic>')
    .option(
      '--from <place>',
      'earliest, latest, an offset, or a time (ISO 8601); without it, the last records',
      parseStartPosition,
    )
    .option(
      '--limit <n>',
      `at most n records (without --from: the last n; ${DEFAULT_RECORDS})`,
      wholeNumber('--limit', 1),
    )
    .option('--partition <p>', 'this partition only', wholeNumber('--partition', 0))
    .option('-f, --follow', 'go on with what comes, until Ctrl-C')
    .addHelpText(
      'after',
      examples([
        ['seam tail problems', 'the last problems'],
        ['seam tail outcomes --follow', 'verdicts as they come'],
        ['seam tail training --from earliest --json', 'every training event, whole'],
        ['seam tail outcomes --from 2030-01-31T12:00:00Z --limit 5', 'the first five since then'],
      ]),
    )
    .action((topic: string, options: TailOptions) => run((runtime) => tailTopic(runtime, topic, options)));
}
