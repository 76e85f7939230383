/** Users of the gateway, who come with a token of an OpenID provider. */
import { count, onOneLine, SeamError } from '@seamstream/kernel';
import { signOutUser, userIdOf } from '@seamstream/operations/access';
import { readAccessFacts } from '@seamstream/operations/quotas';
import { Command } from 'commander';
import { byOption, checkWords, examples, personOf } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { renderTable } from '../terminal/table.js';
import { minuteOf } from '../terminal/text.js';

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

interface SignOutOptions {
  readonly by?: string;
  readonly reason: string;
}

async function signOut(runtime: CommandRuntime, user: string, options: SignOutOptions): Promise<ExitCode> {
  const { terminal, clock } = runtime;
  const by = await personOf(runtime, options.by);
  const { reason } = options;
  checkWords('--reason', reason);
  await signOutUser(await runtime.openLog('append'), user, { by, reason }, clock);
  if (terminal.json) terminal.printJson({ user, by, reason });
  else terminal.print(`signed out ${onOneLine(user)}; gateways that read the log refuse the sessions from now on\n`);
  return EXIT.ok;
}

async function list(runtime: CommandRuntime): Promise<ExitCode> {
  const { terminal, clock } = runtime;
  const { users } = await readAccessFacts(await runtime.openLog('read'), clock);
  if (terminal.json) terminal.printJson({ users });
  else if (users.length === 0) terminal.print('No user is signed in.\n');
  else {
    const columns = [
      ...['USER', 'TENANT', 'ROLE', 'SIGNED IN', 'UNTIL'].map((title) => ({ title })),
      { title: 'SESSIONS', align: 'right' as const },
    ];
    const rows = users.map(({ userId, tenant, role, signedInAt, expiresAt, sessions }) => [
      ...[userId, tenant, role, minuteOf(signedInAt), minuteOf(expiresAt), count(sessions)],
    ]);
    terminal.print(renderTable(columns, rows, terminal.style));
  }
  return EXIT.ok;
}

export function usersCommand(run: RunCommand): Command {
  return new Command('users')
    .summary('who comes with a token or a login')
    .addCommand(nameCommand(run))
    .addCommand(
      new Command('list')
        .summary('who is signed in')
        .description(
          'Lists users with an open session of the dashboard. Users who send a bearer token have none, and are not in it.',
        )
        .addHelpText('after', examples([['seam gateway users list --json', 'for a script']]))
        .action(() => run(list)),
    )
    .addCommand(
      new Command('sign-out')
        .summary('end all sessions of a user')
        .description(
          'Records that all sessions of the dashboard that a user has begun are over. The user can sign in again, as long as the provider lets them and one of their groups has a role.',
        )
        .argument('<user>', 'its name, as seam gateway users name prints it')
        .addOption(byOption('who ends them'))
        .requiredOption('--reason <text>', 'why')
        .addHelpText(
          'after',
          examples([['seam gateway users sign-out user-Yk3dE6gH9jK2mN5pQ8sT1v --by ada --reason left', 'at once']]),
        )
        .action((user: string, options: SignOutOptions) => run((runtime) => signOut(runtime, user, options))),
    );
}

function nameCommand(run: RunCommand): Command {
  return new Command('name')
    .summary('how events name a user')
    .description('Prints the name by which limits, usage and audit know a user. Events hold nothing else of a user.')
    .argument('<subject>', 'as tokens have it (sub)')
    .requiredOption('--issuer <url>', 'as SEAM_GATEWAY_ISSUER_URL is set')
    .addHelpText(
      'after',
      examples([['seam gateway users name 248289761001 --issuer https://login.example.org', 'for a limit']]),
    )
    .action((subject: string, options: NameOptions) => run((runtime) => name(runtime, subject, options)));
}
