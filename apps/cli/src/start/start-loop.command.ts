/** `seam start`: the whole loop in one process. Its options and what they mean are the standalone app's. */
import { type StartOptions, startOptionsOf, withStartOptions } from '@seamstream/standalone';
import { Command } from 'commander';

/** @param start runs the loop to its end */
export function startCommand(start: (options: StartOptions) => Promise<void>): Command {
  return withStartOptions(new Command('start').summary('the whole loop on this machine, live'), 'seam start').action(
    (_options, command: Command) => start(startOptionsOf(command, process.env)),
  );
}
