import { plural } from '@seamstream/kernel';
import {
  countByCode,
  type DeadLetterFilter,
  placeOf,
  readDeadLetters,
  readRedriven,
  selectLetters,
} from '@seamstream/operations/dead-letters';
import { resolveTopic } from '@seamstream/operations/tail';
import { Command } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { renderLetters } from './render-letters.js';

async function listDeadLetters(runtime: CommandRuntime, filter: DeadLetterFilter): Promise<ExitCode> {
  const { terminal } = runtime;
  const log = await runtime.openLog('read');
  const topics = (await log.topics()).map(({ name }) => name);
  const topic = filter.topic === undefined ? undefined : resolveTopic(filter.topic, topics);
  const { letters, unreadable } = await readDeadLetters(log);
  const selected = selectLetters(letters, { ...filter, topic });
  const redriven = await readRedriven(log, selected);
  if (terminal.json) {
    terminal.printJson({
      deadLetters: selected.map((letter) => ({ ...letter, redriven: redriven.has(placeOf(letter)) })),
      byCode: Object.fromEntries(countByCode(selected)),
      unreadable,
    });
  } else {
    terminal.print(renderLetters(selected, redriven, terminal.style));
  }
  if (unreadable > 0) {
    terminal.remark(
      `${plural(unreadable, 'record')} of the topic could not be read; "seam tail dead-letters" shows them.`,
    );
  }
  return EXIT.ok;
}

export function listDeadLettersCommand(run: RunCommand): Command {
  return new Command('list')
    .summary('what could not be used, and why')
    .description('Lists the dead letters, oldest first: the record, who gave up on it, the code and the reason.')
    .option('--code <code>', 'this code only, e.g. MALFORMED_RECORD')
    .option('--topic <topic>', 'records of this topic only')
    .option('--limit <n>', 'the first n only', wholeNumber('--limit', 1))
    .addHelpText(
      'after',
      examples([
        ['seam dead-letters list', 'all'],
        ['seam dead-letters list --code UNKNOWN_SCHEMA --json', 'one kind, with their bytes as base64'],
      ]),
    )
    .action((filter: DeadLetterFilter) => run((runtime) => listDeadLetters(runtime, filter)));
}
