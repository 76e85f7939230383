import { type Duplicate, QuestionIndex, type ReadingSettings, readProblems } from '@seamstream/datasets';
import type { Claim, EventLog, NewRecord } from '@seamstream/event-log';
import { TOPIC } from '@seamstream/events';
import { count, isSeamError, plural, SeamError, shortId } from '@seamstream/kernel';
import { Command, Option } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { Terminal } from '../terminal/terminal.js';
import { type ChosenRows, chooseRows, type RowCounts, type RowsKnown, stoppedAfter } from './choose-rows.decide.js';
import { checkFile, type DatasetFile, openDataset, problemIdOf, renderFaults } from './dataset-file.js';
import { type DatasetOptions, datasetsHelp, settingsFor, withDatasetOptions } from './dataset-options.js';
import {
  addFiles,
  countDuplicates,
  DUPLICATE_POLICIES,
  type DuplicatePolicy,
  OWN_FILE,
  renderDuplicates,
  similarityOption,
} from './duplicates.js';
import { EXPIRED_POLICIES, type ExpiredPolicy, tellExpired } from './expired.js';
import { assertNewEnough, type KnownQuestion, knownQuestions, questionKey, renderKnown } from './known-questions.js';
import {
  APPEND_RECORDS,
  type PublishableRow,
  type PublishMode,
  planPublication,
  problemRecord,
  publishedAmong,
} from './publish-problems.js';

interface PublishOptions extends DatasetOptions {
  readonly mode: PublishMode;
  readonly against: readonly string[];
  readonly duplicates?: DuplicatePolicy;
  readonly expired: ExpiredPolicy;
  readonly similarity: number;
  readonly limit?: number;
  readonly again?: true;
  readonly dryRun?: true;
}

/** What the first reading of a file leaves: its good rows, none of them recorded. */
interface Checked {
  readonly rows: readonly PublishableRow[];
  /** Null where nobody asked. */
  readonly duplicates: {
    readonly within: readonly Duplicate[];
    readonly across: readonly Duplicate[];
    /** Rows that are not published for it. */
    readonly skipped: ReadonlySet<number>;
  } | null;
  /** Of bad rows that a limit may stop short of: refuses the file where one of them comes before the given row. */
  readonly refuseBadBefore: (row: number) => void;
}

/**
 * Checks every row of the file, then reads it again and publishes its problems. INVALID_INPUT lists the bad rows or the
 * duplicates; nothing is recorded then.
 */
