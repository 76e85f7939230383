/** Keys for the gateway. */
import { onOneLine, SeamError } from '@seamstream/kernel';
import { issueKey, listKeys, ROLES, type Role, revokeKey } from '@seamstream/operations/access';
import { Command, Option } from 'commander';
import { byOption, checkWords, examples, personOf } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { tenantOption } from '../tenant-option.js';
import { renderTable } from '../terminal/table.js';
import { minuteOf } from '../terminal/text.js';
import { quotasCommand } from './quotas.command.js';
import { tenantsCommand } from './tenants.command.js';
import { usersCommand } from './users.command.js';

interface IssueOptions {
  readonly role: Role;
  readonly tenant: string;
  readonly by?: string;
  readonly expires?: string;
}

async function issue(runtime: CommandRuntime, name: string, options: IssueOptions): Promise<ExitCode> {
  const { terminal, clock } = runtime;
  const { role, tenant, expires } = options;
  checkWords('NAME', name);
  const by = await personOf(runtime, options.by);
  const expiresAt = expires === undefined ? null : Date.parse(expires);
  if (expiresAt !== null && !(expiresAt > clock.now()))
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot issue a key: expected --expires as a time to come, e.g. 2030-01-31T12:00:00Z, got ${JSON.stringify(expires)}.`,
    );
  const issued = await issueKey(await runtime.openLog('create'), { name, role, tenant, by, expiresAt }, clock);
  if (terminal.json) terminal.printJson({ ...issued, name, role, tenant, expiresAt });
  else terminal.print(`${issued.key}\nKeep it now: it is shown once. Its public part is ${issued.keyId}.\n`);
  return EXIT.ok;
}

async function revoke(
  runtime: CommandRuntime,
  keyId: string,
  { by: named, reason }: { readonly by?: string; readonly reason: string },
): Promise<ExitCode> {
  const { terminal, clock } = runtime;
  const by = await personOf(runtime, named);
  checkWords('--reason', reason);
  await revokeKey(await runtime.openLog('append'), keyId, { by, reason }, clock);
  if (terminal.json) terminal.printJson({ keyId, by, reason });
  else terminal.print(`revoked ${onOneLine(keyId)}; gateways that read the log refuse it from now on\n`);
  return EXIT.ok;
}

async function list(runtime: CommandRuntime): Promise<ExitCode> {
  const { terminal, clock } = runtime;
  const keys = await listKeys(await runtime.openLog('read'), clock);
  if (terminal.json) terminal.printJson({ keys });
  else if (keys.length === 0) terminal.print('No key was issued.\n');
  else {
    const columns = ['KEY', 'TENANT', 'ROLE', 'NAME', 'ISSUED', 'BY', 'STATE'].map((title) => ({ title }));
    const rows = keys.map(({ keyId, tenant, role, name, issuedAt, issuedBy, state }) => [
      ...[keyId, tenant, role, onOneLine(name), minuteOf(issuedAt), onOneLine(issuedBy), state],
    ]);
    terminal.print(renderTable(columns, rows, terminal.style));
  }
  return EXIT.ok;
}

function keysCommand(run: RunCommand): Command {
  return new Command('keys')
    .summary('who may ask the gateway')
    .addCommand(
      new Command('issue')
        .summary('make a key, and show it once')
        .description(
          'Records the digest of a new key, its tenant and its role. The key itself is printed once and kept nowhere.',
        )
        .argument('<name>', 'whose key it is')
        .addOption(new Option('--role <role>', 'what it may do').choices(ROLES).default('publisher'))
        .addOption(tenantOption('whose it is'))
        .addOption(byOption('who issues it'))
        .option('--expires <time>', 'until when it opens, as ISO 8601')
        .addHelpText(
          'after',
          examples([
            ['seam gateway keys issue "support bot" --by ada', 'for a client'],
            ['seam gateway keys issue "support bot" --tenant acme --by ada', 'for a client of the tenant acme'],
          ]),
        )
        .action((name: string, options: IssueOptions) => run((runtime) => issue(runtime, name, options))),
    )
    .addCommand(
      new Command('revoke')
        .summary('close a key for ever')
        .description('Records that a key opens nothing from now on. Gateways follow the log.')
        .argument('<key>', 'its public part')
        .addOption(byOption('who revokes it'))
        .requiredOption('--reason <text>', 'why')
        .addHelpText(
          'after',
          examples([['seam gateway keys revoke aB3dE6gH9jK2 --by ada --reason "it leaked"', 'at once']]),
        )
        .action((keyId: string, options: { by?: string; reason: string }) =>
          run((runtime) => revoke(runtime, keyId, options)),
        ),
    )
    .addCommand(
      new Command('list')
        .summary('keys that were issued, and which are open')
        .description('Lists every key by its public part, the newest first. Secrets are nowhere in the log.')
        .addHelpText('after', examples([['seam gateway keys list --json', 'for a script']]))
        .action(() => run(list)),
    );
}

export function gatewayCommand(run: RunCommand): Command {
  return new Command('gateway')
    .summary('who may ask the gateway, and how much')
    .addHelpText('after', examples([['seam gateway keys list', 'who may']]))
    .addCommand(keysCommand(run))
    .addCommand(usersCommand(run))
    .addCommand(tenantsCommand(run))
    .addCommand(quotasCommand(run));
}
