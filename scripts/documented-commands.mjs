// Commands that documents show, held to those that there are: docs/reference/commands.md, which is made of the commands themselves.
const GLOBAL_OPTIONS = ['--data-dir', '--json', '--help', '--version'];

/** By its words, what a command takes: `seam adapters show` → its options, and whether it has arguments. */
export function commandsOf(reference) {
  const sections = reference.split(/^#{2,4} (?=seam )/m).slice(1);
  return new Map(
    sections.map((section) => {
      const name = section.slice(0, section.indexOf('\n')).trim();
      const usage = new RegExp(`^${name} (.*)$`, 'm').exec(section)?.[1] ?? '';
      const options = [...section.matchAll(/^\| `([^`]*)`/gm)].flatMap(([, cell]) => cell.match(/--[a-z-]+/g) ?? []);
      return [
        name,
        { options: new Set([...options, ...GLOBAL_OPTIONS]), hasArguments: /[<[](?!options\])/.test(usage) },
      ];
    }),
  );
}

/** What a document shows that no command understands, by line. @param text Markdown */
export function unknownCommands(text, commands) {
  return shownCommands(text).flatMap(({ words, number }) => {
    if (words[0] === 'help') return [];
    const [name, rest] = longestCommand(words, commands);
    if (name === undefined) return [{ number, fault: `no command "seam ${words[0]}"` }];
    const { options, hasArguments } = commands.get(name);
    const isGroup = [...commands.keys()].some((each) => each.startsWith(`${name} `));
    const [next] = rest;
    if (isGroup && !hasArguments && /^[a-z][a-z-]*$/.test(next ?? '') && next !== 'help')
      return [{ number, fault: `"${name}" has no command "${next}"` }];
    return rest
      .filter((word) => word.startsWith('--'))
      .map((word) => word.replace(/[=\]].*$/, ''))
      .filter(
        (option) => /^--[a-z]/.test(option) && !options.has(option.replace(/^--no-/, '--')) && !options.has(option),
      )
      .map((option) => ({ number, fault: `"${name}" has no option ${option}` }));
  });
}

function longestCommand(words, commands) {
  for (let count = Math.min(words.length, 4); count > 0; count--) {
    const name = ['seam', ...words.slice(0, count)].join(' ');
    if (commands.has(name)) return [name, words.slice(count)];
  }
  return [undefined, words];
}

/** Lines of code blocks and code in prose that begin with `seam`, also behind variables or `npx`. */
function shownCommands(text) {
  const found = [];
  let isCode = false;
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const number = at + 1;
    if (/^\s*(```|~~~)/.test(lines[at])) isCode = !isCode;
    else if (isCode) {
      let line = lines[at];
      while (line.endsWith('\\') && at + 1 < lines.length) line = `${line.slice(0, -1)} ${lines[++at].trim()}`;
      found.push([number, line]);
    } else for (const [, code] of lines[at].matchAll(/`([^`]+)`/g)) found.push([number, code]);
  }
  return found.flatMap(([number, code]) => {
    const shown = /^\s*(?:\$ )?(?:[A-Z][A-Z0-9_]*=\S* )*(?:npx )?seam ([a-z].*)$/.exec(code)?.[1];
    if (shown === undefined) return [];
    const words = shown
      .replace(/ #.*$| [|>&;].*$/, '')
      .replace(/"[^"]*"|'[^']*'/g, 'TEXT')
      .trim()
      .split(/\s+/);
    return [{ number, words }];
  });
}
