/** Who did what. */
import { count, onOneLine } from '@seamstream/kernel';
import { ACTS, type Act, type ActName, CHANGES, readAudit } from '@seamstream/operations/audit';
import { Command, Option } from 'commander';
import { examples, readTime } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { Style } from '../terminal/style.js';
import { renderTable } from '../terminal/table.js';
import { minuteOf } from '../terminal/text.js';

interface AuditOptions {
  readonly since?: string;
  readonly by?: string;
  readonly act?: ActName;
  readonly changes?: true;
  readonly tenant?: string;
}

async function audit(runtime: CommandRuntime, options: AuditOptions): Promise<ExitCode> {
  const { terminal, signal } = runtime;
  const { since, by, act, tenant } = options;
  const kinds = act === undefined ? (options.changes === true ? CHANGES : undefined) : [act];
  const sinceMs = since === undefined ? 0 : readTime('--since', since);
  const acts = await readAudit(await runtime.openLog('read'), { sinceMs, by, acts: kinds, tenant, signal });
  if (terminal.json) terminal.printJson({ acts });
  else if (acts.length === 0) terminal.print('No such act is in the log.\n');
  else terminal.print(renderActs(acts, terminal.style));
  return EXIT.ok;
}

function renderActs(acts: readonly Act[], style: Style): string {
  const columns = [
    ...['TIME', 'BY', 'ACT'].map((title) => ({ title })),
    { title: 'TIMES', align: 'right' as const },
    ...['PLACE', 'WHAT'].map((title) => ({ title })),
  ];
  const rows = acts.map(({ at, by, act, times, what, source, place }) => [
    ...[minuteOf(at), by === null ? `– (${onOneLine(source)})` : onOneLine(by), act, count(times)],
    ...[`${onOneLine(place.topic)}/${place.partition}/${place.offset}`, onOneLine(what)],
  ]);
  return renderTable(columns, rows, style);
}

export function auditCommand(run: RunCommand): Command {
  return new Command('audit')
    .summary('who did what, and where the log says so')
    .description(
      'Lists what persons, keys of the gateway and users did, and what they were refused, the oldest first. Questions, problems\n' +
        'and feedback of one actor are one line a minute, with the place of the first. Where no event says who it was, the program\n' +
        'that recorded it is named.',
    )
    .option('--since <time>', 'leaves earlier acts out: a date (of UTC), or a time in ISO 8601 with Z or an offset')
    .option('--by <name>', 'of this person, key (its public part) or user only')
    .addOption(new Option('--act <act>', 'acts of this kind only').choices(ACTS))
    .addOption(
      new Option(
        '--changes',
        'what changes the system only: no questions, problems and feedback, no sign-ins, no refusals',
      ).conflicts('act'),
    )
    .option('--tenant <name>', 'acts in this tenant only')
    .addHelpText(
      'after',
      examples([
        ['seam audit --since 2030-01-31', 'what was done since then'],
        ['seam audit --act refused', 'who was refused what'],
        ['seam audit --changes --tenant acme', 'who changed what in a tenant'],
        ['seam audit --by ada --json', 'for a script'],
      ]),
    )
    .action((options: AuditOptions) => run((runtime) => audit(runtime, options)));
}
