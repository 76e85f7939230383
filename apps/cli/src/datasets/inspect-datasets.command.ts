import { type InspectRequest, inspectFiles } from '@seamstream/operations/publish';
import { Command } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { datasetsHelp, withDatasetOptions } from '../publish/dataset-options.js';
import { similarityOption } from '../publish/similarity-option.js';
import { renderInspection } from './render-inspection.js';

/** Says what is in the files. A file of bad rows alone is bad input, once all has been said. */
async function inspectDatasets(
  runtime: CommandRuntime,
  paths: readonly string[],
  request: InspectRequest,
): Promise<ExitCode> {
  const { terminal } = runtime;
  const progress = terminal.progress('reading', paths.length);
  try {
    const inspection = await inspectFiles(runtime, paths, request, () => progress.advance(1));
    progress.stop();
    if (terminal.json) terminal.printJson({ files: inspection.reports });
    else terminal.print(renderInspection(inspection, terminal.style));
    for (const reason of inspection.unusable) terminal.remark(reason);
    return inspection.unusable.length === 0 ? EXIT.ok : EXIT.badInput;
  } finally {
    progress.stop();
  }
}

function inspectDatasetsCommand(run: RunCommand): Command {
  return withDatasetOptions(
    new Command('inspect')
      .summary('counts, domains, forms of answers, duplicates within and across files')
      .description(
        'Reads each FILE as its first row suggests, or as --dataset or --columns say, and reports what is in it and which\n' +
          'questions are in it twice or in another FILE too: the same after normalisation, or nearly the same. Records nothing.\n' +
          'Bad rows are reported; a FILE without a single good one is bad input (exit code 2).',
      )
      .argument('<files...>', 'JSON Lines or Parquet'),
  )
    .addOption(similarityOption())
    .addHelpText(
      'after',
      `${datasetsHelp()}${examples([
        ['seam datasets inspect train.jsonl test.jsonl', 'is anything of the test in the training set?'],
        ['seam datasets inspect --columns prompt=q,reference=a any.parquet --json', 'for a script'],
      ])}`,
    )
    .action((files: string[], options: InspectRequest) => run((runtime) => inspectDatasets(runtime, files, options)));
}

export function datasetsCommand(run: RunCommand): Command {
  return new Command('datasets')
    .summary('look into files of problems')
    .addHelpText('after', examples([['seam datasets inspect train.jsonl test.jsonl', 'what is in them, and in both']]))
    .addCommand(inspectDatasetsCommand(run));
}
