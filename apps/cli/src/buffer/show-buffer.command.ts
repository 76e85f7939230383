import { readOverview } from '@seamstream/operations/buffer';
import { Command } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, ReadModelOptions, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { asItWas, asOfOption } from '../read-models/read-model-options.js';
import { exportBufferCommand } from './export-buffer.command.js';
import { renderOverview } from './render-overview.js';

async function showBuffer(runtime: CommandRuntime, { asOf }: ReadModelOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const overview = await readOverview(await asItWas(await runtime.openLog('read'), asOf));
  if (terminal.json) terminal.printJson({ ...overview, last: overview.commits.at(-1) ?? null });
  else terminal.print(renderOverview(overview, terminal.style));
  return EXIT.ok;
}

export function bufferCommand(run: RunCommand): Command {
  return new Command('buffer')
    .summary('the success buffer: what is kept per stratum; export it')
    .description(
      'Shows the last committed version: rows per stratum (domain/difficulty), what was admitted, and why successes were rejected.',
    )
    .addHelpText(
      'after',
      examples([
        ['seam buffer', 'the last version'],
        ['seam buffer export --format jsonl --out rows.jsonl', 'its rows'],
        ['seam replay --verify-buffer', 'does the log give it again?'],
      ]),
    )
    .action(() => run((runtime) => showBuffer(runtime, {})))
    .addCommand(
      new Command('show')
        .summary('the last version')
        .addOption(asOfOption())
        .action((options: ReadModelOptions) => run((runtime) => showBuffer(runtime, options))),
    )
    .addCommand(exportBufferCommand(run));
}