async function publishProblems(runtime: CommandRuntime, path: string, options: PublishOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const file = await openDataset(runtime, path);
  const settings = await settingsFor(file, options);
  const checked = await check(runtime, file, settings, options);
  const { rows, duplicates } = checked;
  const left = duplicates?.skipped ?? new Set<number>();
  const candidates = rows.filter(({ row }) => !left.has(row));
  const nowMs = runtime.clock.now();
  const choose = (known: Omit<RowsKnown, 'duplicates'>): ChosenRows => {
    const chosen = chooseRows(
      rows,
      { ...known, duplicates: left },
      { policy: options.expired, limit: options.limit, nowMs },
    );
    const isCut = chosen.idOfRow.size === options.limit;
    checked.refuseBadBefore(isCut ? [...chosen.idOfRow.keys()].at(-1)! : Number.POSITIVE_INFINITY);
    const { expired, published } = chosen.counts;
    const told = tellExpired(chosen.expired, published + expired, file, options.expired);
    if (told !== null) terminal.remark(told);
    if (published === 0) {
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot publish ${file.name}: expected a problem that somebody can still solve, but all ${count(expired)} have expired. Nothing was recorded.`,
        { details: { file: file.name } },
      );
    }
    return chosen;
  };
  const report = ({ expired, counts }: ChosenRows): Readonly<Record<string, unknown>> => ({
    file: file.name,
    digest: file.digest,
    dataset: settings.form.name,
    problems: counts.published + counts.inLog,
    ...(expired.length === 0 ? {} : { expired: { problems: expired.length, firstRow: expired[0]!.row } }),
    ...(duplicates === null
      ? {}
      : {
          duplicates: {
            within: countDuplicates(duplicates.within),
            across: countDuplicates(duplicates.across),
            skipped: counts.duplicates,
          },
        }),
  });
  if (options.dryRun) {
    const asNew = new Map(candidates.map(({ row, ownId }) => [row, ownId ?? problemIdOf(file.digest, row, 0)]));
    const chosen = choose({ elsewhere: new Set(), idOfRow: asNew });
    if (terminal.json) terminal.printJson({ ...report(chosen), published: 0, dryRun: true });
    else
      terminal.print(
        `${file.name}: all ${plural(rows.length, file.unit)} are good. Nothing was recorded (--dry-run).\n`,
      );
    return EXIT.ok;
  }

  const log = await runtime.openLog('create');
  // Before the look: who publishes the same file has recorded what is seen then, and records no more.
  const claim = await log.claim(`publish.${file.digest}`);
  const known = options.again === true ? [] : await questionsInLog(log, candidates, file, options.duplicates);
  const isSkipped = options.duplicates === 'skip';
  const elsewhere = new Set(isSkipped ? known.map(({ row }) => row) : []);
  const fresh = candidates.filter(({ row }) => !elsewhere.has(row));
  const plan = await planPublication(fresh, file, (ids) => publishedAmong(log, ids), options.again === true);
  const chosen = choose({ elsewhere, idOfRow: plan.idOfRow });
  tellKnown(
    terminal,
    known.filter(({ row }) => isSkipped || chosen.idOfRow.has(row)),
    file,
    isSkipped,
  );
  const published = await append(runtime, { log, claim }, file, settings, chosen, options.mode);
  const counts = stoppedAfter(published, chosen.counts);
  if (terminal.json) {
    terminal.printJson({
      ...{ ...report(chosen), published, alreadyPublished: counts.inLog, pass: plan.pass, rows: counts },
      ...(known.length === 0 ? {} : { known }),
    });
  } else {
    const form = settings.form.name === 'seam' ? '' : `, read as ${settings.form.name}`;
    const pass = plan.pass === 0 ? '' : `, repetition ${plan.pass}`;
    terminal.print(
      `${terminal.style.green('published')} ${plural(published, 'problem')} of ${file.name} (${shortId(file.digest)}${pass}${form})${renderRest(counts)}\n`,
    );
  }
  const wanted = chosen.counts.published;
  if (published < wanted) {
    const again =
      options.limit === undefined ? '' : ` With --limit ${wanted - published} it ends where this one would have.`;
    terminal.remark(
      `Interrupted after ${count(published)} of ${count(wanted)}. The same command continues where this one stopped.${again}`,
    );
    return EXIT.interrupted;
  }
  return EXIT.ok;
}

/** What became of the rows that were not published. */
function renderRest({ inLog, elsewhere, duplicates, expired, leftOver }: RowCounts): string {
  const said: readonly (readonly [number, string])[] = [
    [inLog, 'were in the log already'],
    [elsewhere, 'stood in the log from elsewhere'],
    [duplicates, 'skipped as duplicates'],
    [expired, 'left out as expired'],
    [leftOver, 'left over'],
  ];
  return said
    .filter(([rows]) => rows > 0)
    .map(([rows, what]) => `, ${count(rows)} ${what}`)
    .join('');
}

function tellKnown(terminal: Terminal, known: readonly KnownQuestion[], file: DatasetFile, isSkipped: boolean): void {
  if (known.length === 0) return;
  const verb = isSkipped
    ? 'skipped: the log holds them already'
    : 'published once more: the log holds them already (--duplicates skip leaves them out)';
  terminal.remark(`${plural(known.length, 'question')} of ${file.name} ${verb}:\n${renderKnown(known, file)}`);
}

/** The file's questions that stand in the log as others' problems. @throws CONFLICT where the policy allows none of them, or leaves nothing */
async function questionsInLog(
  log: EventLog,
  rows: readonly PublishableRow[],
  file: DatasetFile,
  policy: DuplicatePolicy | undefined,
): Promise<readonly KnownQuestion[]> {
  const ownIds = new Set(rows.map(({ row, ownId }) => ownId ?? problemIdOf(file.digest, row, 0)));
  const known = await knownQuestions(log, rows, ownIds);
  assertNewEnough(known, rows, file, policy);
  return known;
}

/** First reading: every row is checked and encoded, so that what cannot be recorded is refused as a whole. */
async function check(
  runtime: CommandRuntime,
  file: DatasetFile,
  settings: ReadingSettings,
  options: PublishOptions,
): Promise<Checked> {
  const { against, mode, limit = Number.POSITIVE_INFINITY, similarity } = options;
  const policy = options.duplicates;
  const index = against.length > 0 || policy !== undefined ? new QuestionIndex({ threshold: similarity }) : undefined;
  const others = index === undefined ? [] : await addFiles(runtime, against, settings.form, index);
  const good: PublishableRow[] = [];
  const now = runtime.clock.now();
  const checked = await checkFile(file, settings, (problem) => {
    const { row, problemId, expiresAt } = problem;
    problemRecord(problem, problemId ?? problemIdOf(file.digest, row, 0), mode, now);
    index?.add(OWN_FILE, row, problem.prompt, problem.reference);
    good.push({
      ...{ row, ownId: problemId, questionKey: questionKey(problem.prompt), expiresAt },
      ...{ mode: problem.mode ?? mode, answer: problem.reference.trim() },
    });
  });
  const { form, split } = settings;
  const firstBad = checked.faults[0]?.row ?? Number.POSITIVE_INFINITY;
  const refuseBadBefore = (row: number): void => {
    if (firstBad >= row) return;
    throw new SeamError(
      'INVALID_INPUT',
      `Publishing ${file.name} (as ${form.name}): ${count(checked.badRows)} of ${plural(checked.rows, file.unit)} cannot be used; nothing was recorded.\n${renderFaults(file, checked)}\nCorrect these ${file.unit}s and publish again. A ${file.unit} looks like this: ${form.example}`,
      { details: { file: file.name, rows: checked.rows, badRows: checked.badRows, faults: checked.faults } },
    );
  };
  // A limit may stop short of the first bad row, unless not even as many rows stand before it.
  refuseBadBefore(good[limit - 1]?.row ?? Number.POSITIVE_INFINITY);
  if (good.length === 0) {
    const came = split === undefined || checked.rows === 0 ? 'none' : `none in the part ${split.part}`;
    throw new SeamError(
      'INVALID_INPUT',
      `Publishing ${file.name}: expected at least one ${file.unit}, came ${came}. A ${file.unit} looks like this: ${form.example}`,
      { details: { file: file.name } },
    );
  }
  const duplicates =
    index === undefined ? null : duplicatesOf(runtime, good, index, [file, ...others], options.duplicates);
  return { rows: good, duplicates, refuseBadBefore };
}

/** A near question is another one within a file, and a leak between files. */
function duplicatesOf(
  { terminal }: CommandRuntime,
  rows: readonly PublishableRow[],
  index: QuestionIndex,
  files: readonly DatasetFile[],
  policy: DuplicatePolicy | undefined,
): Checked['duplicates'] {
  const within = index.within(OWN_FILE);
  const across = index.across(
    OWN_FILE,
    files.map((_, at) => at).filter((at) => at !== OWN_FILE),
  );
  const repeated = within.filter(({ kind }) => kind === 'exact');
  const refused = [...((policy ?? 'refuse') === 'refuse' ? across : []), ...(policy === 'refuse' ? repeated : [])];
  if (refused.length > 0) {
    throw new SeamError(
      'INVALID_INPUT',
      `Publishing ${files[OWN_FILE]!.name}: expected questions that stand nowhere else, came ${count(refused.length)} that do; nothing was recorded.\n${renderDuplicates(refused, files)}Publish the others with --duplicates skip, or all of them with --duplicates report.`,
      {
        details: {
          within: countDuplicates(within),
          across: countDuplicates(across),
          duplicates: refused.slice(0, 100),
        },
      },
    );
  }
  const skipped = new Set(policy === 'skip' ? [...across, ...repeated].map(({ row }) => row) : []);
  const found = [...across, ...within];
  if (found.length > 0) {
    const verb = policy === 'skip' ? `, ${count(skipped.size)} of them skipped` : '';
    terminal.remark(`${plural(found.length, 'duplicate')}${verb}:\n${renderDuplicates(found, files).trimEnd()}`);
  }
  if (skipped.size === rows.length) {
    throw new SeamError(
      'INVALID_INPUT',
      `Publishing ${files[OWN_FILE]!.name}: expected questions that stand nowhere else, but all ${count(rows.length)} are duplicates. Nothing was recorded.`,
    );
  }
  return { within, across, skipped };
}

/** Second reading: appends the planned rows in steps. Returns how many it appended before it was done or stopped. */
async function append(
  { terminal, signal, clock }: CommandRuntime,
  { log, claim }: { readonly log: EventLog; readonly claim: Claim },
  file: DatasetFile,
  settings: ReadingSettings,
  { idOfRow }: ChosenRows,
  mode: PublishMode,
): Promise<number> {
  const progress = terminal.progress(`publishing to ${TOPIC.problems}`, idOfRow.size);
  let published = 0;
  let step: NewRecord[] = [];
  const flush = async (): Promise<void> => {
    await log.transact({ records: step, consumed: { claim, offsets: [] } });
    published += step.length;
    progress.advance(step.length);
    step = [];
  };
  try {
    for await (const reading of readProblems(file.bytes, settings)) {
      const problemId = idOfRow.get(reading.row);
      if (problemId === undefined) continue;
      if (reading.status !== 'problem') break;
      step.push(problemRecord(reading.problem, problemId, mode, clock.now()));
      if (step.length === APPEND_RECORDS) await flush();
      if (signal.aborted) return published;
      if (published + step.length === idOfRow.size) break;
    }
    if (step.length > 0) await flush();
  } catch (error) {
    if (!isSeamError(error, 'FENCED')) throw error;
    throw new SeamError(
      'CONFLICT',
      `Publishing ${file.name}: expected to be the only one, but this process lost its claim after ${count(published)} of ${plural(idOfRow.size, 'problem')}: the same file is being published anew, and goes on there, or the log was out of reach. Should anything be missing, the same command continues.`,
      { details: { published, problems: idOfRow.size, fileDigest: file.digest }, cause: error },
    );
  } finally {
    progress.stop();
  }
  if (published < idOfRow.size) {
    throw new SeamError(
      'CONFLICT',
      `Publishing ${file.name}: expected the file that was checked, but it changed while it was read; ${count(published)} of ${plural(idOfRow.size, 'problem')} were recorded. Publish it again when nobody writes to it.`,
    );
  }
  return published;
}

export function publishCommand(run: RunCommand): Command {
  return withDatasetOptions(
    new Command('publish')
      .summary('check a file of problems and publish them')
      .description(
        `Reads FILE ("-": standard input) as JSON Lines or Parquet, checks every row, then appends one ProblemPublished per row to ${TOPIC.problems}.\n` +
          'One bad row stops the whole file: all bad rows are listed and nothing is recorded (exit code 2).\n' +
          'A problem without an id of its own gets one from the digest of the file and its row, so a file that was published\n' +
          'before is recognised: in full it is refused, in part (after Ctrl-C, or with a --limit) it is continued.\n' +
          'A question that the log holds from elsewhere, to the same --mode, is named; --duplicates skip leaves it out.\n' +
          'Of two that publish the same file at once the later goes on where the earlier stood, and the earlier stops (exit code 2).',
      )
      .argument('<file>', 'JSON Lines or Parquet, or "-" for standard input'),
  )
    .option(
      '--against <file>',
      'a file kept for testing: what stands in it, or nearly so, is no training problem (may be given several times)',
      (path: string, paths: readonly string[]) => [...paths, path],
      [],
    )
    .addOption(
      new Option(
        '--duplicates <policy>',
        'questions of --against, of the log, and repetitions within FILE: refuse the file, skip them, or report them (default: refuse those of --against, report those of the log)',
      ).choices(DUPLICATE_POLICIES),
    )
    .addOption(similarityOption())
    .addOption(
      new Option(
        '--expired <policy>',
        'problems whose expiresAt is past: publish them and report it, skip them, or refuse the file',
      )
        .choices(EXPIRED_POLICIES)
        .default('report'),
    )
    .addOption(
      new Option('--mode <mode>', 'explore: a group of candidates to learn from; deploy: one answer')
        .choices(['explore', 'deploy'])
        .default('explore'),
    )
    .option(
      '--limit <n>',
      'publish n problems at most, the first that are left when all that is dropped is dropped',
      wholeNumber('--limit', 1),
    )
    .option('--again', 'publish a file once more, under new ids')
    .option('--dry-run', 'check the file only')
    .addHelpText(
      'after',
      `${datasetsHelp()}${examples([
        ['seam publish problems.jsonl', 'publish a file'],
        ['seam publish --against test.jsonl train.jsonl', 'GSM8K, or your own, unless it leaks'],
        ['seam publish --dataset dapo --duplicates skip dapo-math-17k.parquet', 'each question once'],
        ['seam publish --columns prompt=question,reference=answer --verifier numeric any.parquet', 'any columns'],
        ['seam publish --dataset math --split train --fractions 0.8,0.1,0.1 math.jsonl', 'one part of it'],
        ['head -5 problems.jsonl | seam publish -', 'from a pipe'],
        ['seam publish problems.jsonl --dry-run --json', 'check only'],
      ])}`,
    )
    .action((file: string, options: PublishOptions) => run((runtime) => publishProblems(runtime, file, options)));
}
