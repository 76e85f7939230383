import { findAdapter } from '@seamstream/operations/adapters';
import { changesOf, readAdapterUse, withoutDifferences } from '@seamstream/operations/read-models';
import type { AdapterLineage } from '@seamstream/read-models';
import { Command } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, ReadModelOptions, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { asOfOption, fromScratchOption, keptLogOf } from '../read-models/read-model-options.js';
import type { Style } from '../terminal/style.js';
import { exchangeCommands } from './exchange-adapters.command.js';
import { readLineage } from './read-lineage.js';
import { renderAdapter, renderAdapterList, renderAdapterTree } from './render-adapters.js';
import { renderChanges, renderUse } from './render-story.js';
import { serveCommands } from './serve-adapters.command.js';
import { verifyCommand } from './verify-adapters.command.js';

async function showLineage(
  runtime: CommandRuntime,
  options: ReadModelOptions,
  render: (lineage: AdapterLineage, style: Style) => string,
): Promise<ExitCode> {
  const lineage = await readLineage(runtime, options);
  const { terminal } = runtime;
  if (terminal.json) terminal.printJson(withoutDifferences(lineage));
  else terminal.print(render(lineage, terminal.style));
  return EXIT.ok;
}

async function showAdapter(runtime: CommandRuntime, digest: string, options: ReadModelOptions): Promise<ExitCode> {
  const version = findAdapter(await readLineage(runtime, options), digest);
  const { terminal } = runtime;
  if (terminal.json) terminal.printJson(version);
  else terminal.print(renderAdapter(version, terminal.style));
  return EXIT.ok;
}

async function showChanges(runtime: CommandRuntime, digest: string, options: ReadModelOptions): Promise<ExitCode> {
  const changes = changesOf(findAdapter(await readLineage(runtime, options), digest));
  const { terminal } = runtime;
  if (terminal.json) terminal.printJson(changes);
  else terminal.print(renderChanges(changes, terminal.style));
  return EXIT.ok;
}

async function showUse(runtime: CommandRuntime, options: ReadModelOptions): Promise<ExitCode> {
  const { answer, use } = await readAdapterUse(...(await keptLogOf(runtime, options)));
  const { terminal } = runtime;
  if (terminal.json) terminal.printJson({ ...answer, ...use });
  else terminal.print(renderUse(answer, terminal.style));
  return EXIT.ok;
}

function changesCommand(run: RunCommand): Command {
  return new Command('changes')
    .summary('the same problems through an adapter and its parent')
    .description(
      'Shows what the comparison of the two found: problems that the adapter rescued and those that it broke, with the entry and the answer of\n' +
        'each. The log has the first few of each kind in full, and counts the others. Comparisons of earlier releases have counts alone.',
    )
    .argument('<digest>', 'or its first digits, at least four')
    .addOption(asOfOption())
    .addHelpText('after', examples([['seam adapters changes 4f3a90c1', 'what it does that its parent did not']]))
    .action((digest: string, options: ReadModelOptions) => run((runtime) => showChanges(runtime, digest, options)));
}

function useCommand(run: RunCommand): Command {
  return new Command('use')
    .summary('which adapters wrote experiences: how many, first and last')
    .description(
      'Counts experiences by the adapter that wrote them. Its digest is measured from the tensors in use: this is what was served, next to what is\n' +
        'to be served. An experience that was delivered again counts once. Digests of adapters that were never published are counted together.\n' +
        'The log names no instance of a generator.',
    )
    .addOption(fromScratchOption())
    .addOption(asOfOption())
    .addHelpText('after', examples([['seam adapters use', 'does anything still serve an old one?']]))
    .action((options: ReadModelOptions) => run((runtime) => showUse(runtime, options)));
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
        ['seam adapters changes 4f3a90c1', 'problems that it rescued and broke, with entries and answers'],
        ['seam adapters use', 'which ones wrote experiences, first and last'],
        ['seam adapters promote 4f3a90c1 --by ada --reason …', 'serve it'],
        ['seam adapters rollback --by ada --reason …', 'serve the last good one again'],
        ['seam adapters pin 4f3a90c1 --by ada --reason …', 'hold what is served; unpin lets go'],
        ['seam adapters verify', 'who signed what'],
        ['seam replay --verify-adapter 4f3a90c1', 'train it again and compare'],
        ['seam adapters export 4f3a90c1 --peft DIR', 'for peft; import DIR takes one in'],
        ['seam adapters merge 4f3a90c1 --into DIR', 'a whole model'],
      ]),
    )
    .action(() => run((runtime) => showLineage(runtime, {}, renderAdapterList)))
    .addCommand(
      new Command('list')
        .summary('every adapter')
        .addOption(asOfOption())
        .action((options: ReadModelOptions) => run((runtime) => showLineage(runtime, options, renderAdapterList))),
    )
    .addCommand(
      new Command('tree')
        .summary('who was trained from whom')
        .action(() => run((runtime) => showLineage(runtime, {}, renderAdapterTree))),
    )
    .addCommand(
      new Command('show')
        .summary('one adapter in full')
        .argument('<digest>', 'or its first digits, at least four')
        .addOption(asOfOption())
        .action((digest: string, options: ReadModelOptions) => run((runtime) => showAdapter(runtime, digest, options))),
    )
    .addCommand(changesCommand(run))
    .addCommand(useCommand(run));
  for (const serve of serveCommands(run)) command.addCommand(serve);
  command.addCommand(verifyCommand(run));
  for (const exchange of exchangeCommands(run)) command.addCommand(exchange);
  return command;
}
