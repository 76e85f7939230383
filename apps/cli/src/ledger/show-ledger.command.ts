import { readLedger } from '@seamstream/operations/read-models';
import { Command } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, ReadModelOptions, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { asOfOption, fromScratchOption, keptLogOf } from '../read-models/read-model-options.js';
import { renderLedger } from './render-ledger.js';

interface LedgerOptions extends ReadModelOptions {
  readonly check?: true;
}

async function showLedger(runtime: CommandRuntime, options: LedgerOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const { answer: ledger, use } = await readLedger(...(await keptLogOf(runtime, options)));
  if (terminal.json) terminal.printJson({ ...ledger, ...use });
  else terminal.print(renderLedger(ledger, terminal.style));
  return options.check === true && !ledger.balanced ? EXIT.failedCheck : EXIT.ok;
}

export function ledgerCommand(run: RunCommand): Command {
  return new Command('ledger')
    .summary('is every published problem accounted for?')
    .description(
      'Counts from the log what became of every published problem: solved, failed, expired, dead-lettered or in flight.\n' +
        'It balances when these five sum up to what was published and nothing happened to an unpublished problem.',
    )
    .option('--check', 'exit with 1 when it does not balance')
    .addOption(fromScratchOption())
    .addOption(asOfOption())
    .addHelpText(
      'after',
      examples([
        ['seam ledger', 'the counts'],
        ['seam ledger --check --json', 'for a monitor'],
      ]),
    )
    .action((options: LedgerOptions) => run((runtime) => showLedger(runtime, options)));
}
