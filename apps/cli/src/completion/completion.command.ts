/** `seam completion`: what a shell reads to complete this command line. */
import { Argument, Command, type Option } from 'commander';
import { examples } from '../command-options.js';
import { type CommandFacts, completionScript, type OptionFacts, SHELLS, type ShellName } from './completion-script.js';

function optionFacts({ long, short, required, optional, argChoices, description }: Option): OptionFacts {
  return {
    names: [long, short].filter((name) => typeof name === 'string'),
    takesValue: required || optional,
    choices: argChoices ?? [],
    summary: description,
  };
}

/** @param inherited options of the commands above */
function commandFacts(command: Command, inherited: readonly OptionFacts[]): CommandFacts {
  const options = [...command.createHelp().visibleOptions(command).map(optionFacts), ...inherited];
  const lasting = [...command.options.map(optionFacts), ...inherited];
  return {
    name: command.name(),
    summary: command.summary() || command.description(),
    // The innermost command with an option of a name decides what it means.
    options: options.filter(
      ({ names }, index) => options.findIndex((other) => other.names.some((name) => names.includes(name))) === index,
    ),
    commands: command
      .createHelp()
      .visibleCommands(command)
      .map((child) => commandFacts(child, lasting)),
  };
}

/** @param write takes the script */
export function completionCommand(write: (text: string) => void): Command {
  return new Command('completion')
    .summary('completion for bash, zsh or fish')
    .description('Prints what a shell reads at its start to complete commands, options and their values.')
    .addArgument(new Argument('<shell>', 'of the completion').choices(SHELLS))
    .addHelpText(
      'after',
      examples([
        ['source <(seam completion bash)', 'in ~/.bashrc'],
        ['source <(seam completion zsh)', 'in ~/.zshrc, after compinit'],
        ['seam completion fish | source', 'in ~/.config/fish/config.fish'],
      ]),
    )
    .action((shell: ShellName, _options, command: Command) => {
      write(completionScript(shell, commandFacts(command.parent!, [])));
    });
}
