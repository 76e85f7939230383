import { DEFAULT_TENANT, TOPIC } from '@seamstream/events';
import { count, plural, shortId } from '@seamstream/kernel';
import {
  countDuplicates,
  type DatasetOptions,
  DUPLICATE_POLICIES,
  EXPIRED_POLICIES,
  type Published,
  type PublishRequest,
  publishFile,
  type RowCounts,
  settingsFor,
} from '@seamstream/operations/publish';
import { Command, Option } from 'commander';
import { byOption, examples, personOf, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { tenantOption } from '../tenant-option.js';
import { datasetsHelp, withDatasetOptions } from './dataset-options.js';
import { similarityOption } from './similarity-option.js';

type PublishOptions = DatasetOptions & Omit<PublishRequest, 'by'> & { readonly ungraded?: true; readonly by?: string };

async function publishProblems(runtime: CommandRuntime, path: string, options: PublishOptions): Promise<ExitCode> {
  const { terminal, clock, signal } = runtime;
  const done = await publishFile(
    {
      clock,
      signal,
      openInput: (name) => runtime.openInput(name),
      openLog: () => runtime.openLog('create'),
      tell: (remark) => terminal.remark(remark),
      progress: (total) => terminal.progress(`publishing to ${TOPIC.problems}`, total),
    },
    path,
    async (file) => ({ ...(await settingsFor(file, options)), ungraded: options.ungraded }),
    { ...options, by: await personOf(runtime, options.by) },
  );
  const { file, form, counts, pass, wanted, known } = done;
  if (options.dryRun) {
    if (terminal.json) terminal.printJson({ ...report(done), published: 0, dryRun: true });
    else
      terminal.print(
        `${file.name}: all ${plural(counts.read, file.unit)} are good. Nothing was recorded (--dry-run).\n`,
      );
    return EXIT.ok;
  }
  if (terminal.json) {
    terminal.printJson({
      ...{ ...report(done), published: counts.published, alreadyPublished: counts.inLog, pass, rows: counts },
      ...(known.length === 0 ? {} : { known }),
    });
  } else {
    const readAs = form === 'seam' ? '' : `, read as ${form}`;
    const theirs = options.tenant === DEFAULT_TENANT ? '' : ` for the tenant ${options.tenant}`;
    const repetition = pass === 0 ? '' : `, repetition ${pass}`;
    terminal.print(
      `${terminal.style.green('published')} ${plural(counts.published, 'problem')} of ${file.name} (${shortId(file.digest)}${repetition}${readAs})${theirs}${renderRest(counts)}\n`,
    );
  }
  if (counts.published === wanted) return EXIT.ok;
  const again =
    options.limit === undefined ? '' : ` With --limit ${wanted - counts.published} it ends where this one would have.`;
  terminal.remark(
    `Interrupted after ${count(counts.published)} of ${count(wanted)}. The same command continues where this one stopped.${again}`,
  );
  return EXIT.interrupted;
}

function report({ file, form, wanted, counts, expired, duplicates }: Published): Readonly<Record<string, unknown>> {
  return {
    ...{ file: file.name, digest: file.digest, dataset: form, problems: wanted + counts.inLog },
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
  };
}

/** What became of the rows that were not published. */
function renderRest({ inLog, elsewhere, duplicates, expired, leftOver }: RowCounts): string {
  const said: readonly (readonly [number, string])[] = [
    [inLog, 'were in the log already'],
    [elsewhere, 'were in the log from elsewhere'],
    [duplicates, 'skipped as duplicates'],
    [expired, 'left out as expired'],
    [leftOver, 'left over'],
  ];
  return said
    .filter(([rows]) => rows > 0)
    .map(([rows, what]) => `, ${count(rows)} ${what}`)
    .join('');
}

export function publishCommand(run: RunCommand): Command {
  return withDatasetOptions(
    new Command('publish')
      .summary('check a file of problems and publish them')
      .description(
        `Reads FILE ("-": standard input) as JSON Lines or Parquet, checks every row, then appends one ProblemPublished per row to ${TOPIC.problems}.\n` +
          'One bad row stops the whole file: all bad rows are listed and nothing is recorded (exit code 2).\n' +
          'A problem without an id gets one from the digest of the file and its row, so a file that was published\n' +
          'before is recognised: in full it is refused, in part (after Ctrl-C, or with a --limit) it is continued.\n' +
          'A question that the log holds from elsewhere, to the same --mode, is named; --duplicates skip leaves it out.\n' +
          'Of two that publish the same file at once the later continues where the earlier was, and the earlier stops (exit code 2).',
      )
      .argument('<file>', 'JSON Lines or Parquet, or "-" for standard input'),
  )
    .option(
      '--against <file>',
      'a file kept for testing: a question in it, or nearly the same, is no training problem (may be given several times)',
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
    .option(
      '--ungraded',
      'rows without reference and verifier are problems as well: their answers wait for feedback (seam feedback), and are ungraded at their deadline',
    )
    .addOption(byOption('who publishes'))
    .addOption(tenantOption('whose problems they become'))
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
        ['seam publish --ungraded --mode deploy questions.jsonl', 'the right answers are not known yet'],
        ['seam publish --tenant acme problems.jsonl', 'for a tenant, which sees its own problems alone'],
        ['head -5 problems.jsonl | seam publish -', 'from a pipe'],
        ['seam publish problems.jsonl --dry-run --json', 'check only'],
      ])}`,
    )
    .action((file: string, options: PublishOptions) => run((runtime) => publishProblems(runtime, file, options)));
}
