import { settingsFor } from '@seamstream/operations/publish';
import { type RecordedTrial, type SearchResult, searchRestEm, settingsOf } from '@seamstream/operations/restem';
import { Command, InvalidArgumentError } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { withDatasetOptions } from '../publish/dataset-options.js';
import type { Style } from '../terminal/style.js';
import { type Column, renderTable } from '../terminal/table.js';
import { percent } from '../terminal/text.js';
import { stepProgress } from '../train/train-adapter.command.js';
import { configOf, type StartOptions, withRestEmOptions } from './restem-options.js';

type SearchOptions = StartOptions & {
  readonly learningRates: readonly number[];
  readonly minimumGains: readonly number[];
  readonly ranks: readonly number[];
  readonly epochs: readonly number[];
  readonly trials: number;
  readonly minutes?: number;
  readonly seed: string;
  readonly out: string;
  readonly force?: true;
};

async function search(runtime: CommandRuntime, path: string, options: SearchOptions): Promise<ExitCode> {
  const { terminal, clock, signal } = runtime;
  const { learningRates, minimumGains, ranks, epochs, trials, minutes, seed, out, force } = options;
  await runtime.checkOutput(out, { replace: force });
  const { algorithm } = await configOf(runtime, options);
  const { onStep: onTraining, stop } = stepProgress(terminal);
  try {
    const result = await searchRestEm(
      {
        ...{ clock, signal, onTraining },
        openInput: (name) => runtime.openInput(name),
        openTrainer: () => runtime.openTrainer(),
        growOutput: (name, growing) => runtime.growOutput(name, growing),
        onTrial(trial, done, total) {
          stop();
          terminal.remark(`${done} of ${total}: ${pointText(trial)}, ${cameText(trial)}`);
        },
      },
      path,
      (file) => settingsFor(file, options),
      {
        space: { learningRate: learningRates, minimumGain: minimumGains, rank: ranks, epochs },
        ...{ settings: algorithm, trials, minutes, seed, out, force },
      },
    );
    stop();
    if (terminal.json) terminal.printJson(result);
    else terminal.print(renderSearch(result, out, terminal.style));
    return result.winner === null ? EXIT.failedCheck : EXIT.ok;
  } finally {
    stop();
  }
}

function pointText({ point }: RecordedTrial): string {
  if (point === null) return 'what is served';
  const { learningRate, minimumGain, rank, epochs } = point;
  return `learning rate ${learningRate}, minimum gain ${minimumGain}, rank ${rank}, epochs ${epochs}`;
}

function cameText({ result }: RecordedTrial): string {
  if (result.status === 'refused') return `refused: ${result.reason}`;
  const judged = result.solved.filter((solved) => solved !== null);
  return `${judged.filter(Boolean).length} of ${judged.length} solved`;
}

const COLUMNS: readonly Column[] = [
  ...['RATE', 'GAIN', 'RANK', 'EPOCHS', 'KEPT'].map((title): Column => ({ title, align: 'right' })),
  { title: 'DEVELOPMENT PROBLEMS' },
];

function renderSearch(result: SearchResult, out: string, style: Style): string {
  const { trials, winner, before, problems, points, finished } = result;
  const rows = trials.map((trial) => {
    const { point, result: came } = trial;
    const setting = point === null ? ['served', '', '', ''] : Object.values(point).map(String);
    return [...setting, String(came.metrics.keptEntries ?? ''), cameText(trial)];
  });
  const range = ([low, high]: readonly [number, number]): string => `${percent(low)} to ${percent(high)}`;
  const said =
    winner === null
      ? 'No trial made a writer.\n'
      : `${style.bold('best')} ${pointText({ search: '', point: winner.point, result: trials[0]!.result })}: ${percent(winner.success.value)} (${range(winner.success.interval95)}) of ${problems}; less ${percent(before.value)} of what is served: ${percent(winner.gain.value)} (95 % interval ${range(winner.gain.interval95)}).\n` +
        'It is the best of several on these problems: measure it on others before you believe the figure.\n' +
        `Use it: ${Object.entries(flat(settingsOf(winner.point)))
          .map(([name, value]) => `--set algorithm.${name}=${value}`)
          .join(' ')}\n`;
  const rest = finished
    ? `${trials.length - 1} of ${points} points were tried; ${out} holds them.\n`
    : 'The time was over. The same command continues with the next trial.\n';
  return `${renderTable(COLUMNS, rows, style)}${said}${rest}`;
}

function flat(settings: Readonly<Record<string, unknown>>, path = ''): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null
        ? Object.entries(flat(value as Readonly<Record<string, unknown>>, `${path}${name}.`))
        : [[`${path}${name}`, String(value)]],
    ),
  );
}

/** Reader of numbers between commas. */
function numbers(option: string): (text: string) => readonly number[] {
  return (text) => {
    const values = text.split(',').map((each) => (each.trim() === '' ? Number.NaN : Number(each)));
    if (values.every(Number.isFinite)) return values;
    throw new InvalidArgumentError(`Cannot read ${option}: expected numbers between commas, got "${text}".`);
  };
}

export function searchCommand(run: RunCommand): Command {
  return withRestEmOptions(
    withDatasetOptions(
      new Command('search')
        .summary('which settings of rest-em make the best writer')
        .description(
          'Trains the writer that is served on the recorded attempts by one point of the grid after the other, in random order, and\n' +
            'measures each on the development problems of FILE, which nothing may have been trained on. Records nothing in the log. Every trial is\n' +
            'a line of --out; a search that was stopped continues by the same command. Exit code 1: no trial made a writer.',
        )
        .argument('<file>', 'development problems, as seam publish reads them'),
    ),
  )
    .requiredOption('--out <file>', 'file of the trials, as JSON Lines')
    .option('--force', 'replace the file where it is there')
    .option('--learning-rates <list>', 'of the first step', numbers('--learning-rates'), [1e-5, 3e-5, 1e-4, 3e-4])
    .option('--minimum-gains <list>', 'thresholds that a gain has to exceed', numbers('--minimum-gains'), [0, 0.1])
    .option('--ranks <list>', 'of the LoRA; alpha is twice that', numbers('--ranks'), [16, 64])
    .option('--epochs <list>', 'passes over what is kept', numbers('--epochs'), [1, 2])
    .option('--trials <n>', 'most points that are tried', wholeNumber('--trials', 1), 8)
    .option('--minutes <n>', 'begin no trial after so long', wholeNumber('--minutes', 1))
    .option('--seed <text>', 'of the order of the points', 'seamstream')
    .addHelpText(
      'after',
      examples([
        ['seam restem search development.jsonl --out trials.jsonl', 'eight points of the grid'],
        ['seam restem search dev.jsonl --out t.jsonl --ranks 8,32 --trials 16 --minutes 90', 'another grid and budget'],
      ]),
    )
    .action((file: string, options: SearchOptions) => run((runtime) => search(runtime, file, options)));
}
