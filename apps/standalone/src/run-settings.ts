/**
 * What a data folder was begun with. Seed, algorithm, round size, preset and files decide what the loop does, so a folder has one of each:
 * they are written when its first round is about to be published, and a later start that says otherwise is refused. Limits on
 * rounds only say when to stop; they may change, and every change is kept, so that the report can tell how the run is repeated. The first
 * ones also say whether a world of attributes keeps some back for a shift: that stays.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SeamError } from '@seamstream/kernel';
import { CURRICULUM } from '@seamstream/learning';
import { z } from 'zod';
import {
  ATTRIBUTE_PRESETS,
  canKeepAttributes,
  DEMONSTRATION_DEFAULTS,
  DEMONSTRATIONS,
  type Demonstration,
  OWN_FILES_DEMONSTRATION,
} from './demonstrations.js';
import { worldFiles } from './embedded-environment.js';
import { readKept, writeWhole } from './kept-file.js';

const fileIdentitySchema = z.object({
  /** Where it lay at the last start that named it. */
  path: z.string(),
  /** SHA-256 */
  digest: z.string(),
});
export type FileIdentity = z.infer<typeof fileIdentitySchema>;

const fixedSchema = z.object({
  /** Folders of earlier releases know one alone. */
  method: z.enum(DEMONSTRATIONS).default(OWN_FILES_DEMONSTRATION),
  seed: z.int().min(0),
  algorithm: z.string(),
  roundSize: z.int().positive(),
  /** SEAM_PRESET or SEAM_TRAINER_PRESET; null where none was named. */
  preset: z.string().nullable(),
  /** Files of one's own; null in the demonstration. */
  problems: fileIdentitySchema.nullable(),
  validation: fileIdentitySchema.nullable(),
  /** Some attributes are kept for a shift: the folder was begun with rounds for one. Absent elsewhere, as in folders of earlier releases. */
  lateAttributes: z.literal(true).optional(),
});
/** What may not change in a folder. */
export type FixedSettings = z.infer<typeof fixedSchema>;
/** What a folder's world is made of. */
export type WorldSettings = Pick<FixedSettings, 'method' | 'seed' | 'lateAttributes'>;

const limitsSchema = z.object({
  /** ISO 8601: since when. */
  since: z.string(),
  maxRounds: z.int().positive(),
  maxShiftedRounds: z.int().min(0),
});
export type RunLimits = z.infer<typeof limitsSchema>;

const runFileSchema = z.object({
  format: z.literal(1),
  begunAt: z.string(),
  /** Of Seamstream, at the first start. */
  version: z.string(),
  settings: fixedSchema,
  /** Oldest first; the last are in force. */
  limits: z.array(limitsSchema).min(1),
  /** What the report measures on; null: the validation problems, or the demonstration's. Folders of earlier releases do not tell. */
  test: fileIdentitySchema.nullable().default(null),
});
/** What run.json holds. */
export type RunFile = z.infer<typeof runFileSchema>;

/** What a log of rounds says about how they were published, without a file next to it. */
export interface RecordedRounds {
  /** Names of the streams that rounds belong to; see `streamOf`. */
  readonly streams: ReadonlySet<string>;
  /** Problems of the largest round; 0 where there is none. */
  readonly roundSize: number;
  /** Algorithms of the runs of windows. */
  readonly algorithms: ReadonlySet<string>;
}

type Changeable = Pick<RunLimits, 'maxRounds' | 'maxShiftedRounds'> & Pick<RunFile, 'test'>;

/** What a start asks for: what a person said, and what holds where nothing was said and the folder is new. */
export interface WantedSettings {
  readonly said: Partial<FixedSettings> & Partial<Changeable>;
  readonly defaults: FixedSettings & Changeable;
}

/** The stream that a run's rounds belong to, as problems name it. */
export function streamOf({
  method,
  seed,
  problems,
  lateAttributes,
}: WorldSettings & Pick<FixedSettings, 'problems'>): string {
  if (problems !== null) return `file/${problems.digest}/${seed}`;
  if (method === 'experiences') return String(seed);
  return `${method}/${seed}${lateAttributes === true ? `/${LATE}` : ''}`;
}

/** Ends the name of a stream whose world has late attributes. */
const LATE = 'late-attributes';

/** Whether new words come to the rounds: to one world always, to a world of attributes if some were kept for that. */
export function hasNewWords({
  method,
  problems,
  lateAttributes,
}: Pick<FixedSettings, 'method' | 'problems' | 'lateAttributes'>): boolean {
  return problems === null && (method === 'experiences' || lateAttributes === true);
}

/** What runs a start. A separate loop drives a team's stages; its services are hosted as others are. */
export function loopOf(method: Demonstration, { drive }: { readonly drive: boolean }): 'team' | 'rounds' {
  return method === 'team' && drive ? 'team' : 'rounds';
}

