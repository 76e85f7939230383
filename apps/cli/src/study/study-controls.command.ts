import { CONTROL_ROWS, type ControlRow, chooseFixedHints, studyControls } from '@seamstream/evaluation';
import type { Problem } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { openDataset } from '@seamstream/operations/publish';
import { Command, InvalidArgumentError } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import { type CommandRuntime, type RunCommand, STANDARD_STREAM } from '../command-runtime.js';
import { adapterOf } from '../evaluate/chosen-adapter.js';
import { chosenProblems, evaluationProblems, type ProblemOptions, setOption } from '../evaluate/evaluation-problems.js';
import {
  checkPredictions,
  forceOption,
  type PredictionsOptions,
  predictionsFile,
  predictionsOption,
} from '../evaluate/predictions-file.js';
import { tellUnknownWords, waysOf } from '../evaluate/shipped-models.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { datasetsHelp, withDatasetOptions } from '../publish/dataset-options.js';
import type { Progress } from '../terminal/progress.js';
import type { Terminal } from '../terminal/terminal.js';
import { renderStudy } from './render-study.js';
import { renderStudyPage } from './study-page.js';

interface StudyOptions extends ProblemOptions, PredictionsOptions {
  readonly adapter: string;
  readonly rows: readonly ControlRow[];
  readonly candidates: number;
  readonly hintsFrom?: string;
  readonly seed: string;
  readonly report?: string;
}

/** A bar for each thing that is measured, one after the other. */
function bars(terminal: Terminal): { show(what: string, done: number, total: number): void; stop(): void } {
  let bar: Progress | undefined;
  let current = '';
  let before = 0;
  return {
    show(what, done, total) {
      if (what !== current) {
        bar?.stop();
        bar = terminal.progress(what, total);
        current = what;
        before = 0;
      }
      bar?.advance(done - before);
      before = done;
    },
    stop: () => bar?.stop(),
  };
}

/** Measures every row on the problems, prints them beside each other, and writes a page where one is asked for. */
async function study(runtime: CommandRuntime, path: string | undefined, options: StudyOptions): Promise<ExitCode> {
  const { terminal, signal } = runtime;
  const replace = { replace: options.force };
  if (options.report === STANDARD_STREAM)
    throw new SeamError(
      'INVALID_INPUT',
      'Reading --report: expected a file, got "-": the table goes to standard output.',
    );
  const problems = await chosenProblems(runtime, path, options);
  const hintsFrom = options.rows.includes('fixedHint') ? await hintProblems(runtime, path, options, problems) : null;
  // All files that are read are known now, and none of them is written.
  if (options.report !== undefined) await runtime.checkOutput(options.report, replace);
  await checkPredictions(runtime, options);
  const models = await runtime.openModels();
  const { generator, executor, prompts, maxEntryTokens, maxResponseTokens } = models;
  const timed = options.candidates === 0 ? [] : (['timeToCorrect'] as const);
  tellUnknownWords(terminal, models, problems, waysOf([...options.rows, ...timed]));
  const schemaFor = await runtime.entrySchemas();
  const adapter = await adapterOf(runtime, options.adapter, generator.digest);
  const predictions = await predictionsFile(runtime, options, problems, {
    adapterDigest: adapter?.digest ?? null,
    seed: options.seed,
    arms: CONTROL_ROWS,
  });
  const progress = bars(terminal);
  const onProgress = (what: string, done: number, total: number): void => {
    progress.show(what, done, total);
    signal.throwIfAborted();
  };
  const common = { executor, generator, adapter, prompts, schemaFor, maxEntryTokens, batchSize: 64, onProgress };
  try {
    const hints =
      hintsFrom === null
        ? new Map<string, string>()
        : await chooseFixedHints(hintsFrom, {
            ...common,
            onProgress: (domain, done, total) => onProgress(`fixed hints of ${domain}`, done, total),
          });
    const result = await studyControls(problems, {
      ...common,
      rows: options.rows,
      seed: options.seed,
      maxAloneTokens: maxEntryTokens + maxResponseTokens,
      fixedHint: (domain) => hints.get(domain) ?? prompts.fixedHint,
      ...(options.candidates === 0 ? {} : { candidates: options.candidates }),
      nowMs: () => performance.now(),
      ...(predictions.onPrediction === undefined ? {} : { onPrediction: predictions.onPrediction }),
    });
    progress.stop();
    const adapterDigest = adapter?.digest ?? null;
    if (terminal.json) {
      terminal.printJson({
        ...result,
        adapterDigest,
        baseModelDigest: generator.digest,
        executor: executor.identity,
        fixedHints: Object.fromEntries(hints),
      });
    } else terminal.print(renderStudy(result, adapterDigest, terminal.style));
    await predictions.write();
    if (options.report !== undefined)
      await runtime.writeOutput(options.report, Buffer.from(renderStudyPage(result, adapterDigest)), replace);
    return EXIT.ok;
  } catch (error) {
    await predictions.tellStopped();
    throw error;
  } finally {
    progress.stop();
  }
}

