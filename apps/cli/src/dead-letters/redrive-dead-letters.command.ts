import { type DeadLetterFilter, planRedriveOf, redriveDeadLetters } from '@seamstream/operations/dead-letters';
import { Command } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { renderRedrive } from './render-letters.js';

interface RedriveOptions extends DeadLetterFilter {
  readonly dryRun?: true;
}

/** Appends the original records of the selected letters to their topics, each once however often this is called. */
async function redrive(runtime: CommandRuntime, options: RedriveOptions): Promise<ExitCode> {
  const { terminal, signal } = runtime;
  const dryRun = options.dryRun === true;
  const log = await runtime.openLog(dryRun ? 'read' : 'append');
  const { selected, plan } = await planRedriveOf(log, options);
  let appended = 0;
  if (!dryRun) {
    const progress = terminal.progress('redriving', plan.records.length);
    try {
      for await (const step of redriveDeadLetters(log, plan, signal)) {
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
    .action((options: RedriveOptions) => run((runtime) => redrive(runtime, options)));
}
