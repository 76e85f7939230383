import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadingOptions } from '@seamstream/operations/read-models';
import { StatusReader } from '@seamstream/operations/status';
import { Command } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import type { CommandRuntime, ReadModelOptions, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { fromScratchOption, keptLogOf } from '../read-models/read-model-options.js';
import { NO_PROGRESS } from '../terminal/progress.js';
import { renderStatus } from './render-status.js';

interface StatusOptions extends ReadModelOptions {
  readonly watch?: true;
  readonly every: number;
}

/** Prints the current state; with `watch` again and again, in place on a terminal and elsewhere when something has changed. */
async function showStatus(runtime: CommandRuntime, options: StatusOptions): Promise<ExitCode> {
  const [kept, reading] = await keptLogOf(runtime, options);
  const reader = new StatusReader(kept);
  try {
    return await showAll(runtime, options, reader, reading);
  } finally {
    reader.close();
  }
}

async function showAll(
  runtime: CommandRuntime,
  { watch, every }: StatusOptions,
  reader: StatusReader,
  reading: ReadingOptions,
): Promise<ExitCode> {
  const { terminal, signal, clock } = runtime;
  let drawn = 0;
  let printed = '';
  for (;;) {
    const status = await reader.read(drawn === 0 ? reading : { signal, progress: () => NO_PROGRESS });
    // The folder may get its first start, or further limits, while it is watched.
    const told = await runtime.toldStart();
    const facts = JSON.stringify([status, told]);
    if (terminal.json) {
      if (facts !== printed) {
        const { start, unread: startUnread } = told;
        terminal.printJson({ ...status, ...reader.use(), start, startUnread });
      }
    } else if (terminal.rows === undefined) {
      if (facts !== printed)
        terminal.print(
          `${printed === '' ? '' : '\n'}${renderStatus({ status, ...told }, clock.now(), terminal.style)}`,
        );
    } else {
      const lines = renderStatus({ status, ...told }, clock.now(), terminal.style)
        .trimEnd()
        .split('\n');
      // A picture that is higher than the screen could not be drawn over.
      const shown = watch === true ? lines.slice(0, Math.max(1, terminal.rows - 1)) : lines;
      terminal.print(`${drawn === 0 ? '' : `\u001b[${drawn}A\r\u001b[J`}${shown.join('\n')}\n`);
      drawn = shown.length;
    }
    printed = facts;
    if (watch !== true) return EXIT.ok;
    await terminal.drained();
    try {
      await sleep(every * 1000, undefined, { signal });
    } catch (error) {
      // Ctrl-C is how a watch is meant to end.
      if (signal.aborted) return EXIT.ok;
      throw error;
    }
  }
}

export function statusCommand(run: RunCommand): Command {
  return new Command('status')
    .summary('the current state: problems, what is served, the last run, lags')
    .description(
      'Counts problems, names the served adapter, the newest buffer and the last run with what it found wrong, and says how many\n' +
        'records each consumer has still to answer. For a folder of seam start it has the settings and the commands that\n' +
        'repeat the run. With --watch again and again, until Ctrl-C. Nothing is recorded.',
    )
    .option('-w, --watch', 'again and again, until Ctrl-C')
    .option('--every <seconds>', 'with --watch: how often', wholeNumber('--every', 1, 3600), 2)
    .addOption(fromScratchOption())
    .addHelpText(
      'after',
      examples([
        ['seam status', 'once'],
        ['seam status --watch', 'next to seam start'],
        ['seam status --watch --every 30 --json', 'a line whenever something changed'],
      ]),
    )
    .action((options: StatusOptions) => run((runtime) => showStatus(runtime, options)));
}
