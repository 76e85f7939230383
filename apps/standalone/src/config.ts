/** What `npm start -- …` and `seam start …` understand. */
import { algorithms, CURRICULUM } from '@seamstream/learning';
import { LIBRARY_RECIPES } from '@seamstream/training-runs';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import {
  DEFAULT_DEMONSTRATION,
  DEMONSTRATION_DEFAULTS,
  DEMONSTRATIONS,
  type Demonstration,
  OWN_FILES_DEMONSTRATION,
  SHIFTED_ROUNDS,
} from './demonstrations.js';
import type { WorldSettings } from './run-settings.js';

export const HOSTED_SERVICES = ['generator', 'executor', 'buffer', 'trainer', 'gateway'] as const;
export type HostedService = (typeof HOSTED_SERVICES)[number];

export interface StartOptions {
  readonly exit: boolean;
  readonly method: Demonstration;
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
  /** Files of one's own instead of the demonstration's problems. */
  readonly problems?: string;
  readonly validation?: string;
  readonly test?: string;
  /** Options that were written, not left to their defaults. */
  readonly said: ReadonlySet<string>;
}

/** How a start ends; what they share, `seam` means as well. */
export const EXIT = {
  /** Converged, or asked to stop after the end. */
  ok: 0,
  /** Unknown option, a value or a file at fault, a folder that is taken or was begun with other settings. */
  badInput: 2,
  /** `--exit`: the loop ended, and a domain stands below its target. There is a report. */
  notConverged: 3,
  /** The system failed; EX_SOFTWARE of BSD's sysexits.h. */
  internal: 70,
  /** Stopped before the end; as a shell reports a program that SIGINT ended (128 + 2). */
  interrupted: 130,
} as const;
export type StartExit = (typeof EXIT)[keyof typeof EXIT];

function integer(atLeast: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < atLeast)
      throw new InvalidArgumentError(`expected an integer of at least ${atLeast}, got ${JSON.stringify(text)}.`);
    return value;
  };
}

function services(text: string): readonly HostedService[] {
  const names = text === 'none' ? [] : text.split(',');
  const unknown = names.filter((name) => !(HOSTED_SERVICES as readonly string[]).includes(name));
  if (unknown.length > 0)
    throw new InvalidArgumentError(`expected ${HOSTED_SERVICES.join(', ')} or none, got ${unknown.join(', ')}.`);
  return names as HostedService[];
}

/** @param start how it is typed, e.g. "seam start" */
const helpOf = (start: string): string => `
Examples:
  ${start}
  ${start} --exit --seed 2 --data-dir /tmp/seam
  ${start} --exit --algorithm sft
  ${start} --exit --max-shifted-rounds 8 --data-dir shifted
  ${start} --exit --method self-edits --data-dir edits
  ${start} --exit --method library --data-dir library
  ${start} --exit --problems train.jsonl --validation validation.jsonl --data-dir mine

A data folder keeps the settings that it was begun with (run.json): a start without options resumes with them, one with others is refused.
Limits on rounds may change, but a world of attributes has a shift only where its folder was begun with one.

Ends with 0: converged; 2: an option, a file or a folder at fault; 3: ended without having converged (--exit);
70: the system failed; 130: stopped before the end.`;

/** Where a start keeps its log, objects and reports without --data-dir. */
const dataFolderOf = (environment: NodeJS.ProcessEnv): string => environment.SEAM_DATA_FOLDER ?? 'data';

/**
 * Gives a command the options of a start, less those that `seam` has for all its commands (--data-dir, --json).
 * @param start how it is typed, e.g. "seam start"
 */
