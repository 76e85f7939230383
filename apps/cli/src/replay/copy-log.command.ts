import { TOPIC } from '@seamstream/events';
import { count, onOneLine, plural, SeamError } from '@seamstream/kernel';
import {
  COPIES_TOPIC,
  copyLog,
  type DoneWork,
  doneAtSource,
  markDone,
  type Selection,
  type TopicCopy,
} from '@seamstream/operations/copy';
import { Command, Option } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { parseStartPosition } from '../tail/start-position.js';
import { resolveTopic } from '../tail/topic-name.js';
import { NO_PROGRESS, type Progress } from '../terminal/progress.js';
import type { Style } from '../terminal/style.js';
import { renderTable } from '../terminal/table.js';
import { type LogAddress, parseLogAddress, showLogAddress } from './log-address.js';

/** Facts of the world: everything else follows from them. */
const SOURCE_TOPICS: readonly string[] = [TOPIC.problems, TOPIC.experiences, TOPIC.outcomes];

/** Their events name offsets of the log that they were written in. */
const DERIVED_TOPICS: readonly string[] = [TOPIC.buffer, TOPIC.training, TOPIC.adapters];

interface CopyCommandOptions {
  readonly from?: string;
  readonly to?: string;
  readonly topic?: readonly string[];
  readonly since?: string;
  readonly until?: string;
  readonly domain?: readonly string[];
  readonly derived?: true;
  readonly done?: true;
}

/** A time on the command line as milliseconds since the epoch. */
function timeOf(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  try {
    const position = parseStartPosition(text);
    if (position.at === 'time') return position.timestampMs;
  } catch {
    // Said below, with this option's name.
  }
  throw new SeamError('INVALID_INPUT', `Reading ${option}: expected a time (2030-01-31T12:00:00Z), came "${text}".`, {
    details: { option, value: text },
  });
}

function selectionOf({ since, until, domain = [] }: CopyCommandOptions): Selection {
  const selection = {
    since: timeOf('--since', since),
    until: timeOf('--until', until),
    domains: [...new Set(domain)].sort(),
  };
  if (selection.since !== null && selection.until !== null && selection.since >= selection.until) {
    throw new SeamError(
      'INVALID_INPUT',
      `Copying a log: expected --since before --until, came ${since} and ${until}. Nothing lies between them.`,
    );
  }
  return selection;
}

function topicsOf(options: CopyCommandOptions, known: readonly string[]): readonly string[] {
  const defaults = [...SOURCE_TOPICS, ...(options.done ? [TOPIC.deadLetters] : [])];
  const topics =
    options.topic?.map((name) => resolveTopic(name, known)) ?? defaults.filter((one) => known.includes(one));
  if (topics.includes(COPIES_TOPIC)) {
    throw new SeamError(
      'INVALID_INPUT',
      `Copying ${COPIES_TOPIC}: it says what was copied into this log, which is true of no other. Leave it out.`,
    );
  }
  const derived = topics.filter((topic) => DERIVED_TOPICS.includes(topic));
  if (derived.length > 0 && !options.derived) {
    throw new SeamError(
      'INVALID_INPUT',
      `Copying ${derived.join(', ')}: its events name offsets and objects of the log that they were written in. At the target the services make their own from the copied outcomes. To keep a record of the old ones all the same, add --derived; do so into a log that no buffer and no trainer works on.`,
      { details: { topics: derived } },
    );
  }
  if (topics.length === 0) {
    throw new SeamError(
      'INVALID_INPUT',
      'Copying a log: the source has none of the topics that are copied. Check --from.',
    );
  }
  return [...new Set(topics)];
}

function checkDone({ done, until, topic }: CopyCommandOptions): void {
  if (!done) return;
  if (until === undefined && topic === undefined) return;
  throw new SeamError(
    'INVALID_INPUT',
    'Copying a log with --done: expected no --until and no --topic, since a problem counts as done only together with what came of it, and that may lie outside of them. Leave these out, or --done.',
  );
}

async function copyLogs(runtime: CommandRuntime, options: CopyCommandOptions): Promise<ExitCode> {
  const { terminal, signal } = runtime;
  const selection = selectionOf(options);
  checkDone(options);
  const address = (option: '--from' | '--to', text: string | undefined): LogAddress | undefined =>
    text === undefined ? undefined : parseLogAddress(option, text);
  const [from, to] = [address('--from', options.from), address('--to', options.to)];
  if (from === undefined && to === undefined) {
    throw new SeamError(
      'INVALID_INPUT',
      'Copying a log: expected --from, --to or both, came none; what is not named is the configured log. "seam replay copy --help" shows examples.',
    );
  }
  const source = await (from === undefined ? runtime.openLog('read') : runtime.openLogAt(from, 'read'));
  const topics = topicsOf(
    options,
    (await source.topics()).map(({ name }) => name),
  );
  const target = await (to === undefined ? runtime.openLog('create') : runtime.openLogAt(to, 'create'));
  // Before the ends of the topics are taken: what was done by now has its effects among the records to copy.
  const done: readonly DoneWork[] = options.done ? await doneAtSource(source) : [];
  let progress: Progress = NO_PROGRESS;
  const observer = {
    planned: (records: number) => {
      progress.stop();
      progress = terminal.progress('copying', records);
    },
    looked: (records: number) => progress.advance(records),
    waits: () => terminal.remark('Another copy into this log is at work; this one goes on when that has ended.'),
  };
  let reports: readonly TopicCopy[];
  try {
    reports = await copyLog(source, target, { topics, selection }, { signal, observer });
  } catch (error) {
    if (signal.aborted) terminal.remark('The same command goes on where this one stopped; nothing is copied twice.');
    throw error;
  } finally {
    progress.stop();
  }
  const marked = options.done ? await markDone(target, { origin: await source.identity(), done, signal }) : [];
  const names = {
    from: from === undefined ? 'the configured log' : showLogAddress(from),
    to: to === undefined ? 'the configured log' : showLogAddress(to),
  };
  if (terminal.json) terminal.printJson({ ...names, topics: reports, done: marked });
  else terminal.print(renderCopies(reports, marked, names, terminal.style));
  return EXIT.ok;
}

