/** Tenants of the gateway. */
import { count } from '@seamstream/kernel';
import { readAccessFacts, tenantsOf } from '@seamstream/operations/quotas';
import { Command } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { renderTable } from '../terminal/table.js';

async function list(runtime: CommandRuntime): Promise<ExitCode> {
  const { terminal, clock } = runtime;
  const tenants = tenantsOf(await readAccessFacts(await runtime.openLog('read'), clock), clock.now());
  if (terminal.json) terminal.printJson({ tenants });
  else {
    const columns = [
      { title: 'TENANT' },
      ...['OPEN KEYS', 'CLOSED KEYS', 'SIGNED IN', 'LIMITS'].map((title) => ({ title, align: 'right' as const })),
    ];
    const rows = tenants.map(({ tenant, openKeys, closedKeys, users, limits }) => [
      tenant,
      ...[openKeys, closedKeys, users, limits].map(count),
    ]);
    terminal.print(renderTable(columns, rows, terminal.style));
  }
  return EXIT.ok;
}

export function tenantsCommand(run: RunCommand): Command {
  return new Command('tenants').summary('whose keys, users and limits there are').addCommand(
    new Command('list')
      .summary('tenants, with how many keys, users and limits each has')
      .description(
        'Lists every tenant that a key, an open session or a limit names. A tenant is a name, so one that only the table of claims names is not in it.',
      )
      .addHelpText('after', examples([['seam gateway tenants list --json', 'for a script']]))
      .action(() => run(list)),
  );
}
