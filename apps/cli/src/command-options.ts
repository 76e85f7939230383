/** What the commands' options have in common: values read strictly, examples shown alike. */
import { isoTimeOf, onOneLine, SeamError } from '@seamstream/kernel';
import { InvalidArgumentError, Option } from 'commander';
import type { CommandRuntime } from './command-runtime.js';

/** Reader of a whole number from `least` on, at most `most`, as commander wants it. */
export function wholeNumber(option: string, least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value > most || value < least) {
      const range = most === Number.MAX_SAFE_INTEGER ? 'on' : `to ${most}`;
      throw new InvalidArgumentError(
        `Cannot read ${option}: expected a whole number from ${least} ${range}, got "${text}".`,
      );
    }
    return value;
  };
}

/** Reader of a decimal number above 0, at most `most` where it is given. */
export function positiveNumber(option: string, most = Number.MAX_VALUE): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text) && value > 0 && value <= most) return value;
    const range = most === Number.MAX_VALUE ? '' : `, at most ${most}`;
    throw new InvalidArgumentError(`Cannot read ${option}: expected a number above 0${range}, got "${text}".`);
  };
}

/**
 * A person's words about a decision are recorded, and shown on other people's terminals.
 * @throws INVALID_INPUT for a blank text and for one with control characters
 */
export function checkWords(option: string, text: string): void {
  const expect = (expected: string, got: string): never => {
    throw new SeamError('INVALID_INPUT', `Cannot read ${option}: expected ${expected}, got ${got}. Say it in words.`);
  };
  if (text.trim() === '') expect('a text', 'a blank one');
  if (onOneLine(text) !== text) expect('one line without control characters', onOneLine(text));
}

/** Who acts, of every command that records an act. @param does what a person does by it, e.g. "who publishes" */
export function byOption(does: string): Option {
  return new Option('--by <name>', `${does}; recorded (default: SEAM_PERSON, else the user of this machine)`);
}

/**
 * Who acts: as the command says, else as the configuration says, else who is logged in on this machine (docs/adr/0117).
 * @throws INVALID_INPUT for a name that is no line of text
 */
export async function personOf(runtime: Pick<CommandRuntime, 'person'>, by: string | undefined): Promise<string> {
  const person = by ?? (await runtime.person());
  checkWords('--by', person);
  return person;
}

/** A time that a person wrote, in milliseconds since the Unix epoch: the same wherever the command runs. @throws INVALID_INPUT */
export function readTime(option: string, text: string): number {
  const at = isoTimeOf(text);
  if (at === undefined)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot read ${option}: expected a time in ISO 8601 with Z or an offset, or a date (of UTC), e.g. 2030-01-31T12:00:00Z or 2030-01-31, got ${JSON.stringify(text)}.`,
    );
  return at;
}

/** The "Examples" section of a help text. */
export function examples(lines: readonly (readonly [command: string, meaning: string])[]): string {
  const longest = Math.max(...lines.map(([command]) => command.length));
  return `\nExamples:\n${lines.map(([command, meaning]) => `  ${command.padEnd(longest)}  ${meaning}\n`).join('')}`;
}
