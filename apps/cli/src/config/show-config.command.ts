/** Every setting that the services on this data folder would have, and where it comes from. */
import { onOneLine } from '@seamstream/kernel';
import { chosenSettings } from '@seamstream/operations/settings';
import { Command } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { renderTable } from '../terminal/table.js';

interface ConfigOptions {
  readonly changed?: true;
}

async function showConfig(
  runtime: CommandRuntime,
  beginnings: readonly string[],
  { changed }: ConfigOptions,
): Promise<ExitCode> {
  const { terminal } = runtime;
  const settings = chosenSettings(await runtime.settings(), { beginnings, changed: changed === true });
  if (terminal.json) terminal.printJson({ settings });
  else {
    terminal.print(
      renderTable(
        [{ title: 'SETTING' }, { title: 'FROM' }, { title: 'VALUE' }],
        settings.map(({ name, value, source }) => [name, source, valueText(value)]),
        terminal.style,
      ),
    );
  }
  return EXIT.ok;
}

/** As the variable would be written. */
function valueText(value: unknown): string {
  if (value === null) return '–';
  return onOneLine(typeof value === 'string' ? value : JSON.stringify(value));
}

export function configCommand(run: RunCommand): Command {
  return new Command('config')
    .summary('every setting, its value, and where it comes from')
    .description(
      'Shows what the services on this data folder would be started with: from --data-dir, the environment, a preset (SEAM_PRESET), what the\n' +
        'folder was begun with, or the default. Secrets are shown as ***. An unknown setting is refused, as services refuse it.',
    )
    .argument('[setting...]', 'only those whose names begin so')
    .option('--changed', 'only those that are set')
    .addHelpText(
      'after',
      examples([
        ['seam config --changed', 'what is not as shipped'],
        ['seam config SEAM_TRAINER', 'those of the trainer'],
        ['seam config --json', 'for a script'],
      ]),
    )
    .action((beginnings: readonly string[], options: ConfigOptions) =>
      run((runtime) => showConfig(runtime, beginnings, options)),
    );
}
