import { loadCommands } from '../../apps/cli/dist/commands.js';
import { code, paragraph, table } from './markdown.mjs';

/** Commands are described, not run. */
const UNUSED = { run: () => () => undefined, start: async () => undefined, write: () => undefined };

const optionRow = ({ flags, description, defaultValue, argChoices }) => [
  code(flags),
  [description, ...(argChoices === undefined ? [] : [`(${argChoices.join(', ')})`])].join(' '),
  defaultValue === undefined || defaultValue === false
    ? ''
    : code(typeof defaultValue === 'string' ? defaultValue : JSON.stringify(defaultValue)),
];

function section(command, above, level) {
  const help = command.createHelp();
  const path = `${above} ${command.name()}`;
  const children = help.visibleCommands(command).filter((child) => child.name() !== 'help');
  const args = help.visibleArguments(command);
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  return [
    `${'#'.repeat(level)} ${path}`,
    paragraph(command.description() || command.summary()),
    ...(children.length > 0 ? [] : [['```', `${path} ${command.usage()}`.trim(), '```'].join('\n')]),
    ...(args.length === 0
      ? []
      : [
          table(
            ['argument', 'meaning'],
            args.map((each) => [code(each.name()), each.description]),
          ),
        ]),
    ...(options.length === 0 ? [] : [table(['option', 'meaning', 'default'], options.map(optionRow))]),
    ...children.map((child) => section(child, path, level + 1)),
  ]
    .flat()
    .join('\n\n');
}

/** Every command with its arguments and options, as `seam help` teaches them. */
export async function commandsPage() {
  const commands = await loadCommands([], UNUSED);
  return `# Commands

${paragraph('`seam help COMMAND` says the same on a terminal, with examples. `--data-dir FOLDER` and `--json` may stand before or after every command.')}

${table(
  ['exit status', 'meaning'],
  [
    [0, 'done, and every check held'],
    [1, 'the command ran, and something that it checked does not hold'],
    [2, 'bad input: an unknown option, a bad line, something that does not exist; nothing was changed'],
    [3, '`seam start --exit`: the loop ended before it converged; there is a report'],
    [70, 'the system failed'],
    [130, 'stopped by Ctrl-C or SIGTERM'],
  ],
)}

${commands.map((command) => section(command, 'seam', 2)).join('\n\n')}
`;
}