/** Settings with an option of the same meaning. Late attributes follow from limits on rounds. */
type SaidSetting = Exclude<keyof FixedSettings, 'lateAttributes'>;

const OPTION: Readonly<Record<SaidSetting, string>> = {
  method: '--method',
  seed: '--seed',
  algorithm: '--algorithm',
  roundSize: '--round-size',
  preset: 'SEAM_PRESET=',
  problems: '--problems',
  validation: '--validation',
};

function shown(name: SaidSetting, value: FixedSettings[SaidSetting]): string {
  if (value === null) return `no ${OPTION[name].replace('=', '')}`;
  if (typeof value === 'object') return `${OPTION[name]} ${value.path} (SHA-256 ${value.digest.slice(0, 12)})`;
  return OPTION[name].endsWith('=') ? `${OPTION[name]}${value}` : `${OPTION[name]} ${value}`;
}

function isSame(a: FixedSettings[SaidSetting], b: FixedSettings[SaidSetting]): boolean {
  if (typeof a === 'object' && typeof b === 'object') return a?.digest === b?.digest;
  return a === b;
}

function refused(folder: string, differing: readonly string[], wayOn: string): SeamError {
  return new SeamError(
    'CONFLICT',
    `Cannot continue in ${folder}: ${differing.join('; ')}. ${wayOn}, or choose another folder (--data-dir).`,
    { details: { folder } },
  );
}

/**
 * The settings that hold for a start. Missing ones are taken from the folder, so that `npm start` alone continues the run in it.
 * @param kept what the folder's file says; null where it has none
 * @param now ISO 8601
 * @throws CONFLICT naming every setting that differs from what the folder was begun with
 */
export function decideSettings(
  folder: string,
  kept: RunFile | null,
  { said, defaults }: WantedSettings,
  { now, version }: { readonly now: string; readonly version: string },
): RunFile {
  if (kept === null) {
    const { maxRounds, maxShiftedRounds, test, ...fixed } = { ...defaults, ...said };
    return {
      format: 1,
      begunAt: now,
      version,
      settings: { ...fixed, ...keptForShift(fixed, maxShiftedRounds) },
      limits: [{ since: now, maxRounds, maxShiftedRounds }],
      test,
    };
  }
  const differing = (Object.keys(OPTION) as SaidSetting[]).flatMap((name) => {
    const wanted = said[name];
    return wanted === undefined || isSame(wanted, kept.settings[name])
      ? []
      : [`this folder was begun with ${shown(name, kept.settings[name])}, got ${shown(name, wanted)}`];
  });
  if (differing.length > 0)
    throw refused(folder, differing, 'Leave out what differs to continue with the settings of the folder');
  const moved = withPathsOf(kept, said);
  const last = kept.limits.at(-1)!;
  const { maxRounds = last.maxRounds, maxShiftedRounds = last.maxShiftedRounds } = said;
  return maxRounds === last.maxRounds && maxShiftedRounds === last.maxShiftedRounds
    ? moved
    : { ...moved, limits: [...kept.limits, { since: now, maxRounds, maxShiftedRounds }] };
}

/** A new folder's world of attributes keeps some where rounds for a shift are wanted: later it could not, since its rounds ask about all. */
function keptForShift(
  { method, problems }: Pick<FixedSettings, 'method' | 'problems'>,
  maxShiftedRounds: number,
): Pick<FixedSettings, 'lateAttributes'> {
  return canKeepAttributes(method) && problems === null && maxShiftedRounds > 0 ? { lateAttributes: true } : {};
}

/** The same files where they lie now, and the file that the report measures on, which decides nothing and may be another. */
function withPathsOf(kept: RunFile, said: WantedSettings['said']): RunFile {
  const problems = said.problems ?? kept.settings.problems;
  const validation = said.validation ?? kept.settings.validation;
  const test = said.test ?? kept.test;
  return problems?.path === kept.settings.problems?.path &&
    validation?.path === kept.settings.validation?.path &&
    test?.path === kept.test?.path &&
    test?.digest === kept.test?.digest
    ? kept
    : { ...kept, settings: { ...kept.settings, problems, validation }, test };
}

/**
 * Holds the settings against the log itself, which knows of rounds that another folder or an older release published.
 * @throws CONFLICT when its rounds were published with another seed, file or round size, or learned from by another algorithm
 */
