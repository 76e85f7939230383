/** What a run of self-edits will take, from a short measured one. */
import { datasetForms } from '@seamstream/datasets';
import { count, plural } from '@seamstream/kernel';
import { COST_PHASES, type CostPhase, type CostRequest, costOf, type EstimatedCost } from '@seamstream/operations/cost';
import { SELF_EDIT_KINDS } from '@seamstream/self-edits';
import { Command, Option } from 'commander';
import { examples, positiveNumber, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { readingOf } from '../read-models/read-model-options.js';
import { stageProgress } from '../terminal/progress.js';
import type { Style } from '../terminal/style.js';
import { renderTable } from '../terminal/table.js';
import { percent } from '../terminal/text.js';
import { duration } from './duration.js';
import { libraryCostCommand } from './library-cost.command.js';
import { pricesCommand, spentCommand } from './spent-cost.command.js';

const UNITS: Readonly<Record<CostPhase, string>> = {
  training: 'tokens trained',
  answering: 'questions',
  writing: 'tokens written',
  learning: 'tokens trained',
};

async function estimate(runtime: CommandRuntime, path: string, options: EstimateOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const bars = stageProgress(terminal);
  try {
    const onProgress = (done: number, total: number): void => bars.show('passages measured', done, total);
    const nowMs = (): number => performance.now();
    const { limit = Number.POSITIVE_INFINITY, pricePerHour = null } = options;
    const reading = readingOf(runtime);
    const cost = await costOf(runtime, path, { ...options, limit, pricePerHour }, { nowMs, reading, onProgress });
    bars.stop();
    if (terminal.json) terminal.printJson(cost);
    else terminal.print(renderCost(cost, options, terminal.style));
    return EXIT.ok;
  } finally {
    bars.stop();
  }
}

type EstimateOptions = Omit<CostRequest, 'limit' | 'pricePerHour'> & {
  readonly limit?: number;
  readonly pricePerHour?: number;
};

function renderCost(cost: EstimatedCost, request: EstimateOptions, style: Style): string {
  const { phases, seconds, interval95, error, money, speed, passages, trainingsPerEdit, calibrated, verified } = cost;
  const rows = COST_PHASES.map((phase) => [
    phase,
    `${count(Math.round(phases[phase].units))} ${UNITS[phase]}`,
    speed[phase] === null ? '–' : speed[phase].toFixed(1),
    duration(phases[phase].seconds),
  ]);
  const [low, high] = interval95.map(duration);
  const titles = [
    { title: 'PHASE' },
    { title: 'WORK' },
    { title: 'PER SECOND HERE', align: 'right' as const },
    { title: 'TIME' },
  ];
  return [
    renderTable(titles, rows, style),
    `\n${plural(passages, 'passage')}, ${plural(request.editsPerPassage, 'edit')} each, ${plural(trainingsPerEdit, 'training')} an edit, ${plural(request.iterations, 'iteration')}: ${duration(seconds)} (95 %: ${low} … ${high}, ± ${percent(error)}).\n`,
    money === null
      ? ''
      : `At this price: ${money.toFixed(2)} (${(money * (1 - Math.min(1, error))).toFixed(2)} … ${(money * (1 + error)).toFixed(2)}).\n`,
    `${learningSentence(cost, request)}\n`,
    `Measured on ${plural(calibrated.passages, 'passage')} in ${duration(calibrated.seconds)}.\n`,
    verified === null
      ? ''
      : `Of ${plural(verified.passages, 'further passage')} it estimates ${duration(verified.estimated)}; they took ${duration(verified.measured)} (${verified.error > 0 ? '+' : ''}${percent(verified.error)}).\n`,
  ].join('');
}

/** What of a self-training besides exploring is in the time. */
function learningSentence(
  { phases, promotionSeconds }: EstimatedCost,
  { keptPerPassage, writerEpochs, validationPassages }: EstimateOptions,
): string {
  const learns =
    phases.learning.units === 0
      ? 'The writer does not learn'
      : `The writer learns from ${plural(keptPerPassage, 'edit')} of each passage in ${plural(writerEpochs, 'epoch')}`;
  const promotes =
    validationPassages === 0
      ? 'promotions are not counted (--validation-passages)'
      : `promotions on ${plural(validationPassages, 'passage')} take ${duration(promotionSeconds)} of it`;
  return `${learns}; ${promotes}.`;
}

function estimateCommand(run: RunCommand): Command {
  return new Command('estimate')
    .summary('time, tokens and money of a run of self-edits, from a short measured one')
    .description(
      'Writes an edit about the first passages of a file, trains the executor on each, asks the questions, trains the writer on its edit, and says what\n' +
        'all passages will take, and how sure that is. The interval is that of the speed measured here: passages that differ from the first ones are not\n' +
        'in it. The generator writes (SEAM_GENERATOR_…), at most SEAM_GENERATOR_SAMPLING_MAX_TOKENS tokens; the executor (SEAM_EXECUTOR_…) is trained\n' +
        'on what it wrote. Promotions write, train on and ask about an edit of each validation passage, by the new writer and by the one before it.',
    )
    .argument('<file>', 'passages with questions')
    .addOption(
      new Option('--dataset <name>', 'what the rows look like; without it the first row decides').choices([
        ...datasetForms.keys(),
      ]),
    )
    .addOption(new Option('--kind <name>', 'of self-edit').choices(SELF_EDIT_KINDS).default('implications'))
    .addOption(new Option('--template <path>', 'a JSON file or folder with a kind of your own').conflicts('kind'))
    .option('--adapter <digest>', 'of the generator: base, served, or the first digits of a digest', 'base')
    .option('--max-tokens <n>', "most tokens of an edit (default: the generator's)", wholeNumber('--max-tokens', 1))
    .option('--limit <n>', 'passages of the run: the first n (default: all)', wholeNumber('--limit', 2))
    .option('--edits-per-passage <n>', 'that are written and tried', wholeNumber('--edits-per-passage', 1), 5)
    .option(
      '--trainings-per-edit <n>',
      'seeds: each edit is trained on and asked about so often (default: SEAM_EXECUTOR_ROLLOUTS)',
      wholeNumber('--trainings-per-edit', 1),
    )
    .option('--iterations <n>', 'of ReST-EM', wholeNumber('--iterations', 1), 2)
    .option('--kept-per-passage <n>', 'edits that the writer learns from', wholeNumber('--kept-per-passage', 0), 1)
    .option('--writer-epochs <n>', 'of its learning; 0: it does not learn', wholeNumber('--writer-epochs', 0), 2)
    .option(
      '--validation-passages <n>',
      'on which each iteration compares the new writer with the one before it',
      wholeNumber('--validation-passages', 0),
      0,
    )
    .option('--calibrate <n>', 'passages that are measured', wholeNumber('--calibrate', 2), 3)
    .option('--verify <n>', 'further passages that are measured to check the estimate', wholeNumber('--verify', 0), 0)
    .option(
      '--speed <times>',
      'the run will be so many times as fast as this machine, all devices together',
      positiveNumber('--speed'),
      1,
    )
    .option('--price-per-hour <money>', 'of all devices', positiveNumber('--price-per-hour'))
    .addHelpText(
      'after',
      examples([
        ['seam cost estimate passages.json --iterations 2 --validation-passages 100', 'on this machine'],
        ['seam cost estimate passages.json --speed 40 --price-per-hour 2.5', 'on one that is 40 times as fast'],
        ['seam cost estimate passages.json --verify 5', 'and how far the estimate is off for five others'],
      ]),
    )
    .action((path: string, options: EstimateOptions) => run((runtime) => estimate(runtime, path, options)));
}

export function costCommand(run: RunCommand): Command {
  return new Command('cost')
    .summary('what a run will take, and what executors have cost')
    .addHelpText('after', examples([['seam cost estimate passages.json', 'time, tokens and money of self-edits']]))
    .addCommand(estimateCommand(run))
    .addCommand(libraryCostCommand(run))
    .addCommand(spentCommand(run))
    .addCommand(pricesCommand(run));
}
