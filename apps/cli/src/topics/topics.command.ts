/** Whether the topics of a Kafka cluster are as the file says, and making them so without losing a record. */

import { fileURLToPath } from 'node:url';
import type { TopicDifference, WantedTopic } from '@seamstream/event-log-kafka';
import { plural } from '@seamstream/kernel';
import { Command } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { parseTopicFile } from './topic-file.js';

interface TopicsOptions {
  /** The shipped one when absent. */
  readonly file?: string;
}

export const DEFAULT_TOPIC_FILE = new URL('../../../../infra/kafka/topics.json', import.meta.url);

function lineOf({ topic, what, setting, existing, wanted, refused }: TopicDifference): string {
  const change = what === 'topic' ? `make it: ${wanted}` : `${setting ?? what}: ${existing ?? 'nothing'} → ${wanted}`;
  return `${topic}  ${change}${refused === null ? '' : `  (left alone: ${refused})`}\n`;
}

async function wantedOf(
  runtime: CommandRuntime,
  { file = fileURLToPath(DEFAULT_TOPIC_FILE) }: TopicsOptions,
): Promise<readonly WantedTopic[]> {
  return parseTopicFile(file, await runtime.readInput(file));
}

/** How many partitions a topic has is its operator's choice; the shipped file says it only of topics that are to be made. */
function chosen({ file }: TopicsOptions, differences: readonly TopicDifference[]): readonly TopicDifference[] {
  return file === undefined ? differences.filter(({ what }) => what !== 'partitions') : differences;
}

async function diffTopics(runtime: CommandRuntime, options: TopicsOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const wanted = await wantedOf(runtime, options);
  const differences = chosen(options, await (await runtime.openTopics()).compareTopics(wanted));
  if (terminal.json) terminal.printJson({ differences });
  else if (differences.length === 0) terminal.print(`${plural(wanted.length, 'topic')} as wanted\n`);
  else for (const difference of differences) terminal.print(lineOf(difference));
  return differences.length === 0 ? EXIT.ok : EXIT.failedCheck;
}

async function applyTopics(runtime: CommandRuntime, options: TopicsOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const wanted = await wantedOf(runtime, options);
  const differences = chosen(options, await (await runtime.openTopics()).applyTopics(wanted));
  const applied = differences.filter(({ refused }) => refused === null);
  const left = differences.filter(({ refused }) => refused !== null);
  if (terminal.json) terminal.printJson({ applied, left });
  else if (differences.length === 0) terminal.print(`${plural(wanted.length, 'topic')} as wanted already\n`);
  else for (const difference of differences) terminal.print(lineOf(difference));
  return left.length === 0 ? EXIT.ok : EXIT.failedCheck;
}

export function topicsCommand(run: RunCommand): Command {
  const withFile = (command: Command): Command =>
    command.option(
      '--file <path>',
      'the wanted topics, also how many partitions they have (default: the shipped file)',
    );
  return new Command('topics')
    .summary('topics of a Kafka cluster: compare them with infra/kafka/topics.json, make them so')
    .addHelpText(
      'after',
      examples([
        ['seam topics diff', 'what differs; exits 1 if anything does'],
        ['seam topics apply', 'make missing topics and set their settings'],
      ]),
    )
    .addCommand(
      withFile(new Command('diff'))
        .summary('what differs between the file and the cluster')
        .description(
          'Compares partitions, copies and the named settings of each topic of the file with the cluster of\n' +
            'SEAM_EVENT_LOG_KAFKA_BROKERS. Changes nothing. Exits 1 when something differs. Without --file a topic may have any\n' +
            'number of partitions.',
        )
        .action((options: TopicsOptions) => run((runtime) => diffTopics(runtime, options))),
    )
    .addCommand(
      withFile(new Command('apply'))
        .summary('makes the cluster as the file says, as far as nothing is lost')
        .description(
          'Makes missing topics and sets the named settings. Deletes nothing: another number of partitions, shorter\n' +
            'retention or another cleanup policy are said and left to a person; then it exits 1.',
        )
        .action((options: TopicsOptions) => run((runtime) => applyTopics(runtime, options))),
    );
}
