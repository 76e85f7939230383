import { basename } from 'node:path';
import {
  EVALUATION_ARMS,
  type EvaluationArm,
  type EvaluationSettings,
  evaluate,
  evaluateSamples,
} from '@seamstream/evaluation';
import { SeamError } from '@seamstream/kernel';
import { executorIdentity } from '@seamstream/rollout';
import { Command, InvalidArgumentError } from 'commander';
import { checkRecording, type RecordOptions, recordable, recordEvaluation } from '../adapters/record-evaluation.js';
import { examples, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { datasetsHelp, withDatasetOptions } from '../publish/dataset-options.js';
import { adapterOf } from './chosen-adapter.js';
import { chosenProblems, DEFAULT_SET, type ProblemOptions, setOption } from './evaluation-problems.js';
import {
  checkPredictions,
  forceOption,
  type PredictionsOptions,
  predictionsFile,
  predictionsOption,
} from './predictions-file.js';
import { renderEvaluation } from './render-evaluation.js';
import { renderSampledEvaluation } from './render-sampled-evaluation.js';
import { tellUnknownWords, waysOf } from './shipped-models.js';

interface EvaluateOptions extends ProblemOptions, RecordOptions, PredictionsOptions {
  readonly adapter: string;
  readonly arms: readonly EvaluationArm[];
  readonly samples: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly seed: string;
}

/** They are in memory together, of every problem. */
const MOST_SAMPLES = 1024;

/** Measures the arms on the problems of a file and prints them beside each other. */
async function evaluateAdapter(
  runtime: CommandRuntime,
  path: string | undefined,
  options: EvaluateOptions,
): Promise<ExitCode> {
  const { terminal, signal } = runtime;
  refuseDrawingOfOne(options);
  checkRecording(options, options);
  const problems = await chosenProblems(runtime, path, options);
  await checkPredictions(runtime, options);
  const models = await runtime.openModels();
  const { generator, executor, prompts, maxEntryTokens } = models;
  tellUnknownWords(terminal, models, problems, waysOf(options.arms));
  const schemaFor = await runtime.entrySchemas();
  const adapter = await adapterOf(runtime, options.adapter, generator.digest);
  const digest = options.record === undefined ? undefined : await recordable(runtime, adapter);
  const predictions = await predictionsFile(runtime, options, problems, {
    adapterDigest: adapter?.digest ?? null,
    seed: options.seed,
    arms: EVALUATION_ARMS,
  });
  const progress = terminal.progress('evaluating', problems.length * options.arms.length);
  const done = new Map<EvaluationArm, number>();
  try {
    const settings: EvaluationSettings = {
      arms: options.arms,
      executor,
      generator,
      adapter,
      prompts,
      schemaFor,
      maxEntryTokens,
      seed: options.seed,
      batchSize: 64,
      ...(predictions.onPrediction === undefined ? {} : { onPrediction: predictions.onPrediction }),
      onProgress(arm, answered) {
        progress.note(arm);
        progress.advance(answered - (done.get(arm) ?? 0));
        done.set(arm, answered);
        signal.throwIfAborted();
      },
    };
    const measured = {
      adapterDigest: adapter?.digest ?? null,
      baseModelDigest: generator.digest,
      executor: executor.identity,
    };
    if (options.samples === 1) {
      const result = await evaluate(problems, settings);
      progress.stop();
      // First: it took long, and whatever keeps it from being recorded must not lose it.
      if (terminal.json) terminal.printJson({ ...result, ...measured });
      else terminal.print(renderEvaluation(result, measured.adapterDigest, terminal.style));
      await predictions.write();
      if (digest !== undefined) {
        const problemSet = path === undefined ? (options.set ?? DEFAULT_SET) : basename(path);
        const { meta } = await recordEvaluation(runtime, options.by!, {
          adapterDigest: digest,
          baseModelDigest: generator.digest,
          executor: executorIdentity(executor, prompts),
          problemSet,
          result,
        });
        terminal.remark(`recorded as ${meta.messageId}`);
      }
    } else {
      const { samples, temperature = 1, topP = 1 } = options;
      const result = await evaluateSamples(problems, { ...settings, samples, drawing: { temperature, topP } });
      progress.stop();
      if (terminal.json) terminal.printJson({ ...result, ...measured });
      else terminal.print(renderSampledEvaluation(result, measured.adapterDigest, terminal.style));
      await predictions.write();
    }
    return EXIT.ok;
  } catch (error) {
    await predictions.tellStopped();
    throw error;
  } finally {
    progress.stop();
  }
}

/** A single answer is greedy: it would not be what was asked for. @throws INVALID_INPUT naming the option */
function refuseDrawingOfOne({ samples, temperature, topP }: EvaluateOptions): void {
  const given =
    temperature !== undefined ? `--temperature ${temperature}` : topP !== undefined ? `--top-p ${topP}` : '';
  if (samples > 1 || given === '') return;
  throw new SeamError(
    'INVALID_INPUT',
    `Evaluating: expected --samples of 2 or more beside ${given}, came 1 answer per problem, which is decoded greedily. Say how many to draw (--samples 16), or leave ${given} out.`,
  );
}

function parseArms(text: string): EvaluationArm[] {
  const names = text.split(',').map((name) => name.trim());
  const arms = EVALUATION_ARMS.filter((arm) => names.includes(arm));
  if (arms.length < names.length) {
    throw new InvalidArgumentError(
      `Reading --arms: expected names of ${EVALUATION_ARMS.join(', ')}, each once, came "${text}".`,
    );
  }
  return arms;
}

/** Reader of a number above 0 up to the given most. */
function positive(option: string, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !(value > 0 && value <= most)) {
      throw new InvalidArgumentError(`Reading ${option}: expected a number above 0, at most ${most}, came "${text}".`);
    }
    return value;
  };
}

