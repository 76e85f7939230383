/**
 * Completion for shells, made from the commands themselves: it has all that the command line understands, and nothing else. A script
 * walks the words before the cursor, passes over the values of options, and so knows the command; the shell does the rest. Pure.
 */

export interface OptionFacts {
  /** As it is written, e.g. `--json`; all its names. */
  readonly names: readonly string[];
  readonly takesValue: boolean;
  /** What the value may be; empty where a shell cannot know, or where it is a file. */
  readonly choices: readonly string[];
  readonly summary: string;
}

/** A command with those below it. Options are its own and those of the commands above. */
export interface CommandFacts {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionFacts[];
  readonly commands: readonly CommandFacts[];
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type ShellName = (typeof SHELLS)[number];

interface Place extends CommandFacts {
  /** Names of the commands down to it, without the program's: "adapters show"; empty for the program. */
  readonly path: string;
}

/** The script that a shell reads at its start. */
export function completionScript(shell: ShellName, program: CommandFacts): string {
  const places = placesOf(program, '');
  switch (shell) {
    case 'bash':
      return bash(program.name, places);
    case 'zsh':
      return zsh(program.name, places);
    case 'fish':
      return fish(program.name, places);
  }
}

function placesOf(command: CommandFacts, path: string): Place[] {
  const below = command.commands.flatMap((child) =>
    placesOf(child, path === '' ? child.name : `${path} ${child.name}`),
  );
  return [{ ...command, path }, ...below];
}

/** In single quotes of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** A pattern of `case` that means the text itself. */
const pattern = (texts: readonly string[]): string => texts.map(quoted).join('|');

const steps = (places: readonly Place[]): string[] =>
  places.flatMap(({ path, commands }) => commands.map(({ name }) => `${path}|${name}`));
const valueOptions = (places: readonly Place[]): string[] =>
  places.flatMap(({ path, options }) =>
    options.filter(({ takesValue }) => takesValue).flatMap(({ names }) => names.map((name) => `${path}|${name}`)),
  );
const choices = (places: readonly Place[]): { readonly place: string[]; readonly words: readonly string[] }[] =>
  places.flatMap(({ path, options }) =>
    options
      .filter((option) => option.choices.length > 0)
      .map((option) => ({ place: option.names.map((name) => `${path}|${name}`), words: option.choices })),
  );

/** The part that bash and zsh have in common: `at` is the command that the words before the cursor name. */
function walk(places: readonly Place[], word: string, end: string, first: number): string {
  return `  local at="" word i
  for ((i = ${first}; i < ${end}; i++)); do
    word="${word}"
    case "$at|$word" in
      ${pattern(valueOptions(places))}) ((i++)) ;;
      ${pattern(steps(places))}) at="\${at:+$at }$word" ;;
    esac
  done`;
}

/** A word behind a command that has commands is one of them. */
const takesFiles = (commands: readonly CommandFacts[]): boolean => commands.length === 0;

function bash(program: string, places: readonly Place[]): string {
  const chosen = choices(places).map(
    ({ place, words }) =>
      `    ${pattern(place)}) COMPREPLY=($(compgen -W ${quoted(words.join(' '))} -- "$cur")); return ;;`,
  );
  const words = places.map(({ path, commands, options }) => {
    const all = [...commands.map(({ name }) => name), ...options.flatMap(({ names }) => names)];
    return `    ${quoted(path)}) COMPREPLY=($(compgen -W ${quoted(all.join(' '))} -- "$cur")) ;;`;
  });
  return `# Completion of ${program} for bash: source <(${program} completion bash)
_${program}() {
  local cur="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
${walk(places, '${COMP_WORDS[i]}', 'COMP_CWORD', 1)}
  case "$at|\${COMP_WORDS[COMP_CWORD-1]}" in
${chosen.join('\n')}
    ${pattern(valueOptions(places))}) return ;;
  esac
  case "$at" in
${words.join('\n')}
  esac
}
complete -o default -F _${program} ${program}
`;
}

function zsh(program: string, places: readonly Place[]): string {
  // A colon divides word and description.
  const described = (name: string, summary: string): string => quoted(`${name}:${summary.replaceAll(':', '\\:')}`);
  const chosen = choices(places).map(
    ({ place, words }) => `    ${pattern(place)}) compadd -- ${words.map(quoted).join(' ')}; return ;;`,
  );
  const words = places.map(({ path, commands, options }) => {
    const all = [
      ...commands.map(({ name, summary }) => described(name, summary)),
      ...options.flatMap(({ names, summary }) => names.map((name) => described(name, summary))),
    ];
    return `    ${quoted(path)}) found=(${all.join(' ')}) files=${takesFiles(commands) ? 1 : 0} ;;`;
  });
  return `#compdef ${program}
# Completion of ${program} for zsh: source <(${program} completion zsh), after compinit
_${program}() {
${walk(places, '${words[i]}', 'CURRENT', 2)}
  case "$at|\${words[CURRENT-1]}" in
${chosen.join('\n')}
    ${pattern(valueOptions(places))}) _files; return ;;
  esac
  local -a found
  local files
  case "$at" in
${words.join('\n')}
  esac
  _describe ${quoted(program)} found
  ((files)) && _files
}
# Read at a start, or loaded when it is first needed: as the file _${program} in a folder of $fpath.
if [[ "$funcstack[1]" == _${program} ]]; then _${program} "$@"; else compdef _${program} ${program}; fi
`;
}

function fish(program: string, places: readonly Place[]): string {
  // In single quotes fish knows two escapes.
  const text = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = places.flatMap(({ path, commands, options }) => {
    const where = `complete -c ${program} -n ${text(`test (__${program}_at) = ${text(path)}`)}`;
    return [
      ...(takesFiles(commands) ? [] : [`${where} -f`]),
      ...commands.map(({ name, summary }) => `${where} -a ${text(name)} -d ${text(summary)}`),
      ...options.map(({ names, takesValue, choices: words, summary }) => {
        const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
        const value = words.length > 0 ? ` -x -a ${text(words.join(' '))}` : takesValue ? ' -r' : '';
        return `${where} ${flags.join(' ')}${value} -d ${text(summary)}`;
      }),
    ];
  });
  return `# Completion of ${program} for fish: ${program} completion fish | source
function __${program}_at
  set -l at ''
  set -l passed 0
  for word in (commandline -opc)[2..]
    if test $passed = 1
      set passed 0
      continue
    end
    switch "$at|$word"
      case ${valueOptions(places).map(text).join(' ')}
        set passed 1
      case ${steps(places).map(text).join(' ')}
        set at (string trim "$at $word")
    end
  end
  echo "$at"
end
${lines.join('\n')}
`;
}