function renderCopies(
  reports: readonly TopicCopy[],
  marked: readonly { readonly group: string; readonly records: number }[],
  { from, to }: { readonly from: string; readonly to: string },
  style: Style,
): string {
  const table = renderTable(
    [
      { title: 'TOPIC' },
      { title: 'COPIED', align: 'right' },
      { title: 'NOT SELECTED', align: 'right' },
      { title: 'HERE ALREADY', align: 'right' },
      { title: 'CAME HOME', align: 'right' },
      { title: 'EXPIRED', align: 'right' },
      { title: 'UNREADABLE', align: 'right' },
    ],
    reports.map(({ topic, copied, notSelected, hereAlready, cameHome, expired, unreadable }) => [
      onOneLine(topic),
      ...[copied, notSelected, hereAlready, cameHome].map(count),
      ...[expired, unreadable].map((lost) => (lost === 0 ? '0' : style.red(count(lost)))),
    ]),
    style,
  );
  const copied = reports.reduce((sum, report) => sum + report.copied, 0);
  const done = marked.map(({ group, records }) => `${group} counts ${plural(records, 'record')} as done.\n`).join('');
  return `${table}${style.green('copied')} ${plural(copied, 'record')} from ${onOneLine(from)} to ${onOneLine(to)}\n${done}`;
}

const repeatable = (value: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  value,
];

const AFTER_HELP = `
Logs:
  lmdb:FOLDER                        the embedded log in a folder (data/log of the data folder)
  kafka://HOST:PORT[,HOST:PORT]      a cluster; TLS and credentials come from SEAM_EVENT_LOG_KAFKA_…
  An option that is left out stands for the configured log.

What is kept: key, bytes, headers, time and partition. Each copy names its origin in the header "seam-origin".
Where SEAM_SCHEMA_REGISTRY_URL is set, a record in Confluent's framing gets the fingerprint for the id when it is copied into
a folder, and the id again in a cluster: a folder can be read without the registry.
How far a copy is stands in the target (topic ${COPIES_TOPIC}), committed together with the records: stopped at any place,
even by kill -9, the same command goes on, and no record is copied twice, also when the filters change in between.
Copied back, a record is not appended to the log that it came from.

What services at the target do: the buffer folds copied outcomes, the trainer learns from them. The generator takes copied
problems for new and writes experiences again; their ids are those of the copied ones, so nothing is counted twice, but the
work is in vain. --done saves it: give it while no generator and no executor runs at the target.
`;

export function copyLogCommand(run: RunCommand): Command {
  return new Command('copy')
    .summary('move a log into another one, from folder to Kafka or back; goes on where it stopped')
    .description(
      `Copies ${SOURCE_TOPICS.join(', ')} of one log into another, exactly once.\n` +
        'The other topics hold what services made of these, and are made again at the target; dead letters on request.',
    )
    .option('--from <log>', 'the log to read')
    .option('--to <log>', 'the log to append to; topics that it lacks are created')
    .addOption(new Option('--topic <name>', 'only this topic; may be repeated').argParser(repeatable))
    .option('--since <time>', 'records from this time on')
    .option('--until <time>', 'records before this time')
    .addOption(
      new Option('--domain <name>', 'only what is about problems of this domain; may be repeated').argParser(
        repeatable,
      ),
    )
    .option('--derived', 'allow topics whose events name offsets of the source')
    .option('--done', 'what generator and executor had done at the source counts as done at the target')
    .addHelpText(
      'after',
      `${AFTER_HELP}${examples([
        ['seam replay copy --to kafka://localhost:9092', 'the configured log into a cluster'],
        ['seam replay copy --from kafka://k1:9092,k2:9092 --to lmdb:copy/log', 'a cluster into a folder'],
        ['seam replay copy --to lmdb:march/log --since 2030-03-01 --until 2030-04-01', 'one month'],
        ['seam replay copy --to lmdb:sums/log --domain sums --topic outcomes', 'the outcomes of one domain'],
        ['seam replay copy --to kafka://localhost:9092 --done', 'without doing the work again'],
      ])}`,
    )
    .action((options: CopyCommandOptions) => run((runtime) => copyLogs(runtime, options)));
}
