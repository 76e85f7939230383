import type { EventLog, LogRecord, Watermarks } from '@seamstream/event-log';
import { TOPICS } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { type DecodedRecord, decodeRecord, type ReadRange, readMerged } from '@seamstream/log-reader';
import { Command } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type EventFilter, isFiltering, isWanted, parseEventTypes } from './event-filter.js';
import { recordAsJson, renderRecord } from './event-line.js';
import { parseStartPosition, type StartPosition } from './start-position.js';
import { lastRanges, rangesFrom } from './tail-ranges.js';
import { resolveTopic } from './topic-name.js';

interface TailOptions {
  readonly topic?: readonly string[];
  readonly type?: ReadonlySet<string>;
  readonly domain?: string;
  readonly problem?: string;
  readonly grep?: string;
  readonly from?: StartPosition;
  readonly since?: StartPosition;
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

/** What to read of a topic: all of it from the given place on, or where none is given and all are wanted as much of its end as is shown. */
async function rangesOf(
  log: EventLog,
  topic: string,
  { from, limit = DEFAULT_RECORDS, partition }: TailOptions,
  filter: EventFilter,
): Promise<readonly ReadRange[]> {
  const all = await log.watermarks(topic);
  const marks = partition === undefined ? all : all.filter((mark) => mark.partition === partition);
  if (marks.length === 0) {
    throw new SeamError(
      'INVALID_INPUT',
      `Reading --partition: expected 0 to ${all.length - 1} for ${topic}, came ${partition ?? ''}.`,
      { details: { topic, partition } },
    );
  }
  if (from === undefined)
    return isFiltering(filter)
      ? rangesFrom(topic, marks, ({ low }) => low)
      : (await lastRanges(log, topic, marks, limit)).ranges;
  const starts = new Map<number, number>();
  for (const mark of marks) starts.set(mark.partition, await startOf(log, topic, mark, from));
  return rangesFrom(topic, marks, ({ partition: own, low }) => starts.get(own) ?? low);
}

/** The topics that are meant; where only a filter says what is wanted, all. @throws INVALID_INPUT where nothing says it */
function chosenTopics(
  name: string | undefined,
  { topic: given = [], partition }: TailOptions,
  filter: EventFilter,
  present: readonly string[],
): readonly string[] {
  const names = [...(name === undefined ? [] : [name]), ...given];
  if (names.length === 0 && !isFiltering(filter)) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot show a topic: expected its name, or what to look for in all of them (--problem, --type, --domain, --grep), got neither. Name one of ${TOPICS.map((topic) => topic.name.replace(/^seam\./, '')).join(', ')}.`,
    );
  }
  const known = TOPICS.map((topic) => topic.name).filter((topic) => present.includes(topic));
  const topics = names.length === 0 ? known : [...new Set(names.map((each) => resolveTopic(each, present)))];
  if (partition !== undefined && topics.length > 1)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot read --partition ${partition}: expected one topic beside it, got ${topics.length}. Name one.`,
    );
  return topics;
}

/** The last so many records that are wanted. */
async function lastWanted(
  records: AsyncIterable<LogRecord>,
  limit: number,
  filter: EventFilter,
  signal: AbortSignal,
): Promise<readonly DecodedRecord[]> {
  const last: DecodedRecord[] = [];
  for await (const record of records) {
    if (signal.aborted) break;
    const decoded = decodeRecord(record);
    if (!isWanted(decoded, filter)) continue;
    last.push(decoded);
    if (last.length > limit) last.shift();
  }
  return last;
}

