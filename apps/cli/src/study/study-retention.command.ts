import { datasetForms } from '@seamstream/datasets';
import { RETENTION_ARMS, type RetentionArm } from '@seamstream/evaluation';
import { SeamError } from '@seamstream/kernel';
import { type RetentionRequest, studyRetentionOf } from '@seamstream/operations/evaluate';
import { Command, InvalidArgumentError, Option } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import { type CommandRuntime, type RunCommand, STANDARD_STREAM } from '../command-runtime.js';
import { forceOption } from '../evaluate/asking-options.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { stageProgress } from '../terminal/progress.js';
import { parseSeeds } from './parse-seeds.js';
import { renderRetention, renderRetentionPage } from './render-retention.js';

async function study(runtime: CommandRuntime, path: string, request: RetentionRequest): Promise<ExitCode> {
  const { terminal } = runtime;
  const { report, scores, force: replace } = request;
  if (report === STANDARD_STREAM || scores === STANDARD_STREAM)
    throw new SeamError(
      'INVALID_INPUT',
      'Cannot write --report and --scores to "-": expected files, got standard output, which has the table. Name files.',
    );
  const bars = stageProgress(terminal);
  try {
    const result = await studyRetentionOf(runtime, path, request, bars.show);
    bars.stop();
    if (terminal.json) terminal.printJson(result);
    else terminal.print(renderRetention(result, terminal.style));
    if (report !== undefined) await runtime.writeOutput(report, Buffer.from(renderRetentionPage(result)), { replace });
    return EXIT.ok;
  } finally {
    bars.stop();
  }
}

function parseArms(text: string): RetentionArm[] {
  const names = text.split(',').map((name) => name.trim());
  const arms = RETENTION_ARMS.filter((arm) => names.includes(arm));
  if (arms.length === names.length) return arms;
  throw new InvalidArgumentError(
    `Cannot read --arms: expected names of ${RETENTION_ARMS.join(', ')}, each once, got "${text}".`,
  );
}

function parseCost(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError(`Cannot read --most-cost: expected a number from 0 to 1, got "${text}".`);
}

export function studyRetentionCommand(run: RunCommand): Command {
  return new Command('retention')
    .summary('edits merged one after the other: what is kept of each')
    .description(
      'Trains the executor on the passages of a file one after the other, each training beginning where the last one ended, and asks the questions\n' +
        'about every passage so far after each. It is compared with remedies: earlier edits learned again, a gate that refuses a merge that costs too\n' +
        'much, and all edits in one training. Nothing is recorded, and the model stays as it is. With a gate, the first question of a passage with\n' +
        'several decides and is not measured. SEAM_EXECUTOR_INNER_UPDATE_… says how it is trained.',
    )
    .argument('<file>', 'passages with questions')
    .addOption(
      new Option('--dataset <name>', 'what the rows look like; without it the first row decides').choices([
        ...datasetForms.keys(),
      ]),
    )
    .option(
      '--edits <file>',
      'edits of these passages, as seam edits generate writes them (default: the passage alone)',
    )
    .option('--limit <n>', 'passages of a sequence: the first n', wholeNumber('--limit', 2), 8)
    .option('--arms <names>', `comma-separated: ${RETENTION_ARMS.join(', ')}`, parseArms, [...RETENTION_ARMS])
    .option('--seeds <words>', 'one sequence for each, in a different order', parseSeeds, ['1'])
    .option('--replayed <n>', 'arm replay: earlier passages that are learned again', wholeNumber('--replayed', 1), 2)
    .option('--most-cost <share>', 'arm gate: an edit may cost what was learned before so much', parseCost, 0.1)
    .addOption(new Option('--measure <name>', 'of an answer').choices(['exactMatch', 'f1']).default('exactMatch'))
    .option('--scores <file.jsonl>', 'the scores after every edit; an interrupted study resumes from FILE.….part')
    .option('--report <file.html>', 'writes the study as a page, too')
    .addOption(forceOption())
    .addHelpText(
      'after',
      examples([
        ['seam study retention passages.json --scores scores.jsonl', 'eight passages, every arm'],
        ['seam study retention passages.json --seeds 1,2,3 --report retention.html', 'three sequences'],
        ['seam study retention passages.json --edits edits.jsonl --arms plain,replay', 'of edits that were written'],
      ]),
    )
    .action((path: string, options: RetentionRequest) => run((runtime) => study(runtime, path, options)));
}
