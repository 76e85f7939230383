import { FAMILY_NAMES, type GeneratedTask } from '@seamstream/grid-tasks';
import { plural, SeamError } from '@seamstream/kernel';
import { type GenerateRequest, generateRows, gridReport, readGridAttempts } from '@seamstream/operations/arc';
import { Command, InvalidArgumentError } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import { type CommandRuntime, type RunCommand, STANDARD_STREAM } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { renderGridReport } from './render-grid-report.js';

interface GenerateOptions extends GenerateRequest {
  readonly out: string;
  readonly force?: true;
}

/** Writes generated tasks, one a line, as `seam publish` reads them. */
async function generate(runtime: CommandRuntime, { out, force, ...request }: GenerateOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  if (out === STANDARD_STREAM && terminal.json)
    throw new SeamError(
      'INVALID_INPUT',
      'Cannot generate tasks: expected one thing on standard output, got --out - and --json. Leave one of the two out.',
    );
  const options = { replace: force };
  await runtime.checkOutput(out, options);
  const rows = [...generateRows(request)];
  await runtime.writeOutput(out, Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join('')), options);
  if (terminal.json) terminal.printJson({ out, tasks: rows.length });
  else if (out === STANDARD_STREAM) terminal.remark(`wrote ${plural(rows.length, 'task')} to standard output`);
  else terminal.print(`wrote ${plural(rows.length, 'task')} to ${out}\n`);
  return EXIT.ok;
}

async function report(runtime: CommandRuntime): Promise<ExitCode> {
  const { terminal, signal } = runtime;
  const attempts = await readGridAttempts(await runtime.openLog('read'), {
    signal,
    progress: (total) => terminal.progress('reading outcomes', total),
  });
  const told = gridReport(attempts);
  if (terminal.json) terminal.printJson(told);
  else terminal.print(renderGridReport(told, terminal.style));
  return EXIT.ok;
}

function parseFamilies(text: string): GeneratedTask['family'][] {
  const names = text.split(',').map((name) => name.trim());
  const families = FAMILY_NAMES.filter((family) => names.includes(family));
  if (families.length < names.length)
    throw new InvalidArgumentError(
      `Cannot read --families: expected names of ${FAMILY_NAMES.join(', ')}, each once, got "${text}".`,
    );
  return families;
}

function generateCommand(run: RunCommand): Command {
  return new Command('generate')
    .summary('tasks whose transformation is known, for use without a download')
    .description(
      'Writes generated tasks in the form of ARC, one a line: a rule with its parameters, pairs that show it, and inputs to\n' +
        'apply it to. The same options give the same tasks. Records nothing; "seam publish" publishes them.',
    )
    .requiredOption('--out <file>', 'where to write; "-" is standard output')
    .option('--force', 'replace a file that is there')
    .option('--tasks <n>', 'tasks of each family', wholeNumber('--tasks', 1, 100_000), 10)
    .option('--families <names>', `comma-separated, all without it: ${FAMILY_NAMES.join(', ')}`, parseFamilies)
    .option('--pairs <n>', 'pairs that show the rule', wholeNumber('--pairs', 1, 100), 3)
    .option('--tests <n>', 'inputs to apply it to', wholeNumber('--tests', 1, 100), 1)
    .option('--max-side <n>', 'longest side of an input', wholeNumber('--max-side', 3, 8), 8)
    .option('--seed <text>', 'decides parameters and inputs', 'seam')
    .addHelpText(
      'after',
      examples([
        ['seam arc generate --out tasks.jsonl', '10 tasks of each family'],
        ['seam arc generate --families flip,rotate --max-side 4 --out - | seam publish -', 'small ones, published'],
      ]),
    )
    .action((options: GenerateOptions) => run((runtime) => generate(runtime, options)));
}

function reportCommand(run: RunCommand): Command {
  return new Command('report')
    .summary('which tool configurations helped, from recorded outcomes')
    .description(
      'Reads the outcomes of tasks on grids: success and cells per arm, what each switch changes within tasks, the best fixed\n' +
        'switches as chosen on other tasks, and configurations that could not be carried out.',
    )
    .addHelpText(
      'after',
      examples([
        ['seam arc report', 'the tables'],
        ['seam arc report --json', 'for a script'],
      ]),
    )
    .action(() => run(report));
}

export function arcCommand(run: RunCommand): Command {
  return new Command('arc')
    .summary('few-shot tasks on grids: generate tasks, see which configurations helped')
    .addHelpText('after', examples([['seam arc report', 'which augmentation helped']]))
    .addCommand(generateCommand(run))
    .addCommand(reportCommand(run));
}
