import { Command } from 'commander';
import { examples } from '../command-options.js';
import type { RunCommand } from '../command-runtime.js';
import { listDeadLettersCommand } from './list-dead-letters.command.js';
import { redriveDeadLettersCommand } from './redrive-dead-letters.command.js';

export function deadLettersCommand(run: RunCommand): Command {
  return new Command('dead-letters')
    .summary('records that could not be used: list them, give them back')
    .addHelpText(
      'after',
      examples([
        ['seam dead-letters list', 'what could not be used, and why'],
        ['seam dead-letters redrive --by ada --reason mended', 'give them to their consumers once more'],
      ]),
    )
    .addCommand(listDeadLettersCommand(run))
    .addCommand(redriveDeadLettersCommand(run));
}
