/** Whether the topics of a Kafka cluster are as the file says, and making them so without losing a record. */

import type { TopicDifference } from '@seamstream/event-log-kafka';
import { plural } from '@seamstream/kernel';
import { applyTopics, compareTopics } from '@seamstream/operations/cluster';
import { Command } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';

interface TopicsOptions {
  /** The shipped one when absent. */
  readonly file?: string;
}

function lineOf({ topic, what, setting, existing, wanted, refused }: TopicDifference): string {
  const change = what === 'topic' ? `make it: ${wanted}` : `${setting ?? what}: ${existing ?? 'nothing'} → ${wanted}`;
  return `${topic}  ${change}${refused === null ? '' : `  (left alone: ${refused})`}\n`;
}

async function diff(runtime: CommandRuntime, options: TopicsOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const { wanted, differences } = await compareTopics(runtime, options.file);
  if (terminal.json) terminal.printJson({ differences });
  else if (differences.length === 0) terminal.print(`${plural(wanted, 'topic')} as wanted\n`);
  else for (const difference of differences) terminal.print(lineOf(difference));
  return differences.length === 0 ? EXIT.ok : EXIT.failedCheck;
}

async function apply(runtime: CommandRuntime, options: TopicsOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const { wanted, applied, left } = await applyTopics(runtime, options.file);
  if (terminal.json) terminal.printJson({ applied, left });
  else if (applied.length + left.length === 0) terminal.print(`${plural(wanted, 'topic')} as wanted already\n`);
  else for (const difference of [...applied, ...left]) terminal.print(lineOf(difference));
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
        .action((options: TopicsOptions) => run((runtime) => diff(runtime, options))),
    )
    .addCommand(
      withFile(new Command('apply'))
        .summary('makes the cluster as the file says, as far as nothing is lost')
        .description(
          'Makes missing topics and sets the named settings. Deletes nothing: another number of partitions, shorter\n' +
            'retention or another cleanup policy are said and left to a person; then it exits 1.',
        )
        .action((options: TopicsOptions) => run((runtime) => apply(runtime, options))),
    );
}