export function evaluateCommand(run: RunCommand): Command {
  return withDatasetOptions(new Command('eval'))
    .summary('success with and without the entries, beside its controls')
    .description(
      'Solves the problems once per arm: without an entry, with the slot alone, with one fixed hint, with the entry of\n' +
        "another problem, with the untrained generator's entry, and with the adapter's. Decoding is greedy, the answer format\n" +
        "and token budget are the same in every arm. Nothing is recorded without --record. Intervals are Wilson's, 95 %.\n" +
        'With --samples K the executor draws K answers per problem at --temperature: pass@k (unbiased), mean@K and majority@K\n' +
        '(ties go to the answer drawn first), with intervals over the problems, 95 %. Entries stay greedy.',
    )
    .argument(
      '[file]',
      'problems as for "seam publish", or "-" for standard input; without it, a set of the demonstration',
    )
    .addOption(setOption())
    .option('--adapter <digest>', 'base, served, or the first digits of a digest', 'served')
    .option('--arms <names>', `comma-separated: ${EVALUATION_ARMS.join(', ')}`, parseArms, [...EVALUATION_ARMS])
    .option('--samples <k>', 'answers per problem; 1 is greedy', wholeNumber('--samples', 1, MOST_SAMPLES), 1)
    .option('--temperature <t>', 'with --samples: of the drawn answers (default: 1)', positive('--temperature', 10))
    .option(
      '--top-p <p>',
      'with --samples: mass of the most probable tokens to draw from (default: 1)',
      positive('--top-p', 1),
    )
    .option('--limit <n>', 'the first n problems only', wholeNumber('--limit', 1))
    .option('--seed <text>', 'decides who gets whose entry and what is drawn', 'seam')
    .addOption(predictionsOption())
    .addOption(forceOption())
    .option('--record', 'put what was measured of the adapter on record: what "seam adapters promote" rests on')
    .option('--by <name>', 'with --record: who measures; recorded')
    .addHelpText(
      'after',
      `${datasetsHelp()}${examples([
        ['seam eval', 'the served adapter and its controls on the held-out problems'],
        ['seam eval problems.jsonl', 'on problems of your own'],
        ['seam eval problems.jsonl --adapter base --arms noExperience,untrained', 'before any training'],
        ['seam eval --dataset gsm8k test.jsonl --limit 50 --json', 'for a script'],
        ['seam eval test.jsonl --predictions answers.jsonl', 'every entry, answer and verdict'],
        ['seam eval test.jsonl --adapter 4f3a90c1 --record --by ada', 'before seam adapters promote'],
        [
          'seam eval --dataset aime aime.parquet --samples 32 --temperature 0.6 --top-p 0.95',
          'pass@k, mean@32, majority@32',
        ],
      ])}`,
    )
    .action((file: string | undefined, options: EvaluateOptions) =>
      run((runtime) => evaluateAdapter(runtime, file, options)),
    );
}
