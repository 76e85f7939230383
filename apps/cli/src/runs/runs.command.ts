import { newId, shortId } from '@seamstream/kernel';
import { findRun, readRuns } from '@seamstream/operations/read-models';
import { cancelRun } from '@seamstream/operations/runs';
import { Command } from 'commander';
import { byOption, checkWords, examples, personOf, wholeNumber } from '../command-options.js';
import type { CommandRuntime, ReadModelOptions, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { asOfOption, fromScratchOption, keptLogOf } from '../read-models/read-model-options.js';
import { compareRuns, renderComparison, renderRun, renderRunList } from './render-runs.js';

interface ListOptions extends ReadModelOptions {
  readonly limit?: number;
}

async function runsOf(runtime: CommandRuntime, options?: ReadModelOptions): ReturnType<typeof readRuns> {
  return readRuns(...(await keptLogOf(runtime, options)));
}

async function listRuns(runtime: CommandRuntime, { limit, ...options }: ListOptions): Promise<ExitCode> {
  const { answer: runs, use } = await runsOf(runtime, options);
  const shown = limit === undefined ? runs : runs.slice(-limit);
  if (runtime.terminal.json) runtime.terminal.printJson({ runs: shown, ...use });
  else runtime.terminal.print(renderRunList(shown, runtime.terminal.style));
  return EXIT.ok;
}

async function showRun(runtime: CommandRuntime, meant: string, options: ReadModelOptions): Promise<ExitCode> {
  const run = findRun((await runsOf(runtime, options)).answer, meant);
  if (runtime.terminal.json) runtime.terminal.printJson(run);
  else runtime.terminal.print(renderRun(run, runtime.terminal.style));
  return EXIT.ok;
}

async function compare(
  runtime: CommandRuntime,
  [one, other]: readonly [string, string],
  options: ReadModelOptions,
): Promise<ExitCode> {
  const { answer: runs } = await runsOf(runtime, options);
  const [left, right] = [findRun(runs, one), findRun(runs, other)];
  if (runtime.terminal.json)
    runtime.terminal.printJson({ runs: [left.runId, right.runId], rows: compareRuns(left, right) });
  else runtime.terminal.print(renderComparison(left, right, runtime.terminal.style));
  return EXIT.ok;
}

async function cancel(
  runtime: CommandRuntime,
  meant: string,
  { by: named, reason }: { readonly by?: string; readonly reason: string },
): Promise<ExitCode> {
  const by = await personOf(runtime, named);
  checkWords('--reason', reason);
  const { terminal, clock, signal } = runtime;
  const log = await runtime.openLog('append');
  const { runId, meta } = await cancelRun(log, meant, { by, reason, at: clock.now(), messageId: newId() }, signal);
  if (terminal.json) terminal.printJson({ runId, by, reason, at: meta.occurredAt });
  else
    terminal.print(
      `cancelled ${shortId(runId)}: no worker takes it; one that carries it out stops at its next checkpoint\n`,
    );
  return EXIT.ok;
}

const RUN = 'the first characters of its id, or of the adapter that it made; or "last"';

export function runsCommand(run: RunCommand): Command {
  const list = (options: ListOptions): Promise<void> => run((runtime) => listRuns(runtime, options));
  return new Command('runs')
    .summary('training runs: what they learned from, how it went, what was decided')
    .description('Lists every training run of the log. Only cancel records something.')
    .addHelpText(
      'after',
      examples([
        ['seam runs', 'the list'],
        ['seam runs show last', 'one in full: inputs, settings, steps, comparison'],
        ['seam runs compare 4f3a90c1 9b399f91', 'two side by side'],
        ['seam runs list --json', 'for a script'],
      ]),
    )
    .action(() => list({}))
    .addCommand(
      new Command('list')
        .summary('every run')
        .option('--limit <n>', 'the newest n runs', wholeNumber('--limit', 1))
        .addOption(fromScratchOption())
        .addOption(asOfOption())
        .action(list),
    )
    .addCommand(
      new Command('show')
        .summary('one run in full')
        .argument('<run>', RUN)
        .addOption(asOfOption())
        .action((meant: string, options: ReadModelOptions) => run((runtime) => showRun(runtime, meant, options))),
    )
    .addCommand(
      new Command('compare')
        .summary('two runs side by side; of their settings those that differ')
        .argument('<one>', RUN)
        .argument('<other>', RUN)
        .addOption(asOfOption())
        .action((one: string, other: string, options: ReadModelOptions) =>
          run((runtime) => compare(runtime, [one, other], options)),
        ),
    )
    .addCommand(
      new Command('cancel')
        .summary('take a run back that waits for a worker or is being carried out')
        .description(
          'Records that a person cancels the run. No worker takes it any more; a worker that carries it out stops at its next checkpoint, and nothing\n' +
            'of it is served. The next window follows. A run that has ended stays as it is.',
        )
        .argument('<run>', 'the first characters of its id, at least four')
        .addOption(byOption('who decides'))
        .requiredOption('--reason <text>', 'why; recorded')
        .addHelpText(
          'after',
          examples([['seam runs cancel 4f3a90c1 --by ada --reason "wrong base model"', 'the next window follows']]),
        )
        .action((meant: string, options: { readonly by?: string; readonly reason: string }) =>
          run((runtime) => cancel(runtime, meant, options)),
        ),
    );
}
