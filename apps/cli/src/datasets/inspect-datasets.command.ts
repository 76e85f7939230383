import { QuestionIndex } from '@seamstream/datasets';
import { checkFile, type DatasetFile, openDataset } from '@seamstream/operations/publish';
import { Command } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type DatasetOptions, datasetsHelp, settingsFor, withDatasetOptions } from '../publish/dataset-options.js';
import { similarityOption } from '../publish/similarity-option.js';
import { type FileReport, renderInspection, reportOf, Tally, unusability } from './file-report.js';

interface InspectOptions extends DatasetOptions {
  readonly similarity: number;
}

/**
 * Reads the files and says what is in them. Bad rows are reported, not refused: to look is how they are found. A file of nothing
 * else is bad input, once all has been said.
 */
async function inspectDatasets(
  runtime: CommandRuntime,
  paths: readonly string[],
  options: InspectOptions,
): Promise<ExitCode> {
  const { terminal } = runtime;
  const index = new QuestionIndex({ threshold: options.similarity });
  const files: DatasetFile[] = [];
  const tallies: Tally[] = [];
  const progress = terminal.progress('reading', paths.length);
  try {
    for (const [at, path] of paths.entries()) {
      const file = await openDataset(runtime, path);
      const settings = await settingsFor(file, options);
      const tally = new Tally(settings.form);
      const check = await checkFile(file, settings, (problem) => {
        tally.add(problem);
        index.add(at, problem.row, problem.prompt, problem.reference);
      });
      tally.finish(check);
      files.push(file);
      tallies.push(tally);
      progress.advance(1);
    }
  } finally {
    progress.stop();
  }
  const reports = files.map((file, at): FileReport => reportOf(at, file, tallies[at]!, files, index));
  if (terminal.json) terminal.printJson({ files: reports });
  else terminal.print(renderInspection(reports, files, terminal.style));
  const unusable = reports.flatMap((report, at) => unusability(report, files[at]!) ?? []);
  for (const reason of unusable) terminal.remark(reason);
  return unusable.length === 0 ? EXIT.ok : EXIT.badInput;
}

function inspectDatasetsCommand(run: RunCommand): Command {
  return withDatasetOptions(
    new Command('inspect')
      .summary('counts, domains, forms of answers, duplicates within and across files')
      .description(
        'Reads each FILE as its first row suggests, or as --dataset or --columns say, and reports what is in it and which\n' +
          'questions stand in it twice or in another FILE too: the same after normalisation, or nearly the same. Records nothing.\n' +
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
    .action((files: string[], options: InspectOptions) => run((runtime) => inspectDatasets(runtime, files, options)));
}

export function datasetsCommand(run: RunCommand): Command {
  return new Command('datasets')
    .summary('look into files of problems')
    .addHelpText('after', examples([['seam datasets inspect train.jsonl test.jsonl', 'what is in them, and in both']]))
    .addCommand(inspectDatasetsCommand(run));
}
