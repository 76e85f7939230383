/** Who vouches for what is in the log: adapters, promotions, rollbacks and versions of the buffer. */

import { plural, shortId } from '@seamstream/kernel';
import { type VerifiedFact, verifyFacts } from '@seamstream/operations/adapters';
import { Command } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { renderTable } from '../terminal/table.js';

async function verify(runtime: CommandRuntime): Promise<ExitCode> {
  const { terminal, signal } = runtime;
  const { trust } = await runtime.signing();
  const facts = await verifyFacts(await runtime.openUnsignedLog('read'), trust, signal);
  const count = (state: VerifiedFact['state']): number => facts.filter((fact) => fact.state === state).length;
  const refused = count('refused');
  if (terminal.json) terminal.printJson({ facts, signed: count('signed'), unsigned: count('unsigned'), refused });
  else {
    const rows = facts.map(({ place, type, digest, state, by }) => [
      place,
      type,
      digest === null ? 'base' : shortId(digest),
      state,
      by.join(', '),
    ]);
    if (rows.length > 0)
      terminal.print(
        renderTable(
          ['place', 'fact', 'digest', 'state', 'by'].map((title) => ({ title })),
          rows,
          terminal.style,
        ),
      );
    for (const { place, reason } of facts) if (reason !== null) terminal.print(`${place}: ${reason}\n`);
    terminal.print(
      `${plural(facts.length, 'fact')}: ${count('signed')} signed, ${count('unsigned')} unsigned, ${refused} refused\n`,
    );
  }
  return refused === 0 ? EXIT.ok : EXIT.failedCheck;
}

export function verifyCommand(run: RunCommand): Command {
  return new Command('verify')
    .summary('who signed adapters, promotions and versions of the buffer')
    .description(
      'Checks every signature in the log against the trusted keys (SEAM_SIGNATURES_TRUSTED_KEYS_FILE). What is refused here, services pass over.',
    )
    .addHelpText('after', examples([['seam adapters verify', 'exits with 1 when something is refused']]))
    .action(() => run((runtime) => verify(runtime)));
}