export function withStartOptions(command: Command, start: string): Command {
  const defaults = DEMONSTRATION_DEFAULTS[DEFAULT_DEMONSTRATION];
  return command
    .description(
      'Watches the whole loop learn on this machine: problems, experiences, outcomes, training, adapters swapped live.',
    )
    .option('--exit', 'end when the loop has converged and write report.json and report.html', false)
    .addOption(
      new Option(
        '--method <name>',
        `attributes: a generator learns what to tell a frozen executor, in a world that the seed draws, with new words that no table by name can solve; familiar-attributes: where the executor solves half alone; attribute-pairs: where an operator depends on two attributes, and no count table knows new pairs (it is not shown that 16 rounds learn it); experiences: in a world of sixty words, to which new ones come; self-edits: what to train it on; library: texts are collected, and no weight changes; team: three agents are tuned one after the other (default: ${DEFAULT_DEMONSTRATION}; ${OWN_FILES_DEMONSTRATION} with --problems). Defaults below are of ${DEFAULT_DEMONSTRATION}`,
      ).choices([...DEMONSTRATIONS]),
    )
    .option('--seed <n>', 'which stream of problems is published', integer(0), 1)
    .addOption(
      new Option(
        '--algorithm <name>',
        'sft imitates successes, grpo compares within groups (tapered: TOPR with a group baseline), curriculum changes between them; contrast collects what separates success from failure (--method library)',
      )
        .choices([CURRICULUM, ...algorithms.keys(), ...LIBRARY_RECIPES.keys()])
        .default(defaults.algorithm),
    )
    .option('--round-size <n>', 'problems per round', integer(8), defaults.roundSize)
    .option('--max-rounds <n>', 'rounds at most, before new words come', integer(1), defaults.maxRounds)
    .option(
      '--max-shifted-rounds <n>',
      'rounds with what is new in the stream, at most: words (--method experiences), or attributes that a new folder keeps for them (attributes, familiar-attributes)',
      integer(0),
      defaults.maxShiftedRounds,
    )
    .option('--held-out <n>', 'held-out problems to measure on', integer(8), defaults.heldOut)
    .option('--problems <file>', "learn from one's own problems, a file as seam publish reads it, round after round")
    .option('--validation <file>', 'with --problems: problems that promotions are decided on')
    .option(
      '--test <file>',
      'with --problems: problems that the report measures on; kept for later starts; without it those of --validation',
    )
    .addOption(
      new Option('--services <names>', 'services to host here, by comma, or none')
        .argParser(services)
        .default(HOSTED_SERVICES, HOSTED_SERVICES.join(',')),
    )
    .option('--no-drive', 'publish nothing: only host services')
    .addHelpText('after', helpOf(start))
    .allowExcessArguments(false);
}

/** What was said to a command of {@link withStartOptions}, once it is parsed, and to those above it. */
export function startOptionsOf(command: Command, environment: NodeJS.ProcessEnv): StartOptions {
  const options = command.optsWithGlobals<
    Omit<StartOptions, 'said' | 'method' | 'dataDir' | 'json'> & {
      method?: Demonstration;
      dataDir?: string;
      json?: boolean;
    }
  >();
  const said = new Set(Object.keys(options).filter((name) => command.getOptionValueSourceWithGlobals(name) === 'cli'));
  const method = options.method ?? (namesFiles(options) ? OWN_FILES_DEMONSTRATION : DEFAULT_DEMONSTRATION);
  return {
    ...options,
    method,
    ...unsaid(DEMONSTRATION_DEFAULTS[method], said),
    json: options.json ?? false,
    dataDir: options.dataDir ?? dataFolderOf(environment),
    said,
  };
}

/**
 * A start in its folder: what was not said is as the folder was begun, and else as usual for its method.
 * @param begun undefined for a folder that nothing was begun in
 */
export function optionsIn(options: StartOptions, begun: WorldSettings | undefined): StartOptions {
  const { said } = options;
  if (begun === undefined || said.has('method')) return options;
  const { method, seed, lateAttributes } = begun;
  const usual = DEMONSTRATION_DEFAULTS[method];
  // What a folder's world keeps for a shift is to come: services may be hosted there before its first round.
  const maxShiftedRounds = lateAttributes === true ? SHIFTED_ROUNDS : usual.maxShiftedRounds;
  return { ...options, method, ...unsaid({ seed, ...usual, maxShiftedRounds }, said) };
}

/** Those values whose option was not said. */
function unsaid<T extends object>(values: T, said: ReadonlySet<string>): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !said.has(name))) as Partial<T>;
}

/** Whether a start names a file of one's own. */
export function namesFiles(options: Pick<StartOptions, 'problems' | 'validation' | 'test'>): boolean {
  return (['problems', 'validation', 'test'] as const).some((name) => options[name] !== undefined);
}

/** The services to host: what was said, else all, but for a team no trainer: its stages are trained by the loop that drives them. */
export function servicesOf(
  { said, services }: Pick<StartOptions, 'said' | 'services'>,
  method: Demonstration,
): readonly HostedService[] {
  return method === 'team' && !said.has('services') ? services.filter((name) => name !== 'trainer') : services;
}

function program(): Command {
  return withStartOptions(new Command('npm start --'), 'npm start --')
    .option(
      '--data-dir <folder>',
      'where log, objects and reports are; a run that was stopped resumes from there (default: SEAM_DATA_FOLDER, or "data")',
    )
    .option('--json', 'print the report on stdout, progress on stderr', false)
    .exitOverride();
}

/**
 * Parses the arguments; help and faults are written as commander writes them.
 * @returns the options, or the status to end with
 */
export function readStartOptions(
  argv: readonly string[],
  write: { readonly out: (text: string) => void; readonly err: (text: string) => void } = {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  },
): StartOptions | StartExit {
  const command = program().configureOutput({ writeOut: write.out, writeErr: write.err });
  try {
    command.parse([...argv], { from: 'user' });
    return startOptionsOf(command, process.env);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.ok : EXIT.badInput;
  }
}
