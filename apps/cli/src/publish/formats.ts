import { Option } from 'commander';
import { GSM8K_FORMAT } from './gsm8k.format.js';
import type { ProblemFormat } from './problem-lines.js';
import { SEAM_FORMAT } from './seam.format.js';

/** Every format of problem files by its name. A new one is a file of its own and a line here. */
const FORMATS: Readonly<Record<string, ProblemFormat>> = { seam: SEAM_FORMAT, gsm8k: GSM8K_FORMAT };

/** The format of that name; commander has refused other names. */
export function formatOf(name: string): ProblemFormat {
  return FORMATS[name] ?? SEAM_FORMAT;
}

export function formatOption(): Option {
  return new Option('--format <name>', 'what the lines look like').choices(Object.keys(FORMATS)).default('seam');
}

/** The "Formats" section of a help text. */
export function formatsHelp(): string {
  const lines = Object.values(FORMATS).map(
    ({ name, summary, example }) => `  ${name.padEnd(6)} ${summary}\n         ${example}\n`,
  );
  return `\nFormats:\n${lines.join('')}`;
}