/** Shows the records of topics in the order of time; then, with `follow`, those that come, until the signal aborts. */
async function tailTopics(runtime: CommandRuntime, name: string | undefined, given: TailOptions): Promise<ExitCode> {
  const { terminal, signal } = runtime;
  if (given.from !== undefined && given.since !== undefined)
    throw new SeamError(
      'INVALID_INPUT',
      'Cannot begin at --from and --since: expected one of them, got both. Leave one out.',
    );
  const from = given.from ?? given.since;
  const options: TailOptions = from === undefined ? given : { ...given, from };
  const { type: types, domain, problem, grep } = options;
  const filter: EventFilter = {
    ...(types === undefined ? {} : { types }),
    ...(domain === undefined ? {} : { domain }),
    ...(problem === undefined ? {} : { problem }),
    ...(grep === undefined ? {} : { grep }),
  };
  const log = await runtime.openUnsignedLog('read');
  const present = (await log.topics()).map((topic) => topic.name);
  const topics = chosenTopics(name, options, filter, present);
  const ranges: ReadRange[] = [];
  for (const topic of topics) ranges.push(...(await rangesOf(log, topic, options, filter)));

  let shown = 0;
  const show = async (decoded: DecodedRecord): Promise<void> => {
    if (terminal.json) terminal.printJson(recordAsJson(decoded));
    else terminal.print(renderRecord(decoded, terminal.style, topics));
    shown++;
    await terminal.drained();
  };
  const limit = options.limit ?? (from === undefined ? DEFAULT_RECORDS : Number.POSITIVE_INFINITY);
  const past = readMerged(log, ranges);
  if (from === undefined) {
    for (const decoded of await lastWanted(past, limit, filter, signal)) {
      if (signal.aborted) break;
      await show(decoded);
    }
  } else {
    for await (const record of past) {
      if (signal.aborted || shown >= limit) break;
      const decoded = decodeRecord(record);
      if (isWanted(decoded, filter)) await show(decoded);
    }
  }
  if (options.follow !== true) return signal.aborted ? EXIT.interrupted : EXIT.ok;

  // Without --from the limit says how much of the past is shown; what comes afterwards is shown without end.
  const followLimit = from === undefined ? Number.POSITIVE_INFINITY : limit;
  if (shown >= followLimit) return EXIT.ok;
  const places = ranges.map(({ topic, partition, to }) => ({ topic, partition, nextOffset: to }));
  const followed = new Set(ranges.map(({ topic, partition }) => `${topic}/${partition}`));
  for await (const chunk of log.follow({ topics, from: places, signal })) {
    for (const record of chunk) {
      const decoded = decodeRecord(record);
      if (!followed.has(`${record.topic}/${record.partition}`) || !isWanted(decoded, filter)) continue;
      await show(decoded);
      if (shown >= followLimit) return EXIT.ok;
    }
  }
  // Ctrl-C is how a follower is meant to end.
  return EXIT.ok;
}

/** Reads the value of --since. @throws INVALID_INPUT for what is no time */
function parseSince(text: string): StartPosition {
  const place = /^\d+$/.test(text) ? undefined : parseStartPosition(text);
  if (place?.at === 'time') return place;
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot read --since: expected a time (2030-01-31T12:00:00Z), got "${text}". For an offset there is --from.`,
    { details: { option: '--since', value: text } },
  );
}

export function tailCommand(run: RunCommand): Command {
  return new Command('tail')
    .summary('show what happened, one readable line per event')
    .description(
      `Shows the records of TOPIC, or of several (${TOPICS.map(({ name }) => name.replace(/^seam\./, '')).join(', ')}; with or without "seam."), all\n` +
        'partitions merged by time: time, partition/offset, event, what it says. A record that is no event is shown with\n' +
        'its error and first bytes. With --json: the whole event, bytes as base64.',
    )
    .argument('[topic]', 'without it: all topics, where a filter says what to look for')
    .option('--topic <names>', 'these topics, between commas', (text) => text.split(',').map((name) => name.trim()))
    .option('--type <names>', 'these events, between commas; beginnings suffice (outcome)', parseEventTypes)
    .option('--domain <name>', 'events about this domain')
    .option('--problem <id>', 'events about this problem; the beginning of its id suffices')
    .option('--grep <text>', 'events that hold this text, whatever its case')
    .option('--since <time>', 'from this time on (ISO 8601)', parseSince)
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
        ['seam tail --problem 4f3a90c1', 'all that happened to one problem'],
        ['seam tail --type adapterpromoted,adapterrolled --since 2030-01-31', 'what was served since then'],
        ['seam tail outcomes --domain sums --grep "7 apples" --follow', 'as they come'],
        ['seam tail training --from earliest --json', 'every training event, whole'],
        ['seam tail outcomes --from 2030-01-31T12:00:00Z --limit 5', 'the first five since then'],
      ]),
    )
    .action((topic: string | undefined, options: TailOptions) => run((runtime) => tailTopics(runtime, topic, options)));
}
