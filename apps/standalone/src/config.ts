/** What `npm start -- …` understands. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { HOSTED_SERVICES, type HostedService } from './host-services.js';

export interface StartOptions {
  readonly exit: boolean;
  readonly seed: number;
  readonly dataDir: string;
  readonly algorithm: string;
  readonly roundSize: number;
  readonly maxRounds: number;
  readonly maxShiftedRounds: number;
  readonly services: readonly HostedService[];
  /** Publish rounds; without it the process only hosts services. */
  readonly drive: boolean;
  readonly heldOut: number;
  readonly json: boolean;
}

function integer(atLeast: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < atLeast)
      throw new InvalidArgumentError(`expected an integer of at least ${atLeast}, came ${JSON.stringify(text)}.`);
    return value;
  };
}

function services(text: string): readonly HostedService[] {
  const names = text === 'none' ? [] : text.split(',');
  const unknown = names.filter((name) => !(HOSTED_SERVICES as readonly string[]).includes(name));
  if (unknown.length > 0)
    throw new InvalidArgumentError(`expected ${HOSTED_SERVICES.join(', ')} or none, came ${unknown.join(', ')}.`);
  return names as HostedService[];
}

/** Parses the arguments; ends the process with help or an error in commander's way. */
export function readStartOptions(argv: readonly string[]): StartOptions {
  const program = new Command('npm start --')
    .description(
      'Watches the whole loop learn on this machine: problems, experiences, outcomes, training, adapters swapped live.',
    )
    .option('--exit', 'end when the loop has converged and write report.json and report.html', false)
    .option('--seed <n>', 'which stream of problems is published', integer(0), 1)
    .option(
      '--data-dir <folder>',
      'where log, objects and reports lie; a run that was stopped goes on from there',
      'data',
    )
    .addOption(
      new Option(
        '--algorithm <name>',
        'sft imitates successes, grpo compares within groups (tapered: TOPR with a group baseline), curriculum changes between them',
      )
        .choices(['curriculum', 'sft', 'grpo'])
        .default('curriculum'),
    )
    .option('--round-size <n>', 'problems per round', integer(8), 64)
    .option('--max-rounds <n>', 'rounds before the new problems appear, at most', integer(1), 16)
    .option(
      '--max-shifted-rounds <n>',
      'rounds with new problems in the stream, at most; 0 leaves them out',
      integer(0),
      10,
    )
    .option('--held-out <n>', 'held-out problems to measure on', integer(8), 512)
    .option('--json', 'print the report on stdout, progress on stderr', false)
    .addOption(
      new Option('--services <names>', 'services to host here, by comma, or none')
        .argParser(services)
        .default(HOSTED_SERVICES, HOSTED_SERVICES.join(',')),
    )
    .option('--no-drive', 'publish nothing: only host services')
    .addHelpText(
      'after',
      '\nExamples:\n  npm start\n  npm start -- --exit --seed 2 --data-dir /tmp/seam\n  npm start -- --exit --algorithm sft --max-shifted-rounds 0',
    )
    .allowExcessArguments(false);
  program.parse([...argv], { from: 'user' });
  return program.opts<StartOptions>();
}
