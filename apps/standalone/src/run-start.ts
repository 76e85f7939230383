/** `npm start`: its arguments, and its faults as a person reads them. */
import { isInputFault, messageOf, systemFault, withoutControls } from '@seamstream/kernel';
import { EXIT, readStartOptions, type StartExit } from './config.js';
import { start } from './start.js';

export async function runStart(argv: readonly string[]): Promise<StartExit> {
  const options = readStartOptions(argv);
  if (typeof options === 'number') return options;
  try {
    return await start(options);
  } catch (thrown) {
    const error = systemFault(thrown) ?? thrown;
    process.stderr.write(`${withoutControls(messageOf(error))}\n`);
    return isInputFault(error) ? EXIT.badInput : EXIT.internal;
  }
}
