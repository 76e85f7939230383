import { TOPIC } from '@seamstream/events';
import { SeamError, sha256 } from '@seamstream/kernel';
import { Command, Option } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { count, plural, shortId } from '../terminal/text.js';
import { formatOf, formatOption, formatsHelp } from './formats.js';
import { type PublishMode, type PublishSettings, problemIdOf, readProblemFile, renderFaults } from './problem-lines.js';
import { APPEND_RECORDS, planPublication, problemRecord, publishedIds } from './publish-problems.js';
import { splitLines } from './split-lines.js';

interface PublishOptions {
  readonly format: string;
  readonly mode: PublishMode;
  readonly domain?: string;
  readonly limit?: number;
  readonly again?: true;
  readonly dryRun?: true;
}

/** Checks every line of the file, then publishes its problems. INVALID_INPUT lists the bad lines; nothing is recorded then. */
async function publishProblems(runtime: CommandRuntime, path: string, options: PublishOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const name = path === '-' ? 'standard input' : path;
  const bytes = await runtime.readInput(path);
  const digest = sha256(bytes);
  const format = formatOf(options.format);
  const settings: PublishSettings = {
    format,
    mode: options.mode,
    domain: options.domain,
  };
  const file = readProblemFile(splitLines(bytes), settings, (line) => problemIdOf(digest, line, 0), options.limit);
  if (file.badLines > 0) {
    throw new SeamError(
      'INVALID_INPUT',
      `Publishing ${name} (format ${format.name}): ${count(file.badLines)} of ${plural(file.lines, 'line')} cannot be used; nothing was recorded.\n${renderFaults(file)}\nCorrect these lines and publish again. A line looks like this: ${format.example}`,
      { details: { file: name, lines: file.lines, badLines: file.badLines, faults: file.faults } },
    );
  }
  if (file.problems.length === 0) {
    throw new SeamError(
      'INVALID_INPUT',
      `Publishing ${name}: expected at least one line, came none. A line looks like this: ${format.example}`,
      { details: { file: name } },
    );
  }
  const report = { file: name, digest, problems: file.problems.length };
  if (options.dryRun) {
    if (terminal.json) terminal.printJson({ ...report, published: 0, dryRun: true });
    else
      terminal.print(
        `${name}: all ${plural(file.problems.length, 'line')} are good. Nothing was recorded (--dry-run).\n`,
      );
    return EXIT.ok;
  }

  const log = await runtime.openLog('create');
  const plan = planPublication(file.problems, digest, await publishedIds(log), options.again === true);
  // Everything is encoded before anything is appended: what cannot be encoded is refused as a whole.
  const records = plan.toPublish.map((problem) => problemRecord(problem, runtime.clock.now()));
  const progress = terminal.progress(`publishing to ${TOPIC.problems}`, records.length);
  let published = 0;
  try {
    while (published < records.length && !runtime.signal.aborted) {
      const step = records.slice(published, published + APPEND_RECORDS);
      await log.append(step);
      published += step.length;
      progress.advance(step.length);
    }
  } finally {
    progress.stop();
  }
  if (terminal.json) {
    terminal.printJson({ ...report, published, alreadyPublished: plan.alreadyPublished, pass: plan.pass });
  } else {
    const before = plan.alreadyPublished === 0 ? '' : `, ${count(plan.alreadyPublished)} were in the log already`;
    const pass = plan.pass === 0 ? '' : `, repetition ${plan.pass}`;
    const { style } = terminal;
    terminal.print(
      `${style.green('published')} ${plural(published, 'problem')} of ${name} (${shortId(digest)}${pass})${before}\n`,
    );
  }
  if (published < records.length) {
    terminal.remark(
      `Interrupted after ${count(published)} of ${count(records.length)}. The same command continues where this one stopped.`,
    );
    return EXIT.interrupted;
  }
  return EXIT.ok;
}

export function publishCommand(run: RunCommand): Command {
  return new Command('publish')
    .summary('check a file of problems and publish them')
    .description(
      `Reads FILE ("-": standard input) as JSON Lines, checks every line, then appends one ProblemPublished per line to ${TOPIC.problems}.\n` +
        'One bad line stops the whole file: all bad lines are listed and nothing is recorded (exit code 2).\n' +
        'A problem without an id of its own gets one from the digest of the file and its line, so a file that was published\n' +
        'before is recognised: in full it is refused, in part (after Ctrl-C, or with a smaller --limit) it is continued.',
    )
    .argument('<file>', 'JSON Lines, or "-" for standard input')
    .addOption(formatOption())
    .addOption(
      new Option('--mode <mode>', 'explore: a group of candidates to learn from; deploy: one answer')
        .choices(['explore', 'deploy'])
        .default('explore'),
    )
    .option('--domain <name>', 'domain of every problem, instead of what the lines say')
    .option('--limit <n>', 'publish the first n problems only', wholeNumber('--limit', 1))
    .option('--again', 'publish a file once more, under new ids')
    .option('--dry-run', 'check the file only')
    .addHelpText(
      'after',
      `${formatsHelp()}${examples([
        ['seam publish problems.jsonl', 'publish a file'],
        ['seam publish --format gsm8k --mode deploy test.jsonl', 'GSM8K as published, one answer per problem'],
        ['head -5 problems.jsonl | seam publish -', 'from a pipe'],
        ['seam publish problems.jsonl --dry-run --json', 'check only'],
      ])}`,
    )
    .action((file: string, options: PublishOptions) => run((runtime) => publishProblems(runtime, file, options)));
}
