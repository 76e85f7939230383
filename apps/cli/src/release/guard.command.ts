/** The guard: whether domains are muted in which entries do harm, and a person's word over it. */
import { onOneLine, SeamError, shortId } from '@seamstream/kernel';
import { declareGuard, proposedGuardPlan, ReleaseFactsReader, unmuteDomain } from '@seamstream/operations/release';
import { Command } from 'commander';
import { byOption, checkWords, examples, personOf } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { readingOf } from '../read-models/read-model-options.js';
import { changesIn } from './changes-file.js';

interface Signed {
  readonly by?: string | undefined;
  readonly reason: string;
}

interface OnOptions extends Partial<Signed> {
  readonly plan?: string;
  readonly show?: true;
}

async function switchOn(runtime: CommandRuntime, { plan: file, show, by, reason }: OnOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  if (show === true) {
    const reader = new ReleaseFactsReader(await runtime.openKeptLog());
    try {
      terminal.print(`${JSON.stringify(proposedGuardPlan(await reader.facts(readingOf(runtime))), null, 2)}\n`);
    } finally {
      await reader.close();
    }
    return EXIT.ok;
  }
  if (reason === undefined)
    throw new SeamError('INVALID_INPUT', 'Cannot switch the guard on: expected --reason, got none. Say why.');
  const changes = file === undefined ? {} : changesIn(file, await runtime.readInput(file));
  return declare(runtime, changes, { by, reason });
}

async function declare(
  runtime: CommandRuntime,
  changes: Readonly<Record<string, unknown>> | null,
  { by: named, reason }: Signed,
): Promise<ExitCode> {
  const { terminal } = runtime;
  const by = await personOf(runtime, named);
  checkWords('--reason', reason);
  const event = await declareGuard(runtime, { changes, by, reason }, readingOf(runtime));
  const plan = event.plan === null ? null : (JSON.parse(event.plan) as unknown);
  if (terminal.json) terminal.printJson({ ...event, plan });
  else if (plan === null) terminal.print('switched the guard off: no domain is muted any more\n');
  else terminal.print(`guard ${shortId(event.guardId)} is on: problems that are drawn from now on count for it\n`);
  return EXIT.ok;
}

async function unmute(runtime: CommandRuntime, domain: string, { by: named, reason }: Signed): Promise<ExitCode> {
  const { terminal } = runtime;
  const by = await personOf(runtime, named);
  checkWords('--reason', reason);
  const event = await unmuteDomain(runtime, { domain, by, reason }, readingOf(runtime));
  if (terminal.json) terminal.printJson(event);
  else
    terminal.print(`${onOneLine(domain)} is not muted any more; this guard does not mute it again for this adapter\n`);
  return EXIT.ok;
}

export function guardCommand(run: RunCommand): Command {
  const command = new Command('guard')
    .summary('mute domains in which entries do harm')
    .description(
      'A plan says how sure one has to be that entries do harm in a domain. Then they are withheld there, but for a small share.',
    )
    .addHelpText(
      'after',
      examples([
        ['seam release guard on --by ada --reason "the night is long"', 'risks divided as the traffic is'],
        ['seam release status', 'see what is muted'],
        ['seam release guard unmute sums --by ada --reason "the verifier was wrong"', 'over the rule'],
      ]),
    );
  command
    .command('on')
    .summary('guard what is served, by a plan')
    .option('--plan <file>', 'JSON with what differs from the plan that is taken otherwise; "-" is standard input')
    .option('--show', 'print that plan, and record nothing')
    .addOption(byOption('who decides'))
    .option('--reason <text>', 'why; recorded')
    .action((options: OnOptions) => run((runtime) => switchOn(runtime, options)));
  command
    .command('off')
    .summary('guard nothing any more; what is muted ends')
    .addOption(byOption('who decides'))
    .requiredOption('--reason <text>', 'why; recorded')
    .action((signed: Signed) => run((runtime) => declare(runtime, null, signed)));
  command
    .command('unmute')
    .summary('end the muting of a domain in the name of a person')
    .argument('<domain>', 'the domain')
    .addOption(byOption('who decides'))
    .requiredOption('--reason <text>', 'why; recorded')
    .action((domain: string, signed: Signed) => run((runtime) => unmute(runtime, domain, signed)));
  return command;
}
