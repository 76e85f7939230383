import { Command } from 'commander';
import { examples } from '../command-options.js';
import type { RunCommand } from '../command-runtime.js';
import { cacheEditsCommand } from './cache-edits.command.js';
import { generateEditsCommand } from './generate-edits.command.js';
import { exportEditsCommand, inspectEditsCommand } from './inspect-edits.command.js';
import { previewEditsCommand } from './preview-edits.command.js';
import { trainEditsCommand } from './train-edits.command.js';
import { triedEditsCommand } from './tried-edits.command.js';

export function editsCommand(run: RunCommand): Command {
  return new Command('edits')
    .summary('self-edits: what a model writes from a passage to be trained on')
    .addHelpText(
      'after',
      examples([
        ['seam edits preview dev-v1.1.json', 'what a writer would be asked'],
        ['seam edits generate dev-v1.1.json --out edits.jsonl', 'a data set of them'],
        ['seam edits train edits.jsonl --to learned', 'weights that know them'],
      ]),
    )
    .addCommand(previewEditsCommand(run))
    .addCommand(generateEditsCommand(run))
    .addCommand(inspectEditsCommand(run))
    .addCommand(exportEditsCommand(run))
    .addCommand(trainEditsCommand(run))
    .addCommand(triedEditsCommand(run))
    .addCommand(cacheEditsCommand(run));
}
