/**
 * A search over the settings of ReST-EM: every trial trains on the same recorded attempts and is measured on the same development
 * problems. Trials are in a file, line by line, so that a stopped search continues; the log holds nothing of them.
 */
import { type ReadingSettings, unpublishedProblem } from '@seamstream/datasets';
import type { Problem } from '@seamstream/events';
import { type Clock, canonicalJson, plural, Random, SeamError, sha256 } from '@seamstream/kernel';
import { algorithms, mergeSettings, type Settings } from '@seamstream/learning';
import { type Estimate, pairedDifference, wilsonInterval } from '@seamstream/statistics';
import type { GrowingOutput, GrowOptions } from '../evaluate/asking-world.js';
import { checkFile, type DatasetFile, type InputDoor, openDataset, renderFaults } from '../publish/dataset-file.js';
import type { TrainerClient, TrainingStepReport, Trial } from '../train/training-client.js';
import { ALGORITHM } from './restem.config.js';

/** The values of each searched setting. */
interface SearchSpace {
  readonly learningRate: readonly number[];
  readonly minimumGain: readonly number[];
  /** Of the LoRA; its alpha is twice that, as SEAL has it. */
  readonly rank: readonly number[];
  readonly epochs: readonly number[];
}

/** One value of each. */
type Point = { readonly [K in keyof SearchSpace]: number };

interface SearchRequest {
  readonly space: SearchSpace;
  /** What the points are laid over. */
  readonly settings: Settings;
  readonly trials: number;
  readonly minutes?: number | undefined;
  readonly seed: string;
  readonly out: string;
  readonly force?: true | undefined;
}

interface SearchWorld extends InputDoor {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  openTrainer(): Promise<TrainerClient>;
  growOutput(path: string, options?: GrowOptions): Promise<GrowingOutput>;
  readonly onTraining: (report: TrainingStepReport) => void;
  readonly onTrial: (trial: RecordedTrial, done: number, total: number) => void;
}

/** As it is in the file. */
export interface RecordedTrial {
  /** Digest of what its search has in common. */
  readonly search: string;
  /** Null: what is served, measured first. */
  readonly point: Point | null;
  readonly result: Trial;
}

export interface SearchResult {
  readonly search: string;
  readonly problems: number;
  /** Of the grid. */
  readonly points: number;
  readonly trials: readonly RecordedTrial[];
  /** False: the time was over, and the same command continues. */
  readonly finished: boolean;
  /** Success of what is served. */
  readonly before: Estimate;
  /** The point with the greatest success, of equal ones the first tried; null where no trial made a writer. */
  readonly winner: {
    readonly point: Point;
    readonly success: Estimate;
    /** Less what is served, on the same problems. The interval is that of one comparison: the winner was chosen among several. */
    readonly gain: Estimate;
  } | null;
}

/** @throws INVALID_INPUT listing bad rows; CONFLICT where the file is there and shall not be replaced */
export async function searchRestEm(
  world: SearchWorld,
  path: string,
  settingsFor: (file: DatasetFile) => Promise<ReadingSettings>,
  request: SearchRequest,
): Promise<SearchResult> {
  const until = request.minutes === undefined ? undefined : world.clock.now() + request.minutes * 60_000;
  const problems = await developmentProblems(world, path, settingsFor);
  const trainer = await world.openTrainer();
  const watch = { signal: world.signal, onStep: world.onTraining };
  const trials = await trainer.trials(
    { algorithm: ALGORITHM, configuration: request.settings },
    { name: path, problems },
    watch,
  );
  const grid = Random.of(request.seed, 0).shuffled(pointsOf(request.space));
  const wanted: readonly (Point | null)[] = [null, ...grid.slice(0, request.trials)];
  const search = sha256(canonicalJson([trials.basis, request.settings, request.seed]));
  const done: RecordedTrial[] = [];
  const output = await world.growOutput(request.out, {
    replace: request.force,
    work: 'search',
    async keep(lines) {
      const written: string[] = [];
      for await (const line of lines) written.push(line);
      done.push(...leadingTrials(written, search, wanted));
      return done.length;
    },
  });
  for (const point of wanted.slice(done.length)) {
    world.signal.throwIfAborted();
    if (until !== undefined && done.length > 1 && world.clock.now() >= until) break;
    const result: Trial =
      point === null
        ? { status: 'made', digest: 'served', metrics: {}, solved: await trials.before() }
        : await trials.measure(configurationOf(point, request.settings));
    const trial = { search, point, result };
    await output.append(`${JSON.stringify(trial)}\n`);
    done.push(trial);
    world.onTrial(trial, done.length, wanted.length);
  }
  const finished = done.length === wanted.length;
  if (finished) await output.finish();
  return { search, problems: problems.length, points: grid.length, finished, ...judged(done) };
}

