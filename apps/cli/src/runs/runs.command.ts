import { findRun, type RecordedRun, readRuns } from '@seamstream/operations/status';
import { Command } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { compareRuns, renderComparison, renderRun, renderRunList } from './render-runs.js';

async function runsOf(runtime: CommandRuntime): Promise<readonly RecordedRun[]> {
  const { terminal, signal } = runtime;
  return readRuns(await runtime.openLog('read'), {
    signal,
    progress: (total) => terminal.progress('reading the log', total),
  });
}

async function listRuns(runtime: CommandRuntime, { limit }: { readonly limit?: number }): Promise<ExitCode> {
  const runs = await runsOf(runtime);
  const shown = limit === undefined ? runs : runs.slice(-limit);
  if (runtime.terminal.json) runtime.terminal.printJson({ runs: shown });
  else runtime.terminal.print(renderRunList(shown, runtime.terminal.style));
  return EXIT.ok;
}

async function showRun(runtime: CommandRuntime, meant: string): Promise<ExitCode> {
  const run = findRun(await runsOf(runtime), meant);
  if (runtime.terminal.json) runtime.terminal.printJson(run);
  else runtime.terminal.print(renderRun(run, runtime.terminal.style));
  return EXIT.ok;
}

async function compare(runtime: CommandRuntime, one: string, other: string): Promise<ExitCode> {
  const runs = await runsOf(runtime);
  const [left, right] = [findRun(runs, one), findRun(runs, other)];
  if (runtime.terminal.json)
    runtime.terminal.printJson({ runs: [left.runId, right.runId], rows: compareRuns(left, right) });
  else runtime.terminal.print(renderComparison(left, right, runtime.terminal.style));
  return EXIT.ok;
}

const RUN = 'the first characters of its id, or of the adapter that it made; or "last"';

export function runsCommand(run: RunCommand): Command {
  const list = (options: { readonly limit?: number }): Promise<void> => run((runtime) => listRuns(runtime, options));
  return new Command('runs')
    .summary('training runs: what they learned from, how it went, what was decided')
    .description('Lists every training run of the log. Nothing is recorded.')
    .addHelpText(
      'after',
      examples([
        ['seam runs', 'the list'],
        ['seam runs show last', 'one in full: inputs, settings, steps, comparison'],
        ['seam runs compare 4f3a90c1 9b399f91', 'two beside each other'],
        ['seam runs list --json', 'for a script'],
      ]),
    )
    .action(() => list({}))
    .addCommand(
      new Command('list')
        .summary('every run')
        .option('--limit <n>', 'the newest n runs', wholeNumber('--limit', 1))
        .action(list),
    )
    .addCommand(
      new Command('show')
        .summary('one run in full')
        .argument('<run>', RUN)
        .action((meant: string) => run((runtime) => showRun(runtime, meant))),
    )
    .addCommand(
      new Command('compare')
        .summary('two runs beside each other; of their settings those that differ')
        .argument('<one>', RUN)
        .argument('<other>', RUN)
        .action((one: string, other: string) => run((runtime) => compare(runtime, one, other))),
    );
}
