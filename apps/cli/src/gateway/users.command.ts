/** Users of the gateway, who come with a token of an OpenID provider. */
import { SeamError } from '@seamstream/kernel';
import { userIdOf } from '@seamstream/operations/access';
import { Command } from 'commander';
import { checkWords, examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';

interface NameOptions {
  readonly issuer: string;
}

async function name({ terminal }: CommandRuntime, subject: string, { issuer }: NameOptions): Promise<ExitCode> {
  checkWords('SUBJECT', subject);
  if (!URL.canParse(issuer))
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot name a user: expected --issuer as an address, as in SEAM_GATEWAY_ISSUER_URL, got ${JSON.stringify(issuer)}.`,
    );
  const user = userIdOf(issuer, subject);
  if (terminal.json) terminal.printJson({ user, issuer, subject });
  else terminal.print(`${user}\n`);
  return EXIT.ok;
}

export function usersCommand(run: RunCommand): Command {
  return new Command('users').summary('who comes with a token').addCommand(
    new Command('name')
      .summary('how events name a user')
      .description('Prints the name by which limits, usage and audit know a user. Events hold nothing else of a user.')
      .argument('<subject>', 'as tokens have it (sub)')
      .requiredOption('--issuer <url>', 'as SEAM_GATEWAY_ISSUER_URL is set')
      .addHelpText(
        'after',
        examples([['seam gateway users name 248289761001 --issuer https://login.example.org', 'for a limit']]),
      )
      .action((subject: string, options: NameOptions) => run((runtime) => name(runtime, subject, options))),
  );
}
