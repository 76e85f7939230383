/** What the commands' options have in common: values read strictly, examples shown alike. */
import { InvalidArgumentError } from 'commander';

/** Reader of a whole number from `least` on, at most `most`, as commander wants it. */
export function wholeNumber(option: string, least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value > most || value < least) {
      const range = most === Number.MAX_SAFE_INTEGER ? 'on' : `to ${most}`;
      throw new InvalidArgumentError(
        `Reading ${option}: expected a whole number from ${least} ${range}, came "${text}".`,
      );
    }
    return value;
  };
}

/** The "Examples" section of a help text. */
export function examples(lines: readonly (readonly [command: string, meaning: string])[]): string {
  const longest = Math.max(...lines.map(([command]) => command.length));
  return `\nExamples:\n${lines.map(([command, meaning]) => `  ${command.padEnd(longest)}  ${meaning}\n`).join('')}`;
}
