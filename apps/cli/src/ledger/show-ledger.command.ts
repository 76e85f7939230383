import { foldProjection } from '@seamstream/log-reader';
import { ledgerProjection } from '@seamstream/read-models';
import { Command } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { renderLedger } from './render-ledger.js';

async function showLedger(runtime: CommandRuntime, options: { readonly check?: true }): Promise<ExitCode> {
  const { terminal, signal } = runtime;
  const log = await runtime.openLog('read');
  const progress = (total: number) => terminal.progress('reading the log', total);
  const { answer: ledger } = await foldProjection(log, ledgerProjection, { signal, progress });
  if (terminal.json) terminal.printJson(ledger);
  else terminal.print(renderLedger(ledger, terminal.style));
  return options.check === true && !ledger.balanced ? EXIT.failedCheck : EXIT.ok;
}

export function ledgerCommand(run: RunCommand): Command {
  return new Command('ledger')
    .summary('is every published problem accounted for?')
    .description(
      'Counts from the log what became of every published problem: solved, failed, expired, dead-lettered or in flight.\n' +
        'It balances when these five sum up to what was published and nothing happened to a problem that nobody published.',
    )
    .option('--check', 'exit with 1 when it does not balance')
    .addHelpText(
      'after',
      examples([
        ['seam ledger', 'the counts'],
        ['seam ledger --check --json', 'for a monitor'],
      ]),
    )
    .action((options: { readonly check?: true }) => run((runtime) => showLedger(runtime, options)));
}
