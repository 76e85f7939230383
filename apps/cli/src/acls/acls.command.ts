/** Whether the rights on a Kafka cluster are as the file says, and making them so. */

import type { Acl, AclDifference } from '@seamstream/event-log-kafka';
import { onOneLine, plural } from '@seamstream/kernel';
import { applyAcls, compareAcls, wantedAcls } from '@seamstream/operations/cluster';
import { Command } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { renderTable } from '../terminal/table.js';

interface AclsOptions {
  /** The shipped one when absent. */
  readonly file?: string;
  readonly revoke?: true;
}

const nameOf = ({ name, pattern }: Acl): string => onOneLine(`${name}${pattern === 'prefixed' ? '*' : ''}`);

function lineOf({ acl, what }: AclDifference): string {
  return `${onOneLine(acl.principal)}  ${what}: ${acl.operation} on ${acl.resource} ${nameOf(acl)}\n`;
}

async function show(runtime: CommandRuntime, options: AclsOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const wanted = await wantedAcls(runtime, options.file);
  if (terminal.json) terminal.printJson({ acls: wanted });
  else {
    const columns = ['PRINCIPAL', 'RESOURCE', 'NAME', 'OPERATION'].map((title) => ({ title }));
    const rows = wanted.map((acl) => [onOneLine(acl.principal), acl.resource, nameOf(acl), acl.operation]);
    terminal.print(renderTable(columns, rows, terminal.style));
  }
  return EXIT.ok;
}

async function diff(runtime: CommandRuntime, options: AclsOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const { wanted, differences } = await compareAcls(runtime, options.file);
  if (terminal.json) terminal.printJson({ differences });
  else if (differences.length === 0) terminal.print(`${plural(wanted, 'right')} as wanted\n`);
  else for (const difference of differences) terminal.print(lineOf(difference));
  return differences.length === 0 ? EXIT.ok : EXIT.failedCheck;
}

async function apply(runtime: CommandRuntime, options: AclsOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const { wanted, applied, left } = await applyAcls(runtime, options.file, { revoke: options.revoke === true });
  if (terminal.json) terminal.printJson({ applied, left });
  else if (applied.length + left.length === 0) terminal.print(`${plural(wanted, 'right')} as wanted already\n`);
  else {
    for (const difference of applied) terminal.print(lineOf(difference));
    for (const difference of left)
      terminal.print(lineOf(difference).replace('\n', '  (left alone: --revoke takes it)\n'));
  }
  return left.length === 0 ? EXIT.ok : EXIT.failedCheck;
}

export function aclsCommand(run: RunCommand): Command {
  const withFile = (command: Command): Command =>
    command.option('--file <path>', 'the wanted rights (default: the shipped file)');
  return new Command('acls')
    .summary(
      'rights on a Kafka cluster, one principal per service: compare them with infra/kafka/acls.json, make them so',
    )
    .addHelpText(
      'after',
      examples([
        ['seam acls show', 'what each service may do'],
        ['seam acls diff', 'what differs; exits 1 if anything does'],
        ['seam acls apply --revoke', 'give missing rights, take those that are not wanted'],
      ]),
    )
    .addCommand(
      withFile(new Command('show'))
        .summary('the rights in the file')
        .description('Lists every right in the file. Asks no cluster.')
        .action((options: AclsOptions) => run((runtime) => show(runtime, options))),
    )
    .addCommand(
      withFile(new Command('diff'))
        .summary('what differs between the file and the cluster')
        .description(
          'Compares the rights of the principals in the file, and those that the cluster gives to anybody (User:*), with the\n' +
            'cluster of SEAM_EVENT_LOG_KAFKA_BROKERS, whose prefix stands before every name. Changes nothing. Exits 1 when\n' +
            'something differs. Needs the right to describe the cluster.',
        )
        .action((options: AclsOptions) => run((runtime) => diff(runtime, options))),
    )
    .addCommand(
      withFile(new Command('apply'))
        .summary('gives what is missing; with --revoke takes what is surplus')
        .description(
          'Gives the rights that are missing. Rights that the file does not name are said and left alone, and it exits 1;\n' +
            '--revoke takes them. Other principals keep what they have. Needs the right to alter the cluster.',
        )
        .option('--revoke', 'take surplus rights of the principals in the file, and of anybody')
        .action((options: AclsOptions) => run((runtime) => apply(runtime, options))),
    );
}
