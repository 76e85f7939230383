/** The `seam` command: which commands there are, and what is the same for all of them. */
import { readFileSync } from 'node:fs';
import { isSeamError, messageOf, systemFault, withoutControls, withoutUrlSecrets } from '@seamstream/kernel';
import { Command, CommanderError } from 'commander';
import { examples } from './command-options.js';
import type { GlobalOptions, Shell } from './command-runtime.js';
import { type CommandContext, loadCommands } from './commands.js';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.js';
import { processShell } from './process-runtime.js';
import { jsonLine } from './terminal/terminal.js';
import { fitted } from './terminal/text.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const AFTER_HELP = `
Exit codes:
  0    done, every check held
  1    a check failed: unbalanced ledger, another digest, a refused run, a finding of the doctor
  2    bad input: unknown option, bad line, something that is not there; nothing was changed
  3    seam start --exit: the loop ended without having converged; there is a report
  70   the system failed
  130  stopped by Ctrl-C
${examples([
  ['seam start', 'watch the loop learn; the commands below look at its log'],
  ['seam publish problems.jsonl', 'publish problems of your own'],
  ['seam solve questions.jsonl', 'answers, by what was learned'],
  ['seam tail outcomes --follow', 'watch the verdicts'],
  ['seam show PROBLEM', 'the whole story of one'],
  ['seam ledger', 'every published problem is accounted for'],
  ['seam help adapters import', 'teaches one command'],
])}
Environment: SEAM_DATA_FOLDER and the other SEAM_* settings; NO_COLOR turns colours off;
COLUMNS says how wide lines may be where no terminal does.
`;

async function program(args: readonly string[], context: CommandContext): Promise<Command> {
  const seam = new Command('seam')
    .description('Publish problems, get answers, watch what happens, replay the log, train and evaluate adapters.')
    .version(version)
    .option('--data-dir <folder>', 'where log and objects are (default: SEAM_DATA_FOLDER, or "data")')
    .option('--json', 'JSON on stdout and nothing else; remarks and progress go to stderr')
    .addHelpText('after', AFTER_HELP)
    .helpCommand(false);
  for (const command of await loadCommands(args, context)) seam.addCommand(command);
  return seam.addCommand(helpCommand());
}

/** Commander's own knows commands of one word. */
function helpCommand(): Command {
  return new Command('help')
    .summary('teaches one command')
    .argument('[command...]')
    .action((names: readonly string[], _options, help: Command) => {
      let command: Command = help.parent!;
      for (const name of names) {
        const child = command.commands.find((candidate) => candidate.name() === name);
        if (child === undefined) command.error(`error: ${pathOf(command)} has no command "${name}"`);
        command = child;
      }
      command.help();
    });
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** What stands behind a fault of the command line. A wrong word may have been meant for a command. */
function whatToTry(command: Command): string {
  const path = pathOf(command);
  const names = command.commands.map((child) => child.name());
  return `${names.length === 0 ? '' : `"${path}" has the commands ${names.join(', ')}. `}Try "${path} --help".`;
}

/** Longer lines are hard to read, however wide a terminal is. */
const HELP_COLUMNS = 120;

/** Output through the shell; commander's own faults (unknown option, missing argument) leave by exception. */
function settle(command: Command, shell: Shell): void {
  command
    .exitOverride()
    .configureOutput({
      // Examples and lists are laid out for wide terminals.
      writeOut: (text) => shell.write(fitted(text, shell.columns ?? Number.POSITIVE_INFINITY)),
      writeErr: (text) => shell.writeError(text),
    })
    .configureHelp({ showGlobalOptions: true, helpWidth: Math.min(shell.columns ?? HELP_COLUMNS, HELP_COLUMNS) })
    .showHelpAfterError(whatToTry(command));
  for (const child of command.commands) settle(child, shell);
}

/** What a failed command says: on stderr for a person, with --json on stdout for a program too. */
function report(error: unknown, json: boolean, shell: Shell): void {
  const known = isSeamError(error);
  shell.writeError(`seam: ${withoutControls(messageOf(error))}\n`);
  if (!known && error instanceof Error) shell.writeError(`${withoutControls(withoutUrlSecrets(error.stack ?? ''))}\n`);
  if (json) {
    const [code, details] = known ? [error.code, error.details] : ['INTERNAL', {}];
    shell.write(jsonLine({ error: { code, message: messageOf(error), details } }));
  }
}

/** A fault of the command line for a program; the text for a person is on stderr by then. */
function usageErrorLine({ code, message }: CommanderError): string {
  // A command that wants one of its commands named says so by its help, and by no message.
  const said = code === 'commander.help' ? 'expected one of the commands that the help lists, got none' : message;
  return jsonLine({
    error: { code: 'INVALID_INPUT', message: said.replace(/^error: /, ''), details: { usage: code } },
  });
}

/** Runs the command line (what stands behind `seam`) and returns its exit code. Never throws. */
export async function runSeam(args: readonly string[], shell: Shell = processShell()): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.ok;
  try {
    const seam = await program(args, {
      run: async (action) => {
        exitCode = await shell.withRuntime(seam.opts<GlobalOptions>(), action);
      },
      start: async (options) => {
        exitCode = await shell.start(options);
      },
      write: (text) => shell.write(text),
    });
    settle(seam, shell);
    await seam.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    const json = args.includes('--json');
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.ok;
      if (json) shell.write(usageErrorLine(error));
      return EXIT.badInput;
    }
    const told = systemFault(error) ?? error;
    report(told, json, shell);
    return exitCodeOf(told);
  }
}
