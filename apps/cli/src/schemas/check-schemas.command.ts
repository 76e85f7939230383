/** Whether this version of the system reads what another one wrote. */
import { onOneLine, plural } from '@seamstream/kernel';
import { checkSchemas, type SchemaCheck } from '@seamstream/operations/cluster';
import { Command } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';

interface SchemasOptions {
  readonly newest: number;
}

function render({ records, versions, findings }: SchemaCheck): string {
  const seen = `Looked at ${plural(records, 'record')}${versions === null ? '' : ` and ${plural(versions, 'version')} in the registry`}.\n`;
  if (findings.length === 0) return `This version reads everything. ${seen}`;
  const lines = findings.map(
    ({ place, records: count, reason }) =>
      `${place}  ${count === null ? '' : `${plural(count, 'record')} cannot be read. The first: `}${onOneLine(reason)}\n`,
  );
  return `${lines.join('')}\n${seen}Install a version that is at least as new as the one that wrote them.\n`;
}

async function check(runtime: CommandRuntime, options: SchemasOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const checked = await checkSchemas(runtime, options);
  if (terminal.json) terminal.printJson(checked);
  else terminal.print(render(checked));
  return checked.findings.length === 0 ? EXIT.ok : EXIT.failedCheck;
}

export function schemasCommand(run: RunCommand): Command {
  return new Command('schemas')
    .summary("schemas of events: whether this version reads the log's and the registry's")
    .addHelpText('after', examples([['seam schemas check', 'before an upgrade or a rollback; exits 1 if not']]))
    .addCommand(
      new Command('check')
        .summary('whether this version reads what is in the log and in the registry')
        .description(
          'Reads the newest records of every partition, and all versions of the subjects of the schema registry where one is\n' +
            'configured. Says which schemas this version cannot read: a newer version wrote them. Changes nothing. Exits 1 when\n' +
            'there are any. Damaged records are not counted: they become dead letters.',
        )
        .option('--newest <n>', 'records of each partition to look at', wholeNumber('--newest', 1), 1000)
        .action((options: SchemasOptions) => run((runtime) => check(runtime, options))),
    );
}
