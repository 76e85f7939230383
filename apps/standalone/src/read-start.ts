/** What a start is about, before anything is made: its files are read, and held against what the folder was begun with. */
import { readFile } from 'node:fs/promises';
import { SeamError, systemClock } from '@seamstream/kernel';
import type { Environment } from '@seamstream/service-kit';
import { namesFiles, optionsIn, type StartOptions } from './config.js';
import { canKeepAttributes } from './demonstrations.js';
import { assertApart, type ProblemFile, readProblemFile } from './own-problems.js';
import {
  decideSettings,
  type FileIdentity,
  hasNewWords,
  type RunFile,
  readRunFile,
  settingsOfFolder,
  type WantedSettings,
} from './run-settings.js';

/** Files of one's own, read. */
interface OwnFiles {
  readonly problems: ProblemFile;
  readonly validation: ProblemFile;
  readonly test: ProblemFile | null;
}

export interface Start {
  /** What the folder was begun with; null where nothing was. */
  readonly kept: RunFile | null;
  /** The settings that hold. */
  readonly run: RunFile;
  /** What rounds are published from and measured on; null in the demonstration, and where services are only hosted. */
  readonly own: OwnFiles | null;
  /** Held-out problems that the report measures on: what was said, else what is usual for the method of the run. */
  readonly heldOut: number;
}

type FileOption = 'problems' | 'validation' | 'test';

/**
 * Reads settings and files. A process that only hosts services reads no file that is not named: the trainer reads what it decides on.
 * @throws CONFLICT for settings or files that are not those of the folder; INVALID_INPUT for a file at fault, or one that lacks another
 */
export async function readStart(given: StartOptions, environment: Environment): Promise<Start> {
  const options = await optionsInFolder(given);
  const { dataDir, said } = options;
  const kept = await readRunFile(dataDir);
  const own = await ownFilesOf(options, kept);
  const preset = environment.SEAM_PRESET ?? environment.SEAM_TRAINER_PRESET ?? null;
  const defaults: WantedSettings['defaults'] = {
    method: options.method,
    seed: options.seed,
    algorithm: options.algorithm,
    // A file that has less than a round is a round.
    roundSize: own === null ? options.roundSize : Math.min(options.roundSize, own.problems.problems.length),
    preset,
    problems: identityOf(own?.problems),
    validation: identityOf(own?.validation),
    test: identityOf(own?.test),
    maxRounds: options.maxRounds,
    maxShiftedRounds: options.maxShiftedRounds,
  };
  const wanted = Object.fromEntries(
    Object.entries(defaults).filter(([name]) => said.has(name) || (name === 'preset' && preset !== null)),
  ) as WantedSettings['said'];
  const at = { now: new Date(systemClock.now()).toISOString(), version: await ownVersion() };
  const run = decideSettings(dataDir, kept, { said: wanted, defaults }, at);
  if (wanted.maxShiftedRounds !== undefined) assertShifts(dataDir, wanted.maxShiftedRounds, run.settings);
  return { kept, run, own, heldOut: options.heldOut };
}

/**
 * The options with what the folder was begun with. Its rounds decide that; a world that was only hosted does not decide how files of
 * one's own are learned from.
 * @throws INVALID_CONFIGURATION for a file of the folder that holds something else
 */
export async function optionsInFolder(options: StartOptions): Promise<StartOptions> {
  const { dataDir } = options;
  const isBegun = !namesFiles(options) || (await readRunFile(dataDir)) !== null;
  return isBegun ? optionsIn(options, await settingsOfFolder(dataDir)) : options;
}

function assertShifts(folder: string, maxShiftedRounds: number, settings: RunFile['settings']): void {
  if (maxShiftedRounds === 0 || hasNewWords(settings)) return;
  const { method, problems } = settings;
  if (problems === null && canKeepAttributes(method))
    throw new SeamError(
      'CONFLICT',
      `Cannot continue in ${folder} with --max-shifted-rounds ${maxShiftedRounds}: expected a folder that was begun with rounds for a shift, got one whose rounds ask about every attribute. Leave it out, or choose another folder (--data-dir).`,
      { details: { folder } },
    );
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot use --max-shifted-rounds ${maxShiftedRounds}: expected --method experiences, attributes or familiar-attributes, without files of one's own, got ${problems === null ? `--method ${method}` : '--problems'}. Leave it out, or choose one of these methods.`,
  );
}

/** The files that the options name, or those that the folder was begun with. */
async function ownFilesOf(options: StartOptions, kept: RunFile | null): Promise<OwnFiles | null> {
  const begun: Readonly<Record<FileOption, FileIdentity | null>> = {
    problems: kept?.settings.problems ?? null,
    validation: kept?.settings.validation ?? null,
    test: kept?.test ?? null,
  };
  const isNamed = namesFiles(options);
  if (!options.drive && !isNamed) return null;
  const pathOf = (name: FileOption): string | undefined => options[name] ?? begun[name]?.path;
  const paths = { problems: pathOf('problems'), validation: pathOf('validation'), test: pathOf('test') };
  if (paths.problems === undefined || paths.validation === undefined) {
    if (!isNamed) return null;
    throw new SeamError('INVALID_INPUT', incompleteness(paths));
  }
  const read = async (name: FileOption, path: string): Promise<ProblemFile> => {
    const file = await readProblemFile(`--${name}`, path);
    const before = begun[name];
    // The file that is measured on decides nothing, so it may change where it is named again.
    const mayChange = name === 'test' && options.test !== undefined;
    if (before?.path === file.path && before.digest !== file.digest && !mayChange) {
      throw new SeamError(
        'CONFLICT',
        `Cannot continue in ${options.dataDir}: it was begun with --${name} ${path} of SHA-256 ${before.digest.slice(0, 12)}, got ${file.digest.slice(0, 12)}: the file has changed. Restore it, or choose another folder (--data-dir).`,
      );
    }
    return file;
  };
  const own = {
    problems: await read('problems', paths.problems),
    validation: await read('validation', paths.validation),
    test: paths.test === undefined ? null : await read('test', paths.test),
  };
  assertApart(own.problems, own.validation, '--validation');
  if (own.test !== null) assertApart(own.problems, own.test, '--test');
  return own;
}

function incompleteness({ problems, validation }: Readonly<Record<FileOption, string | undefined>>): string {
  return problems === undefined && validation === undefined
    ? 'Cannot use --test: expected it together with --problems, got it alone. Use --held-out: the demonstration has its own held-out problems.'
    : `Cannot learn from files: expected --problems and --validation, got only ${problems === undefined ? '--validation' : '--problems'}. Promotions are decided on problems that are not learned from: name both.`;
}

function identityOf(file: ProblemFile | null | undefined): FileIdentity | null {
  return file == null ? null : { path: file.path, digest: file.digest };
}

async function ownVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}
