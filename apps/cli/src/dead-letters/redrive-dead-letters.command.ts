import {
  type DeadLetterFilter,
  planRedrive,
  readDeadLetters,
  readRedriven,
  selectLetters,
} from '@seamstream/operations/dead-letters';
import { Command } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { resolveTopic } from '../tail/topic-name.js';
import { renderRedrive } from './render-letters.js';

interface RedriveOptions extends DeadLetterFilter {
  readonly dryRun?: true;
}

/** Records appended in one transaction. */
const APPEND_RECORDS = 500;

/** Appends the original records of the selected letters to their topics, each once however often this is called. */
async function redriveDeadLetters(runtime: CommandRuntime, options: RedriveOptions): Promise<ExitCode> {
  const { terminal, signal } = runtime;
  const dryRun = options.dryRun === true;
  const log = await runtime.openLog(dryRun ? 'read' : 'append');
  const topics = (await log.topics()).map(({ name }) => name);
  const topic = options.topic === undefined ? undefined : resolveTopic(options.topic, topics);
  const { letters } = await readDeadLetters(log);
  const selected = selectLetters(letters, { ...options, topic });
  const plan = planRedrive(selected, await readRedriven(log, selected), new Set(topics));
  let appended = 0;
  if (!dryRun) {
    const progress = terminal.progress('redriving', plan.records.length);
    try {
      while (appended < plan.records.length && !signal.aborted) {
        const step = plan.records.slice(appended, appended + APPEND_RECORDS);
        await log.append(step);
        appended += step.length;
        progress.advance(step.length);
      }
    } finally {
      progress.stop();
    }
  }
  const { records, ...counts } = plan;
  if (terminal.json)
    terminal.printJson({ selected: selected.length, toRedrive: records.length, redriven: appended, ...counts, dryRun });
  else terminal.print(renderRedrive(plan, appended, dryRun));
  return !dryRun && appended < records.length ? EXIT.interrupted : EXIT.ok;
}

export function redriveDeadLettersCommand(run: RunCommand): Command {
  return new Command('redrive')
    .summary('give dead records to their consumers once more')
    .description(
      'Appends the original key, bytes and headers of each dead letter to the topic and partition they came from, marked\n' +
        'with the header "seam-redrive-of". A record is redriven once: a second run changes nothing. A redriven record that\n' +
        'fails again is a new dead letter, which can be redriven in turn. It acts at once; --dry-run only says what it would do.',
    )
    .option('--code <code>', 'this code only, e.g. UNKNOWN_SCHEMA')
    .option('--topic <topic>', 'records of this topic only')
    .option('--limit <n>', 'the first n letters only', wholeNumber('--limit', 1))
    .option('--dry-run', 'record nothing')
    .addHelpText(
      'after',
      examples([
        ['seam dead-letters redrive --dry-run', 'what would happen'],
        ['seam dead-letters redrive --code UNKNOWN_SCHEMA', 'after an upgrade that knows the schema'],
      ]),
    )
    .action((options: RedriveOptions) => run((runtime) => redriveDeadLetters(runtime, options)));
}