/** Problems that the fixed hint is chosen on: those of a file, or the demonstration's validation set. None of the measured ones is among them. */
async function hintProblems(
  runtime: CommandRuntime,
  path: string | undefined,
  options: StudyOptions,
  measured: readonly Problem[],
): Promise<readonly Problem[]> {
  const { hintsFrom } = options;
  const given =
    hintsFrom !== undefined
      ? await evaluationProblems(await openDataset(runtime, hintsFrom), options, undefined)
      : path === undefined
        ? await runtime.worldProblems('validation')
        : [];
  const prompts = new Set(measured.map(({ prompt }) => prompt));
  const domains = new Set(measured.map(({ domain }) => domain));
  return given.filter(({ prompt, domain }) => !prompts.has(prompt) && domains.has(domain));
}

function parseRows(text: string): ControlRow[] {
  const names = text.split(',').map((name) => name.trim());
  const rows = CONTROL_ROWS.filter((row) => names.includes(row));
  if (rows.length < names.length) {
    throw new InvalidArgumentError(
      `Reading --rows: expected names of ${CONTROL_ROWS.join(', ')}, each once, came "${text}".`,
    );
  }
  return rows;
}

function studyControlsCommand(run: RunCommand): Command {
  return withDatasetOptions(new Command('controls'))
    .summary('what an entry is worth: every control on one set of problems')
    .description(
      "Solves the problems with the adapter's entries and with everything that could explain their success without them: nothing,\n" +
        "an empty slot, one text for all, another problem's entry, an untrained generator's; takes answers out of the entries, reads\n" +
        'entries as answers, and lets the generator solve by itself with the tokens of both models. Nothing is recorded.\n' +
        'Rescued and broken are counted against the executor alone, differences have paired intervals (Newcombe). With --candidates K\n' +
        'it also measures what it takes until one of K candidates is right. docs/seam.md says how to read it.',
    )
    .argument('[file]', 'held-out problems as for "seam publish", or "-"; without it, a set of the demonstration')
    .addOption(setOption())
    .option('--adapter <digest>', 'base, served, or the first digits of a digest', 'served')
    .option('--rows <names>', `comma-separated: ${CONTROL_ROWS.join(', ')}`, parseRows, [...CONTROL_ROWS])
    .option('--candidates <k>', 'of the time to correct; 0 leaves it out', wholeNumber('--candidates', 0, 1024), 4)
    .option(
      '--hints-from <file>',
      "problems on which the fixed hint is chosen (default: the demonstration's validation set; with FILE a hint that fits all)",
    )
    .option('--limit <n>', 'the first n problems only', wholeNumber('--limit', 1))
    .option(
      '--seed <text>',
      'decides who gets whose entry, what is drawn, and the bootstrap of tokens and seconds',
      'seam',
    )
    .addOption(predictionsOption())
    .option('--report <file.html>', 'writes the study as a page, too')
    .addOption(forceOption())
    .addHelpText(
      'after',
      `${datasetsHelp()}${examples([
        ['seam study controls', 'the served adapter on the held-out problems of the demonstration'],
        ['seam study controls --limit 128 --candidates 0', 'quickly'],
        ['seam study controls test.jsonl --hints-from validation.jsonl --report study.html', 'on problems of your own'],
      ])}`,
    )
    .action((file: string | undefined, options: StudyOptions) => run((runtime) => study(runtime, file, options)));
}

export function studyCommand(run: RunCommand): Command {
  return new Command('study')
    .summary('studies that say what a success rate is worth')
    .addHelpText('after', examples([['seam study controls', 'the served adapter beside every control']]))
    .addCommand(studyControlsCommand(run));
}
