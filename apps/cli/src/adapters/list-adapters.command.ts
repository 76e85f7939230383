import { findAdapter } from '@seamstream/operations/adapters';
import type { AdapterLineage } from '@seamstream/read-models';
import { Command } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { Style } from '../terminal/style.js';
import { exchangeCommands } from './exchange-adapters.command.js';
import { readLineage } from './read-lineage.js';
import { renderAdapter, renderAdapterList, renderAdapterTree } from './render-adapters.js';
import { serveCommands } from './serve-adapters.command.js';
import { verifyCommand } from './verify-adapters.command.js';

async function showLineage(
  runtime: CommandRuntime,
  render: (lineage: AdapterLineage, style: Style) => string,
): Promise<ExitCode> {
  const lineage = await readLineage(runtime);
  const { terminal } = runtime;
  if (terminal.json) terminal.printJson(lineage);
  else terminal.print(render(lineage, terminal.style));
  return EXIT.ok;
}

async function showAdapter(runtime: CommandRuntime, digest: string): Promise<ExitCode> {
  const version = findAdapter(await readLineage(runtime), digest);
  const { terminal } = runtime;
  if (terminal.json) terminal.printJson(version);
  else terminal.print(renderAdapter(version, terminal.style));
  return EXIT.ok;
}

export function adaptersCommand(run: RunCommand): Command {
  const command = new Command('adapters')
    .summary('versions, parents, how they were measured, which one is served')
    .description('Lists every adapter in the log. A digest is the adapter: SHA-256 of its content.')
    .addHelpText(
      'after',
      examples([
        ['seam adapters', 'the list'],
        ['seam adapters tree', 'who was trained from whom'],
        ['seam adapters show 4f3a90c1', 'one in full; the first digits suffice'],
        ['seam adapters promote 4f3a90c1 --by ada --reason …', 'serve it'],
        ['seam adapters rollback --by ada --reason …', 'serve the last good one again'],
        ['seam adapters pin 4f3a90c1 --by ada --reason …', 'hold what is served; unpin lets go'],
        ['seam adapters verify', 'who signed what'],
        ['seam replay --verify-adapter 4f3a90c1', 'train it again and compare'],
        ['seam adapters export 4f3a90c1 --peft DIR', 'for peft; import DIR takes one in'],
        ['seam adapters merge 4f3a90c1 --into DIR', 'a whole model'],
      ]),
    )
    .action(() => run((runtime) => showLineage(runtime, renderAdapterList)))
    .addCommand(
      new Command('tree')
        .summary('who was trained from whom')
        .action(() => run((runtime) => showLineage(runtime, renderAdapterTree))),
    )
    .addCommand(
      new Command('show')
        .summary('one adapter in full')
        .argument('<digest>', 'or its first digits, at least four')
        .action((digest: string) => run((runtime) => showAdapter(runtime, digest))),
    );
  for (const serve of serveCommands(run)) command.addCommand(serve);
  command.addCommand(verifyCommand(run));
  for (const exchange of exchangeCommands(run)) command.addCommand(exchange);
  return command;
}