/** Every combination, in the order of the values. */
function pointsOf({ learningRate, minimumGain, rank, epochs }: SearchSpace): readonly Point[] {
  return learningRate.flatMap((rate) =>
    minimumGain.flatMap((gain) =>
      rank.flatMap((each) =>
        epochs.map((passes) => ({ learningRate: rate, minimumGain: gain, rank: each, epochs: passes })),
      ),
    ),
  );
}

/** A point as settings of rest-em. */
export function settingsOf({ learningRate, minimumGain, rank, epochs }: Point): Settings {
  return {
    learningRate: { peak: learningRate },
    minimumGain,
    trainable: { kind: 'lora', rank, alpha: 2 * rank },
    duration: { unit: 'epochs', epochs },
  };
}

function configurationOf(point: Point, settings: Settings): Settings {
  return algorithms.get(ALGORITHM)!.resolveConfiguration(mergeSettings(settings, settingsOf(point)));
}

/** Those of the first lines that are trials of this search, in its order. */
function leadingTrials(
  lines: readonly string[],
  search: string,
  wanted: readonly (Point | null)[],
): readonly RecordedTrial[] {
  const trials: RecordedTrial[] = [];
  for (const [at, line] of lines.entries()) {
    const trial = trialIn(line);
    if (at >= wanted.length || trial?.search !== search) break;
    if (canonicalJson(trial.point) !== canonicalJson(wanted[at]!)) break;
    trials.push(trial);
  }
  return trials;
}

/** Undefined for a malformed line: another file was there. */
function trialIn(line: string): RecordedTrial | undefined {
  try {
    return JSON.parse(line) as RecordedTrial;
  } catch {
    return undefined;
  }
}

function judged(trials: readonly RecordedTrial[]): Pick<SearchResult, 'trials' | 'before' | 'winner'> {
  const solvedOf = ({ result }: RecordedTrial): readonly (boolean | null)[] =>
    result.status === 'made' ? result.solved : [];
  const before = solvedOf(trials[0]!);
  const candidates = trials.flatMap((trial) => {
    if (trial.point === null || trial.result.status === 'refused') return [];
    const solved = solvedOf(trial);
    const pairs = solved.flatMap((own, at): [boolean, boolean][] => {
      const other = before[at] ?? null;
      return own === null || other === null ? [] : [[own, other]];
    });
    const gain = pairedDifference(pairs);
    return gain === null ? [] : [{ point: trial.point, success: shareOf(solved), gain }];
  });
  const most = Math.max(...candidates.map(({ success }) => success.value));
  return { trials, before: shareOf(before), winner: candidates.find(({ success }) => success.value === most) ?? null };
}

function shareOf(solved: readonly (boolean | null)[]): Estimate {
  const known = solved.filter((each) => each !== null);
  const right = known.filter(Boolean).length;
  return { value: known.length === 0 ? 0 : right / known.length, interval95: wilsonInterval(right, known.length) };
}

async function developmentProblems(
  world: InputDoor,
  path: string,
  settingsFor: (file: DatasetFile) => Promise<ReadingSettings>,
): Promise<readonly Problem[]> {
  const file = await openDataset(world, path);
  const problems: Problem[] = [];
  const checked = await checkFile(file, await settingsFor(file), (problem) => {
    if (problem.verifier !== null) problems.push(unpublishedProblem(file.digest, problem));
  });
  if (checked.badRows === 0 && problems.length > 0) return problems;
  const came =
    checked.badRows === 0
      ? 'none'
      : `${plural(checked.badRows, `bad ${file.unit}`)}:\n${renderFaults(file, checked)}\n`;
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot measure on ${file.name}: expected ${file.unit}s that are problems, got ${came}. Correct the file.`,
    { details: { file: file.name, badRows: checked.badRows } },
  );
}
