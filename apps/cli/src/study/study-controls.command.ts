import { CONTROL_ROWS, type ControlRow } from '@seamstream/evaluation';
import { SeamError } from '@seamstream/kernel';
import { isJudged, type Studied, type StudyRequest, studyAdapter } from '@seamstream/operations/evaluate';
import { Command, InvalidArgumentError } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import { type CommandRuntime, type RunCommand, STANDARD_STREAM } from '../command-runtime.js';
import { askingModels, forceOption, predictionsOption, setOption } from '../evaluate/asking-options.js';
import { waysOf } from '../evaluate/shipped-models.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { datasetsHelp, withDatasetOptions } from '../publish/dataset-options.js';
import { renderStudy } from './render-study.js';
import { studyLibraryCommand } from './study-library.command.js';
import { renderStudyPage } from './study-page.js';
import { studyRetentionCommand } from './study-retention.command.js';
import { studySelfEditsCommand } from './study-self-edits.command.js';
import { studySessionsCommand } from './study-sessions.command.js';

/** Measures every row on the problems, prints them side by side, and writes a page on request. */
async function study(runtime: CommandRuntime, path: string | undefined, request: StudyRequest): Promise<ExitCode> {
  const { terminal } = runtime;
  const { report, rows, candidates, force: replace } = request;
  if (report === STANDARD_STREAM)
    throw new SeamError(
      'INVALID_INPUT',
      'Cannot read --report: expected a file, got "-": the table goes to standard output.',
    );
  const show = ({ result, fixedHints, ...measured }: Studied): void =>
    terminal.json
      ? terminal.printJson({ ...result, ...measured, fixedHints: Object.fromEntries(fixedHints) })
      : terminal.print(renderStudy(result, measured.adapterDigest, terminal.style));
  const ways = waysOf([...rows, ...(candidates === 0 ? [] : (['timeToCorrect'] as const))]);
  const { result, adapterDigest } = await askingModels(runtime, ways, show, (observer) =>
    studyAdapter(runtime, path, request, observer),
  );
  if (report !== undefined)
    await runtime.writeOutput(report, Buffer.from(renderStudyPage(result, adapterDigest)), { replace });
  return isJudged(Object.values(result.rows)) ? EXIT.ok : EXIT.failedCheck;
}

function parseRows(text: string): ControlRow[] {
  const names = text.split(',').map((name) => name.trim());
  const rows = CONTROL_ROWS.filter((row) => names.includes(row));
  if (rows.length < names.length) {
    throw new InvalidArgumentError(
      `Cannot read --rows: expected names of ${CONTROL_ROWS.join(', ')}, each once, got "${text}".`,
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
        'it also measures what it takes until one of K candidates is right. docs/explanation/seam.md says how to read it.',
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
    .action((file: string | undefined, options: StudyRequest) => run((runtime) => study(runtime, file, options)));
}

export function studyCommand(run: RunCommand): Command {
  return new Command('study')
    .summary('studies that say what a success rate is worth')
    .addHelpText(
      'after',
      examples([
        ['seam study controls', 'the served adapter and every control'],
        ['seam study retention passages.json', 'what is kept of passages that are learned one after the other'],
      ]),
    )
    .addCommand(studyControlsCommand(run))
    .addCommand(studyLibraryCommand(run))
    .addCommand(studySelfEditsCommand(run))
    .addCommand(studyRetentionCommand(run))
    .addCommand(studySessionsCommand(run));
}
