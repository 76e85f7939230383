import { TOPICS } from '@seamstream/events';
import { onOneLine, plural, SeamError } from '@seamstream/kernel';
import {
  DEFAULT_RECORDS,
  type EventFilter,
  parseEventTypes,
  parseStartPosition,
  recordAsJson,
  type StartPosition,
  tailTopics,
} from '@seamstream/operations/tail';
import { Command } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { renderRecord } from './event-line.js';

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

/** Shows the records of topics in the order of time; then, with `follow`, those that come, until the signal aborts. */
async function showTail(runtime: CommandRuntime, name: string | undefined, given: TailOptions): Promise<ExitCode> {
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
  const { topic: more = [], limit, partition, follow } = options;
  const request = { topics: [...(name === undefined ? [] : [name]), ...more], filter, from, limit, partition, follow };
  const { topics, looked, records } = await tailTopics(log, request, signal);
  let shown = 0;
  for await (const decoded of records) {
    if (terminal.json) terminal.printJson(recordAsJson(decoded));
    else terminal.print(renderRecord(decoded, terminal.style, topics));
    shown++;
    await terminal.drained();
  }
  if (shown === 0 && !signal.aborted) terminal.remark(nothingToShow(topics, looked, options));
  // Ctrl-C is how a follower is meant to end.
  return signal.aborted && follow !== true ? EXIT.interrupted : EXIT.ok;
}

/** Why there is no line. */
function nothingToShow(topics: readonly string[], looked: number, options: TailOptions): string {
  const asked = (['type', 'domain', 'problem', 'grep'] as const).flatMap((name) => {
    const value = options[name];
    return value === undefined
      ? []
      : [`--${name} ${typeof value === 'string' ? onOneLine(value) : [...value].join(',')}`];
  });
  const where = topics.map((name) => name.replace(/^seam\./, '')).join(', ');
  const place = options.from === undefined ? '' : ' from that place on';
  return looked === 0
    ? `There is no record in ${where}${place}.`
    : `None of the ${plural(looked, 'record')} in ${where}${place} is one of ${asked.join(' ')}.`;
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
    .option('--grep <text>', 'events that hold this text, in any case')
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
    .option('-f, --follow', 'continue with new events, until Ctrl-C')
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
    .action((topic: string | undefined, options: TailOptions) => run((runtime) => showTail(runtime, topic, options)));
}
