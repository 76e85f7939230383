import { datasetForms } from '@seamstream/datasets';
import { count, onOneLine, SeamError } from '@seamstream/kernel';
import { type TrainEditsRequest, trainEdits } from '@seamstream/operations/edits';
import { Command, Option } from 'commander';
import { examples, positiveNumber, wholeNumber } from '../command-options.js';
import { type CommandRuntime, type RunCommand, STANDARD_STREAM } from '../command-runtime.js';
import { forceOption } from '../evaluate/asking-options.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { inPoints } from '../study/study-facts.js';
import { stageProgress } from '../terminal/progress.js';
import type { Style } from '../terminal/style.js';
import { renderFacts } from '../terminal/table.js';

interface TrainOptions
  extends Pick<TrainEditsRequest, 'to' | 'seed' | 'questions' | 'dataset' | 'measure' | 'force'>,
    NonNullable<TrainEditsRequest['settings']> {
  readonly passages: boolean;
  readonly sequence?: true;
}

async function train(runtime: CommandRuntime, path: string, options: TrainOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const { passages, sequence, learningRate, rank, epochs, batchTokens, ...request } = options;
  if (path === STANDARD_STREAM)
    throw new SeamError(
      'INVALID_INPUT',
      'Cannot train on "-": expected a file, got standard input, and the weights name the digest of a file. Name it.',
    );
  const given = { learningRate, rank, epochs, batchTokens };
  const settings = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const order = sequence === true ? 'sequence' : 'together';
  const bars = stageProgress(terminal);
  try {
    const record = await trainEdits(
      runtime,
      path,
      { ...request, settings, order, withPassages: passages },
      (stage, done, total, note) => bars.show(stage, done, total, note),
    );
    bars.stop();
    if (terminal.json) terminal.printJson({ folder: options.to, ...record });
    else terminal.print(renderLearned(options.to, record, terminal.style));
    return EXIT.ok;
  } finally {
    bars.stop();
  }
}

type Learned = Awaited<ReturnType<typeof trainEdits>>;

function renderLearned(folder: string, record: Learned, style: Style): string {
  const { edits, training, measured, parent } = record;
  const share = (value: number): string => value.toFixed(3);
  return renderFacts(
    [
      ['weights', record.adapterDigest],
      ['for the model', record.baseModelDigest],
      ['begun with', parent ?? 'the bare model'],
      ['learned', `${count(edits.documents)} documents of ${count(edits.passages)} passages`],
      [
        'training',
        `${count(training.steps)} steps, ${count(training.tokens)} tokens, loss ${share(training.firstLoss)} → ${share(training.lastLoss)}`,
      ],
      ...(training.refused === 0
        ? []
        : [['left out', `${count(training.refused)} passages, nothing to learn`] as const]),
      [
        'questions',
        measured === null
          ? 'none were asked (--questions)'
          : `${share(measured.before)} → ${share(measured.after)} ${measured.measure === 'f1' ? 'F1' : 'exact match'}, ${inPoints(measured.gain)} points over ${count(measured.passages)} passages`,
      ],
      ['use them', `SEAM_EXECUTOR_ADAPTER_FOLDER=${onOneLine(folder)}`],
    ],
    style,
  );
}

export function trainEditsCommand(run: RunCommand): Command {
  return new Command('train')
    .summary('trains the executor on the edits of all passages, and keeps the weights')
    .description(
      'One training on the documents of all lines of FILE, or with --sequence one for each passage, each of which begins with the weights\n' +
        "of the one before. FOLDER gets the weights as PEFT's files, and last their record (learned.json): digests of model, edits and weights,\n" +
        'settings and seed. Equal input gives equal weights. With --questions the same questions are asked before and after, without the\n' +
        'passage. Records nothing in the log, and changes no model folder. Options not given are SEAM_EXECUTOR_INNER_UPDATE_…. A stop leaves\n' +
        'no weights. An executor answers with them under SEAM_EXECUTOR_ADAPTER_FOLDER=FOLDER, and learns more on top of them.',
    )
    .argument('<file>', 'what "seam edits generate" wrote')
    .requiredOption('--to <folder>', 'where the weights are written; made where it is missing')
    .option('--no-passages', 'learn the edits alone, and not the passages that they were written of')
    .option('--sequence', 'learn one passage after the other, in an order of the seed')
    .option('--learning-rate <rate>', 'of the first step; it falls to 0', positiveNumber('--learning-rate', 1))
    .option('--rank <n>', 'of the LoRA pairs; their scale stays as it is configured', wholeNumber('--rank', 1, 1024))
    .option('--epochs <n>', 'passes over the documents', wholeNumber('--epochs', 1, 1000))
    .option('--batch-tokens <n>', 'tokens of a step at most', wholeNumber('--batch-tokens', 1))
    .option('--seed <word>', 'of first weights and order', '1')
    .option('--questions <file>', 'the passages with their questions, as the edits were written of them')
    .addOption(
      new Option('--dataset <name>', 'what rows of --questions look like; without it the first row decides').choices([
        ...datasetForms.keys(),
      ]),
    )
    .addOption(new Option('--measure <name>', 'of an answer').choices(['exactMatch', 'f1']).default('exactMatch'))
    .addOption(forceOption())
    .addHelpText(
      'after',
      examples([
        ['seam edits train edits.jsonl --to learned', 'one training on all of them'],
        ['seam edits train edits.jsonl --to learned --questions passages.json', 'and what it is worth'],
        ['seam edits train edits.jsonl --to learned --sequence', 'one passage after the other'],
        ['SEAM_EXECUTOR_ADAPTER_FOLDER=learned seam solve questions.jsonl --no-entry', 'answers with them'],
      ]),
    )
    .action((file: string, options: TrainOptions) => run((runtime) => train(runtime, file, options)));
}
