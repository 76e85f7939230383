import { EVALUATION_ARMS, type EvaluationArm } from '@seamstream/evaluation';
import { BASE, SERVED } from '@seamstream/operations/adapters';
import { type Evaluated, type EvaluationRequest, evaluateAdapter } from '@seamstream/operations/evaluate';
import { Command, InvalidArgumentError } from 'commander';
import { byOption, examples, personOf, positiveNumber, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { datasetsHelp, withDatasetOptions } from '../publish/dataset-options.js';
import type { Style } from '../terminal/style.js';
import { askingModels, forceOption, predictionsOption, setOption } from './asking-options.js';
import { isOfTeam, type TeamOptions, teamEvaluation, teamOptions } from './evaluate-team.js';
import { renderEvaluation } from './render-evaluation.js';
import { renderSampledEvaluation } from './render-sampled-evaluation.js';
import { waysOf } from './shipped-models.js';

type Options = Omit<EvaluationRequest & TeamOptions, 'adapter'> & { readonly adapter?: string };

/** They are in memory together, of every problem. */
const MOST_SAMPLES = 1024;

/** Measures the arms on the problems of a file and prints them side by side. */
async function evaluation(
  runtime: CommandRuntime,
  path: string | undefined,
  request: EvaluationRequest,
): Promise<ExitCode> {
  const { terminal } = runtime;
  const signed = request.record === undefined ? {} : { by: await personOf(runtime, request.by) };
  const show = (evaluated: Evaluated): void =>
    terminal.json
      ? terminal.printJson({ ...evaluated.result, ...evaluated.measured })
      : terminal.print(render(evaluated, terminal.style));
  const { isJudged } = await askingModels(runtime, waysOf(request.arms), show, (observer) =>
    evaluateAdapter(runtime, path, { ...request, ...signed }, observer),
  );
  return isJudged ? EXIT.ok : EXIT.failedCheck;
}

function render({ result, measured: { adapterDigest } }: Evaluated, style: Style): string {
  return 'samples' in result
    ? renderSampledEvaluation(result, adapterDigest, style)
    : renderEvaluation(result, adapterDigest, style);
}

function parseArms(text: string): EvaluationArm[] {
  const names = text.split(',').map((name) => name.trim());
  const arms = EVALUATION_ARMS.filter((arm) => names.includes(arm));
  if (arms.length < names.length) {
    throw new InvalidArgumentError(
      `Cannot read --arms: expected names of ${EVALUATION_ARMS.join(', ')}, each once, got "${text}".`,
    );
  }
  return arms;
}

export function evaluateCommand(run: RunCommand): Command {
  const [team, vote, maxTokens] = teamOptions();
  return withDatasetOptions(new Command('eval'))
    .summary('success with and without the entries, compared with its controls')
    .description(
      'Solves the problems once per arm: without an entry, with the slot alone, with one fixed hint, with the entry of\n' +
        "another problem, with the untrained generator's entry, and with the adapter's. Decoding is greedy, the answer format\n" +
        "and token budget are the same in every arm. Nothing is recorded without --record. Intervals are Wilson's, 95 %.\n" +
        'With --samples K the executor draws K answers per problem at --temperature: pass@k (unbiased), mean@K and majority@K\n' +
        '(ties go to the answer drawn first), with intervals over the problems, 95 %. Entries stay greedy.\n' +
        'With --team the agents of a file answer: avg@k, pass@k and majority@k over the answers of all of them.\n' +
        'Exit code 1: nothing could be judged.',
    )
    .argument(
      '[file]',
      'problems as for "seam publish", or "-" for standard input; without it, a set of the demonstration',
    )
    .addOption(setOption())
    .option('--adapter <digest>', 'base, served, or the first digits of a digest (default: served; with --team: base)')
    .option('--arms <names>', `comma-separated: ${EVALUATION_ARMS.join(', ')}`, parseArms, [...EVALUATION_ARMS])
    .option('--samples <k>', 'answers per problem; 1 is greedy', wholeNumber('--samples', 1, MOST_SAMPLES), 1)
    .option(
      '--temperature <t>',
      'with --samples: of the drawn answers (default: 1)',
      positiveNumber('--temperature', 10),
    )
    .option(
      '--top-p <p>',
      'with --samples: mass of the most probable tokens to draw from (default: 1)',
      positiveNumber('--top-p', 1),
    )
    .option('--limit <n>', 'the first n problems only', wholeNumber('--limit', 1))
    .option('--seed <text>', 'decides who gets whose entry and what is drawn', 'seam')
    .addOption(predictionsOption())
    .addOption(forceOption())
    .addOption(team!)
    .addOption(vote!)
    .addOption(maxTokens!)
    .option(
      '--record',
      'put what was measured of the adapter on record: what "seam adapters promote" rests on; with --team: its figures',
    )
    .addOption(byOption('with --record: who measures'))
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
        [
          'seam eval aime24.jsonl --team team.yaml --vote --samples 8 --predictions predictions.jsonl',
          'a team of agents',
        ],
      ])}`,
    )
    .action((file: string | undefined, { adapter, ...options }: Options) =>
      run((runtime) =>
        isOfTeam(options)
          ? teamEvaluation(runtime, file, { ...options, adapter: adapter ?? BASE })
          : evaluation(runtime, file, { ...options, adapter: adapter ?? SERVED }),
      ),
    );
}
