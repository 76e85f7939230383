import { datasetForms } from '@seamstream/datasets';
import { SeamError } from '@seamstream/kernel';
import { type SelfEditsRequest, studySelfEditsOf } from '@seamstream/operations/evaluate';
import { ANSWER_JUDGES } from '@seamstream/verifiers';
import { Command, Option } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import { type CommandRuntime, type RunCommand, STANDARD_STREAM } from '../command-runtime.js';
import { forceOption } from '../evaluate/asking-options.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { stageProgress } from '../terminal/progress.js';
import { parseSeeds } from './parse-seeds.js';
import { renderSelfEdits, renderSelfEditsPage } from './render-self-edits.js';

async function study(runtime: CommandRuntime, path: string, request: SelfEditsRequest): Promise<ExitCode> {
  const { terminal } = runtime;
  const { report, trials, force: replace } = request;
  if (report === STANDARD_STREAM || trials === STANDARD_STREAM)
    throw new SeamError(
      'INVALID_INPUT',
      'Cannot write --report and --trials to "-": expected files, got standard output, which has the table. Name files.',
    );
  const bars = stageProgress(terminal);
  try {
    const result = await studySelfEditsOf(runtime, path, request, bars.show);
    bars.stop();
    if (terminal.json) terminal.printJson(result);
    else terminal.print(renderSelfEdits(result, terminal.style));
    if (report !== undefined) await runtime.writeOutput(report, Buffer.from(renderSelfEditsPage(result)), { replace });
    return EXIT.ok;
  } finally {
    bars.stop();
  }
}

export function studySelfEditsCommand(run: RunCommand): Command {
  return new Command('self-edits')
    .summary('what edits teach: no training, the passage alone, and edits of several writers')
    .description(
      'Trains the executor on each passage of a file in every arm, asks the questions without the passage, and forgets. The arms are no training,\n' +
        'the passage alone, the passage with as many tokens as an edit has, and the edits of each writer that is named. Nothing is recorded.\n' +
        'Several edits of a passage are tried one a seed. SEAM_EXECUTOR_INNER_UPDATE_… says how the executor is trained.\n' +
        'Where the passages have several domains, each has the same figures.',
    )
    .argument('<file>', 'passages with questions')
    .addOption(
      new Option('--dataset <name>', 'what the rows look like; without it the first row decides').choices([
        ...datasetForms.keys(),
      ]),
    )
    .addOption(
      new Option('--verifier <kind>', 'judge each answer by this, instead of what dataset or row say').choices(
        ANSWER_JUDGES,
      ),
    )
    .option('--before <file>', 'edits by the writer before its training, as seam edits generate writes them')
    .option('--after <file>', 'edits by the writer after it')
    .option('--endpoint <file>', 'edits by a model at an endpoint')
    .option('--limit <n>', 'the first n passages only', wholeNumber('--limit', 1))
    .option('--seeds <words>', 'a training each, for every passage and arm', parseSeeds, ['1'])
    .option('--trials <file.jsonl>', 'every trial as it ends; an interrupted study resumes from FILE.….part')
    .option('--report <file.html>', 'writes the study as a page, too')
    .addOption(forceOption())
    .addHelpText(
      'after',
      examples([
        ['seam study self-edits squad.json --limit 30', 'what the passages teach by themselves'],
        ['seam study self-edits squad.json --before before.jsonl --after after.jsonl', 'what ReST-EM is worth'],
        ['seam study self-edits squad.json --seeds 1,2,3 --trials trials.jsonl --report edits.html', 'it resumes'],
      ]),
    )
    .action((path: string, options: SelfEditsRequest) => run((runtime) => study(runtime, path, options)));
}
