/** Whether values of the chart make a deployment that works. */
import { onOneLine, plural } from '@seamstream/kernel';
import { checkDeployment, type DeploymentCheck } from '@seamstream/operations/deploy';
import { Command } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { Style } from '../terminal/style.js';
import { readSettings } from './settings-readers.js';

interface DeployOptions {
  readonly production?: true;
  readonly objects?: string;
}

function render({ findings, looked }: DeploymentCheck, style: Style): string {
  const asked =
    looked === null
      ? 'The objects of the namespace were not looked at.'
      : `Looked for ${plural(looked, 'object')} of the namespace.`;
  if (findings.length === 0) return `${style.green('Nothing is missing.')} ${asked}\n`;
  const said = findings.map(({ code, severity, value, message, remedy }) => {
    const mark = severity === 'error' ? style.red(severity) : style.yellow(severity);
    return `${mark}  ${style.bold(code)}  ${onOneLine(value)}\n  ${onOneLine(message)}\n  ${style.dim('What to do:')} ${onOneLine(remedy)}\n`;
  });
  return `${said.join('\n')}\n${asked}\n`;
}

async function check(runtime: CommandRuntime, paths: readonly string[], options: DeployOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const { objects, production = false } = options;
  const world = { readInput: (path: string) => runtime.readInput(path), readSettings };
  const checked = await checkDeployment(world, paths, { production, objects });
  if (terminal.json) terminal.printJson(checked);
  else terminal.print(render(checked, terminal.style));
  return checked.findings.some(({ severity }) => severity === 'error') ? EXIT.failedCheck : EXIT.ok;
}

export function deployCommand(run: RunCommand): Command {
  return new Command('deploy')
    .summary('a deployment on Kubernetes: what is missing or contradictory in its values')
    .addHelpText(
      'after',
      examples([
        ['seam deploy check values.yaml', 'before helm install'],
        ['seam deploy check production.yaml own.yaml --production', 'files on top of each other, as helm -f'],
        [
          'seam deploy check own.yaml --objects objects.txt',
          'and whether the Secrets exist (docs/how-to/kubernetes.md)',
        ],
      ]),
    )
    .addCommand(
      new Command('check')
        .summary('what is missing or contradictory in values of the chart')
        .description(
          'Puts the files on top of the values of the chart, as Helm does, and says in plain words what the chart refuses, what does\n' +
            'not start or does not work, which settings a service refuses, and what production should not have. With --objects it also looks for the Secrets, ConfigMaps\n' +
            'and volumes that the values name. Changes nothing. Exits 1 when there is an error; warnings alone exit 0.',
        )
        .argument('<values...>', 'files of values, the later ones on top')
        .option('--production', 'what is tolerable in a trial is an error')
        .option(
          '--objects <file>',
          'what the namespace holds: kind, name and keys on a line each ("-" reads standard input)',
        )
        .action((paths: readonly string[], options: DeployOptions) => run((runtime) => check(runtime, paths, options))),
    );
}
