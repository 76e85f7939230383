import { datasetForms } from '@seamstream/datasets';
import { type PreviewRequest, previewEdits } from '@seamstream/operations/edits';
import { SELF_EDIT_KINDS } from '@seamstream/self-edits';
import { Command, Option } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { renderPreview } from './render-preview.js';

async function previewPassages(runtime: CommandRuntime, path: string, request: PreviewRequest): Promise<ExitCode> {
  const { terminal } = runtime;
  const preview = await previewEdits(runtime, path, request);
  if (terminal.json) terminal.printJson(preview);
  else terminal.print(renderPreview(preview, terminal.style));
  return EXIT.ok;
}

export function previewEditsCommand(run: RunCommand): Command {
  return new Command('preview')
    .summary('what a writer is asked about passages, and what an edit becomes')
    .description(
      'Shows the prompt of each of the first passages of FILE and, with --edit, the documents that would be trained on and\n' +
        'what the filters say. Asks no model and records nothing.',
    )
    .argument('<file>', 'passages: JSON Lines, Parquet, or SQuAD as published')
    .option('--kind <name>', `kind of self-edit: ${SELF_EDIT_KINDS.join(', ')}`, 'implications')
    .addOption(new Option('--template <path>', 'a JSON file or folder with a kind of your own').conflicts('kind'))
    .addOption(
      new Option('--dataset <name>', 'what the rows look like; without it the first row decides').choices([
        ...datasetForms.keys(),
      ]),
    )
    .addOption(new Option('--row <number>', 'this row alone').argParser(wholeNumber('--row', 1)))
    .addOption(new Option('--limit <number>', 'most passages').argParser(wholeNumber('--limit', 1)).default(3))
    .option('--edit <file>', 'the text of an edit about the first passage shown; "-" is standard input')
    .option('--tokenizer <file>', 'tokenizer.json of the model that is trained; without it tokens are estimated')
    .addHelpText(
      'after',
      examples([
        ['seam edits preview dev-v1.1.json --limit 1', 'the prompt for the first paragraph'],
        ['seam edits preview dev-v1.1.json --kind rewrite --edit edit.txt', 'its documents, and what the filters say'],
        ['seam edits preview passages.jsonl --template my-kind.json --json', 'a kind of your own, for a script'],
      ]),
    )
    .action((file: string, options: PreviewRequest) => run((runtime) => previewPassages(runtime, file, options)));
}