export function assertRounds(folder: string, settings: FixedSettings, recorded: RecordedRounds): void {
  const differing: string[] = [];
  const own = streamOf(settings);
  for (const stream of recorded.streams) if (stream !== own) differing.push(otherStream(stream, settings));
  if (recorded.streams.has(own) && settings.problems === null && recorded.roundSize !== settings.roundSize)
    differing.push(
      `its log holds rounds of --round-size ${recorded.roundSize}, got ${shown('roundSize', settings.roundSize)}`,
    );
  const others = [...recorded.algorithms].filter(
    (name) => settings.algorithm !== CURRICULUM && name !== settings.algorithm,
  );
  if (recorded.streams.has(own) && others.length > 0)
    differing.push(`its log holds runs of ${others.join(', ')}, got ${shown('algorithm', settings.algorithm)}`);
  if (differing.length > 0) throw refused(folder, differing, 'Start it as it was begun');
}

/** The method whose problems a stream has, as {@link streamOf} names it; `file` for files of one's own. */
function methodOfStream(stream: string): string {
  const [kind, rest] = stream.split('/') as [string, string?];
  return rest === undefined ? OWN_FILES_DEMONSTRATION : kind;
}

function otherStream(stream: string, settings: FixedSettings): string {
  const { problems } = settings;
  const [, rest] = stream.split('/');
  return methodOfStream(stream) === 'file'
    ? `its log holds rounds of a file with SHA-256 ${rest?.slice(0, 12)}, got ${shown('problems', problems)}`
    : `its log holds rounds of ${worldOfStream(stream)}, got ${problems === null ? worldOfStream(streamOf(settings)) : shown('problems', problems)}`;
}

/** How rounds of a demonstration are started. */
function worldOfStream(stream: string): string {
  const [, seed, late] = stream.split('/');
  return `--method ${methodOfStream(stream)} --seed ${seed ?? stream}${late === LATE ? ' with --max-shifted-rounds' : ''}`;
}

/**
 * Holds services that are hosted without rounds against the log: their models and promotions have to be of the world of its rounds. The
 * seed counts where it draws that world. Files of one's own may be anybody's.
 * @throws CONFLICT when the log holds rounds of another world
 */
export function assertHosted(folder: string, settings: FixedSettings, streams: RecordedRounds['streams']): void {
  const { method, problems } = settings;
  const own = streamOf(settings);
  const isSeedOwn = ATTRIBUTE_PRESETS[method] === undefined;
  const others = [...streams].filter((stream) => {
    const kind = methodOfStream(stream);
    if (kind === 'file' || problems !== null || stream === own) return false;
    return !(isSeedOwn && kind === method);
  });
  if (others.length > 0)
    throw refused(
      folder,
      others.map((stream) => otherStream(stream, settings)),
      'Start it as it was begun',
    );
}

const pathOf = (dataFolder: string): string => join(dataFolder, 'run.json');

/** What the folder was begun with; null for one without. @throws INVALID_CONFIGURATION for a file that holds something else */
export async function readRunFile(dataFolder: string): Promise<RunFile | null> {
  const file = await readKept(pathOf(dataFolder), runFileSchema, {
    expected: 'what this folder was begun with',
    remedy: 'Restore the file, or choose another folder (--data-dir).',
  });
  return file ?? null;
}

export function writeRunFile(dataFolder: string, file: RunFile): Promise<void> {
  return writeWhole(pathOf(dataFolder), `${JSON.stringify(file, null, 2)}\n`);
}

/** What a data folder was begun with, as services and commands need it. */
export type BegunSettings = WorldSettings &
  Pick<FixedSettings, 'roundSize' | 'algorithm'> & {
    readonly validation: string | undefined;
  };

/** What the files below world/ were made of. */
const worldSchema = z.object({
  method: z.enum(DEMONSTRATIONS),
  seed: z.int().min(0),
  lateAttributes: z.literal(true).optional(),
});
/** Earlier releases did not write it: without `--method` they knew one world, whose models a folder without a start has, too. */
export const EARLIER_WORLD: z.infer<typeof worldSchema> = { method: OWN_FILES_DEMONSTRATION, seed: 1 };

/**
 * The settings of a data folder as services read them. Without rounds those that its services were hosted with, which its world says;
 * undefined for a folder without a world.
 * @throws as {@link readRunFile}
 */
export async function settingsOfFolder(dataFolder: string): Promise<BegunSettings | undefined> {
  const file = await readRunFile(dataFolder);
  if (file !== null) {
    const { method, seed, lateAttributes, roundSize, algorithm, validation } = file.settings;
    return { method, seed, lateAttributes, roundSize, algorithm, validation: validation?.path };
  }
  const { world, entrySchemas } = worldFiles(dataFolder);
  const kept = await readKept(world, worldSchema, {
    expected: 'what the world of this folder was made of',
    remedy: 'Restore the file, or choose another folder (--data-dir).',
  });
  if (kept === undefined && !existsSync(entrySchemas)) return undefined;
  const { method, seed, lateAttributes } = kept ?? EARLIER_WORLD;
  const { roundSize, algorithm } = DEMONSTRATION_DEFAULTS[method];
  return { method, seed, lateAttributes, roundSize, algorithm, validation: undefined };
}
