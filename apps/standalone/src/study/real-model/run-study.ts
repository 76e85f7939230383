/**
 * A study with a real model: the shipped loop learns on generated problems, the same learner tries shuffled rewards, and held-out problems
 * are asked in every arm. What is done is kept in the folder, so that a study that was killed resumes and pays nothing twice: the loops by
 * their logs, measurements by one file for each piece.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '@seamstream/events';
import { canonicalJson, SeamError, sha256 } from '@seamstream/kernel';
import { decodeServed, type Served } from '@seamstream/rollout';
import { closeDrivers, type Drivers, type Environment, makeFolder, openDrivers } from '@seamstream/service-kit';
import { z } from 'zod';
import type { StartOptions } from '../../config.js';
import { embeddedEnvironment, worldFiles } from '../../embedded-environment.js';
import { hostServices, loadServiceConfigs } from '../../host-services.js';
import { readKept, writeWhole } from '../../kept-file.js';
import { asProblems, readProblemFile } from '../../own-problems.js';
import { runLoop } from '../../run-loop.js';
import { measurePiece, type Piece, type Solved, type StudyRow } from './measure-piece.js';
import { type ExploredRound, exploredRounds, lastAdapter, type StoredAdapter, solvedCases } from './recorded-events.js';
import { learnShuffled, type ShuffledRun, shuffledRound } from './shuffled-log.js';
import {
  essenceReport,
  type GateDecision,
  joined,
  leaksOf,
  readByEssence,
  rowReports,
  type StudyReport,
  studyText,
} from './study-report.js';
import { assertNoLeak, SPLITS, type Split, type StudyTask, type TaskProblem } from './study-task.js';

export interface StudyOptions {
  readonly task: StudyTask;
  /** Of generator and executor, for a task without its own models. */
  readonly modelFolder: string;
  readonly folder: string;
  readonly seed: number;
  readonly algorithm: string;
  readonly rounds: number;
  /** Problems of a round. */
  readonly roundSize: number;
  readonly validation: number;
  readonly heldOut: number;
  readonly environment: Environment;
  readonly say: (text: string) => void;
}

/** Held-out problems that are measured together, in all arms: what a kill can cost at most. */
const PIECE = 16;
const EXAMPLES = 3;

/** The files and folders of a study. */
const placesIn = (folder: string) => ({
  file: (split: string) => join(folder, `${split}.jsonl`),
  schemas: join(folder, 'entry-schemas.json'),
  settings: join(folder, 'study.json'),
  loop: join(folder, 'loop'),
  loopEnd: join(folder, 'loop.json'),
  shuffled: join(folder, 'shuffled'),
  shuffledEnd: join(folder, 'shuffled.json'),
  piece: (from: number) => join(folder, `piece-${from}.json`),
  report: join(folder, 'report.json'),
  text: join(folder, 'report.txt'),
});
type Places = ReturnType<typeof placesIn>;

/**
 * Runs or resumes the study to its end.
 * @returns the report, which lies in the folder as report.json and report.txt too
 * @throws CONFLICT for a folder of a study with other settings; INVALID_INPUT for splits that share something; what ends a loop
 */
export async function runStudy(
  options: StudyOptions,
): Promise<{ readonly report: StudyReport; readonly text: string }> {
  const { folder, task, seed, algorithm, say } = options;
  const places = placesIn(folder);
  await makeFolder(folder);
  const splits = await writeProblems(options, places);
  // 1. The loop: rounds of sampled entries, training and the gate, in the services' own words.
  const decisions = await kept(places.loopEnd, () => playLoop(options, places));
  // 2. The same learner on the first round, with verdicts that say nothing.
  const shuffledRun = await kept(places.shuffledEnd, () => runShuffled(options, places));
  // 3. Held-out problems, in every arm.
  const heldOut = asProblems(await readProblemFile('heldOut', places.file('heldOut')));
  const { pieces, executor, adapter, explored } = await measure(options, places, heldOut, shuffledRun);
  const entries = pieces.flatMap((piece) => piece.entries);
  const { essence } = task;
  const read = essence === undefined ? null : readByEssence(essence, splits.heldOut, entries);
  const rows = new Map<StudyRow, Solved>([
    ...joined(pieces),
    ...(read === null ? [] : [['entryByEssence', read] as const]),
  ]);
  const report: StudyReport = {
    ...{ task: task.name, seed, algorithm, executor, adapter, shuffled: shuffledRun.ending },
    rounds: explored.map((round) => {
      const decision = decisions.find((each) => each.round === round.round);
      return { ...round, promoted: decision?.promoted ?? false, validation: decision?.validation ?? null };
    }),
    problems: { train: splits.train.length, validation: splits.validation.length, heldOut: heldOut.length },
    rows: rowReports(rows),
    leaks: leaksOf(pieces),
    essence: essence === undefined ? null : essenceReport(essence, read!, rows.get('trained') ?? []),
    examples: heldOut.slice(0, EXAMPLES).map(({ prompt }, at) => ({
      prompt,
      entry: entries[at] ?? null,
      solved: rows.get('trained')?.[at] ?? null,
    })),
  };
  const text = studyText(report);
  await writeWhole(places.report, `${JSON.stringify(report, null, 2)}\n`);
  await writeWhole(places.text, `${text}\n`);
  say(`report: ${places.text}`);
  return { report, text };
}

