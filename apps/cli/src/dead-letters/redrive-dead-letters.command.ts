import { SeamError } from '@seamstream/kernel';
import {
  type DeadLetterFilter,
  planRedriveOf,
  type RedriveOrder,
  redriveDeadLetters,
} from '@seamstream/operations/dead-letters';
import { Command } from 'commander';
import { byOption, checkWords, examples, personOf, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { renderRedrive } from './render-letters.js';

interface RedriveOptions extends DeadLetterFilter {
  readonly dryRun?: true;
  readonly by?: string;
  readonly reason?: string;
}

/** Appends the original records of the selected letters to their topics, each once however often this is called. */
async function redrive(runtime: CommandRuntime, options: RedriveOptions): Promise<ExitCode> {
  const { terminal, signal, clock } = runtime;
  const { by, reason, ...filter } = options;
  const dryRun = options.dryRun === true;
  const order = dryRun ? undefined : await orderOf(runtime, by, reason);
  const log = await runtime.openLog(dryRun ? 'read' : 'append');
  const { selected, plan } = await planRedriveOf(log, filter);
  let appended = 0;
  if (order !== undefined) {
    const progress = terminal.progress('redriving', plan.records.length);
    try {
      for await (const step of redriveDeadLetters(log, plan, order, clock, signal)) {
        appended += step;
        progress.advance(step);
      }
    } finally {
      progress.stop();
    }
  }
  const { records, ...counts } = plan;
  if (terminal.json) terminal.printJson({ selected, toRedrive: records.length, redriven: appended, ...counts, dryRun });
  else terminal.print(renderRedrive(plan, appended, dryRun));
  return !dryRun && appended < records.length ? EXIT.interrupted : EXIT.ok;
}

/** @throws INVALID_INPUT */
async function orderOf(
  runtime: CommandRuntime,
  named: string | undefined,
  reason: string | undefined,
): Promise<RedriveOrder> {
  if (reason === undefined)
    throw new SeamError('INVALID_INPUT', 'Cannot redrive: expected --reason, got none. Say why; --dry-run needs none.');
  const by = await personOf(runtime, named);
  checkWords('--reason', reason);
  return { by, reason };
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
    .addOption(byOption('who does it'))
    .option('--reason <text>', 'why; needed without --dry-run')
    .addHelpText(
      'after',
      examples([
        ['seam dead-letters redrive --dry-run', 'what would happen'],
        ['seam dead-letters redrive --code UNKNOWN_SCHEMA --by ada --reason "upgraded"', 'the schema is known now'],
      ]),
    )
    .action((options: RedriveOptions) => run((runtime) => redrive(runtime, options)));
}
