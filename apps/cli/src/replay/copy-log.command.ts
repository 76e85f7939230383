import { count, onOneLine, plural } from '@seamstream/kernel';
import { COPIES_TOPIC, type Copied, type CopyRequest, copyBetween, SOURCE_TOPICS } from '@seamstream/operations/copy';
import { Command, Option } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { NO_PROGRESS, type Progress } from '../terminal/progress.js';
import type { Style } from '../terminal/style.js';
import { renderTable } from '../terminal/table.js';

async function copyLogs(runtime: CommandRuntime, request: CopyRequest): Promise<ExitCode> {
  const { terminal, signal } = runtime;
  let progress: Progress = NO_PROGRESS;
  const observer = {
    planned: (records: number) => {
      progress.stop();
      progress = terminal.progress('copying', records);
    },
    looked: (records: number) => progress.advance(records),
    waits: () => terminal.remark('Another copy into this log is at work; this one continues when that has ended.'),
  };
  try {
    const copied = await copyBetween(runtime, request, { signal, observer });
    progress.stop();
    if (terminal.json) terminal.printJson(copied);
    else terminal.print(renderCopies(copied, terminal.style));
    return EXIT.ok;
  } catch (error) {
    if (signal.aborted) terminal.remark('The same command resumes where this one stopped; nothing is copied twice.');
    throw error;
  } finally {
    progress.stop();
  }
}

function renderCopies({ from, to, topics: reports, done: marked }: Copied, style: Style): string {
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
The progress of a copy is in the target (topic ${COPIES_TOPIC}), committed together with the records: stopped at any place,
even by kill -9, the same command resumes, and no record is copied twice, also when the filters change in between.
Copied back, a record is not appended to the log that it came from.

What services at the target do: the buffer folds copied outcomes, the trainer learns from them. The generator takes copied
problems for new and writes experiences again; their ids are those of the copied ones, so nothing is counted twice, but the
work is in vain. --done saves it: give it while no generator and no executor runs at the target.
`;

export function copyLogCommand(run: RunCommand): Command {
  return new Command('copy')
    .summary('move a log into another one, from folder to Kafka or back; resumes where it stopped')
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
    .action((options: CopyRequest) => run((runtime) => copyLogs(runtime, options)));
}