/** What a file holds that was written when the work was done; otherwise the work is done, and kept. */
async function kept<T>(path: string, work: () => Promise<T>): Promise<T> {
  const done = await readKept(path, z.unknown(), {
    expected: 'JSON as the study wrote it',
    remedy: 'Delete it: this part of the study is done again.',
  });
  if (done !== undefined) return done as T;
  const result = await work();
  await writeWhole(path, `${JSON.stringify(result)}\n`);
  return result;
}

async function writeProblems(
  { task, seed, rounds, roundSize, validation, heldOut, algorithm, folder }: StudyOptions,
  places: Places,
): Promise<Readonly<Record<Split, readonly TaskProblem[]>>> {
  const counts: Readonly<Record<Split, number>> = {
    ...{ development: 0, train: rounds * roundSize, validation, heldOut },
  };
  const splits = Object.fromEntries(
    SPLITS.map((split) => [split, task.problems(split, seed, counts[split])]),
  ) as unknown as Readonly<Record<Split, readonly TaskProblem[]>>;
  assertNoLeak(splits, (problem) => task.traitsOf(problem));
  const settings = { task: task.name, seed, algorithm, rounds, roundSize, problems: sha256(canonicalJson(splits)) };
  const before = await kept(places.settings, () => Promise.resolve(settings));
  if (canonicalJson(before) !== canonicalJson(settings))
    throw new SeamError(
      'CONFLICT',
      `Cannot continue the study in ${folder}: expected the settings that it was begun with (${canonicalJson(before)}), got ${canonicalJson(settings)}. Name another folder.`,
    );
  for (const split of SPLITS)
    if (!existsSync(places.file(split))) await writeWhole(places.file(split), rowsOf(splits[split]));
  if (!existsSync(places.file('smoke'))) await writeWhole(places.file('smoke'), rowsOf(fewOf(splits.validation)));
  if (task.entrySchemas !== undefined && !existsSync(places.schemas))
    await writeWhole(places.schemas, `${JSON.stringify(task.entrySchemas, null, 2)}\n`);
  return splits;
}

/** For the loop's own report, which this study has no use for: two, and one of each domain. */
const fewOf = (problems: readonly TaskProblem[]): readonly TaskProblem[] =>
  problems.filter(({ domain }, at) => at < 2 || problems.findIndex((other) => other.domain === domain) === at);

const rowsOf = (problems: readonly TaskProblem[]): string =>
  problems.map((problem) => `${JSON.stringify(problem)}\n`).join('');

/** Of the services on a data folder of the study. */
function servicesOn(dataFolder: string, options: StudyOptions, places: Places): Environment {
  const { task, modelFolder, seed, roundSize, algorithm } = options;
  const own = {
    SEAM_ENTRY_SCHEMAS: task.entrySchemas === undefined ? worldFiles(places.loop).entrySchemas : places.schemas,
    ...task.environment(modelFolder),
    ...options.environment,
  };
  const validation = places.file('validation');
  return embeddedEnvironment({ dataFolder, seed, roundSize, algorithm, validation }, own);
}

