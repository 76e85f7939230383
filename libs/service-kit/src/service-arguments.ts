/** The command line of a service: no arguments, or an option that prints something. Settings come from the environment. */
import { parseArgs } from 'node:util';
import { messageOf } from '@seamstream/kernel';
import type { z } from 'zod';
import { commonConfigSchema } from './config/common-config.js';
import { variableNames } from './config/load-config.js';

/** Its message names the argument. */
export class WrongArguments extends Error {}

/** @throws WrongArguments for any argument that is not an option of a service */
export function wishOf(argv: readonly string[]): 'run' | 'help' | 'print-config' {
  const options = { help: { type: 'boolean', short: 'h' }, 'print-config': { type: 'boolean' } } as const;
  try {
    const { values } = parseArgs({ args: [...argv], options, allowPositionals: false });
    return values.help ? 'help' : values['print-config'] ? 'print-config' : 'run';
  } catch (error) {
    throw new WrongArguments(messageOf(error), { cause: error });
  }
}

/** The text of `--help`. */
export function usage(name: string, purpose: string, schema: z.ZodObject): string {
  const common = new Set(variableNames(commonConfigSchema));
  const own = variableNames(schema).filter((each) => !common.has(each));
  return `Seamstream's ${name}. ${purpose}

Usage: node apps/${name}/dist/main.js [option]

  --print-config  shows the resolved configuration as JSON, secrets as ***, and ends
  -h, --help      shows this and ends

Without an option it runs until SIGTERM or SIGINT.

Settings are environment variables, named after their place in the configuration: eventLog.driver is
SEAM_EVENT_LOG_DRIVER. Those of this service alone:
${own.map((each) => `  ${each}`).join('\n')}
What they mean: apps/${name}/src/config.ts; log, object store and the rest: docs/how-to/distributed.md.

Exit status: 0 after a signal, 64 unknown argument, 78 faulty configuration or a Node that is too old, 1 the service cannot do its work.
`;
}
