import { count, plural } from '@seamstream/kernel';
import { exportDocuments, inspectEdits } from '@seamstream/operations/edits';
import { Command } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { forceOption } from '../evaluate/asking-options.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { renderEdits } from './render-generation.js';

async function inspect(runtime: CommandRuntime, path: string, options: { readonly row?: number }): Promise<ExitCode> {
  const { terminal } = runtime;
  const inspection = await inspectEdits(runtime, path, options);
  if (terminal.json) terminal.printJson(inspection);
  else terminal.print(renderEdits(inspection, terminal.style));
  return EXIT.ok;
}

async function exportTo(
  runtime: CommandRuntime,
  path: string,
  options: { readonly out: string; readonly force?: true },
): Promise<ExitCode> {
  const { terminal } = runtime;
  const { documents, passages } = await exportDocuments(runtime, path, options);
  if (terminal.json) terminal.printJson({ file: options.out, documents, passages });
  else terminal.remark(`${plural(documents, 'document')} of ${count(passages)} passages, written to ${options.out}.`);
  return EXIT.ok;
}

export function inspectEditsCommand(run: RunCommand): Command {
  return new Command('inspect')
    .summary('counts a data set with edits, and shows the edits of a row')
    .argument('<file>', 'what "seam edits generate" wrote, or its part')
    .option('--row <number>', 'show the edits of this row', wholeNumber('--row', 1))
    .addHelpText('after', examples([['seam edits inspect edits.jsonl --row 3', 'counts, and what row 3 became']]))
    .action((file: string, options: { readonly row?: number }) => run((runtime) => inspect(runtime, file, options)));
}

export function exportEditsCommand(run: RunCommand): Command {
  return new Command('export')
    .summary('the documents of a data set with edits, for any trainer')
    .description('Writes {"text": "…"} per document, as JSON Lines: what the filters kept, and each passage once.')
    .argument('<file>', 'what "seam edits generate" wrote')
    .requiredOption('--out <file>', 'where the documents are written; "-" is standard output')
    .addOption(forceOption())
    .addHelpText('after', examples([['seam edits export edits.jsonl --out documents.jsonl', 'text to train on']]))
    .action((file: string, options: { readonly out: string; readonly force?: true }) =>
      run((runtime) => exportTo(runtime, file, options)),
    );
}