async function playLoop(options: StudyOptions, places: Places): Promise<readonly GateDecision[]> {
  const { seed, algorithm, rounds, roundSize, say } = options;
  const start: StartOptions = {
    ...{ exit: true, method: 'experiences', drive: true, json: true, heldOut: 8, maxShiftedRounds: 0 },
    ...{ seed, algorithm, roundSize, maxRounds: rounds, dataDir: places.loop },
    services: ['generator', 'executor', 'buffer', 'trainer'],
    ...{ problems: places.file('train'), validation: places.file('validation'), test: places.file('smoke') },
    said: new Set(['seed', 'algorithm', 'roundSize', 'maxRounds', 'problems', 'validation', 'test', 'heldOut']),
  };
  let played: readonly GateDecision[] = [];
  await runLoop(start, {
    environment: servicesOn(places.loop, options, places),
    signal: new AbortController().signal,
    terminal: { write: (text) => say(text.trimEnd()) },
    onReport: ({ figures }) => {
      if (!('domains' in figures && 'rounds' in figures))
        throw new SeamError('INTERNAL', 'Cannot read the loop: expected a report of rounds, got another. Report it.');
      played = figures.rounds.map(({ round, promoted, validation }) => ({ round, promoted, validation }));
      return Promise.resolve(places.loopEnd);
    },
  });
  return played;
}

async function runShuffled(options: StudyOptions, places: Places): Promise<ShuffledRun> {
  const round = await reading(servicesOn(places.loop, options, places), ({ log }) =>
    shuffledRound(log, String(options.seed)),
  );
  await makeFolder(places.shuffled);
  return learnShuffled(servicesOn(places.shuffled, options, places), round, options.say);
}

/** What is read of a data folder's log and objects, without any model. */
async function reading<T>(environment: Environment, read: (drivers: Drivers) => Promise<T>): Promise<T> {
  const drivers = await openDrivers(loadServiceConfigs(environment).generator);
  try {
    return await read(drivers);
  } finally {
    await closeDrivers(drivers);
  }
}

/** Null where nothing was stored. */
async function artefactOf({ objects }: Drivers, stored: StoredAdapter | null): Promise<Served | null> {
  if (stored === null) return null;
  return decodeServed(stored.key, await objects.get(stored.key), { digest: stored.adapterDigest });
}

interface Measurement {
  readonly pieces: readonly Piece[];
  readonly executor: string;
  readonly adapter: StudyReport['adapter'];
  readonly explored: readonly ExploredRound[];
}

async function measure(
  options: StudyOptions,
  places: Places,
  heldOut: readonly Problem[],
  shuffledRun: ShuffledRun,
): Promise<Measurement> {
  const { say, task } = options;
  const [ofLoop, ofShuffled] = [places.loop, places.shuffled].map((folder) => servicesOn(folder, options, places));
  const shuffledAdapter = await reading(ofShuffled!, (drivers) => artefactOf(drivers, shuffledRun.adapter));
  const host = await hostServices(ofLoop!, [], { onTraining: () => undefined });
  try {
    const last = await lastAdapter(host.drivers.log);
    const settings = {
      ...{ models: host, shuffledAdapter, cheatsheet: task.cheatsheet, cases: await solvedCases(host.drivers.log) },
      adapter: await artefactOf(host.drivers, last),
      maxAloneTokens: host.entryMaxTokens * 2,
    };
    const estimate = timeLeft(heldOut.length);
    const pieces: Piece[] = [];
    for (let from = 0; from < heldOut.length; from += PIECE) {
      const problems = heldOut.slice(from, from + PIECE);
      const onProgress = (what: string, done: number, total: number): void =>
        say(`held-out problems from ${from + 1}: ${what} ${done}/${total}`);
      pieces.push(
        await kept(places.piece(from), async () => {
          const piece = await measurePiece(problems, { ...settings, onProgress });
          say(estimate(from + problems.length, problems.length));
          return piece;
        }),
      );
    }
    const { model, revision } = host.environment.identity;
    const adapter = last === null ? null : { digest: last.adapterDigest, promoted: last.promoted };
    const explored = await exploredRounds(host.drivers.log);
    return { pieces, executor: `${model}@${revision}`, adapter, explored };
  } finally {
    await host.close();
  }
}

/** Says how many are done and how long the others take, by those that this process measured. */
function timeLeft(total: number): (done: number, measured: number) => string {
  const begun = performance.now();
  let own = 0;
  return (done, measured) => {
    own += measured;
    const left = ((performance.now() - begun) / own) * (total - done);
    return `${done} of ${total} held-out problems measured, about ${Math.ceil(left / 60_000)} min left`;
  };
}
