/** A line of a document that begins with `seam`, read as the command line reads it. */
import { loadCommands } from '../../apps/cli/src/commands.js';

type Commands = Awaited<ReturnType<typeof loadCommands>>;

/** Commands are looked at, not run. */
const UNUSED = { run: () => () => undefined, start: async () => undefined, write: () => undefined };

let commands: Promise<Commands> | undefined;

/** What is wrong with the line's words; null where each command and option exists. */
export async function complaintAbout(line: string): Promise<string | null> {
  commands ??= loadCommands([], UNUSED as unknown as Parameters<typeof loadCommands>[1]);
  const words = line.split(/\s+/).slice(1);
  let found: Commands[number] | undefined;
  for (const [at, word] of words.entries()) {
    if (word.startsWith('--')) {
      if (found?.options.some(({ long }) => long === word) !== true) return `${line}: no option ${word}`;
      continue;
    }
    const among: Commands = at === 0 ? await commands : (found?.commands ?? []);
    const next = among.find((each) => each.name() === word);
    // Values of options, and arguments.
    if (next === undefined && found?.commands.length === 0) continue;
    if (next === undefined) return `${line}: no command ${word}`;
    found = next;
  }
  return null;
}
