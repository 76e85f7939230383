/** Measures entries against all controls, and against baselines, when the rounds in a world of attributes are over. */
import { type Attempt, BASELINES, learnBaseline } from '@seamstream/attribute-world';
import type { Environment } from '@seamstream/environments';
import {
  armResult,
  type ControlRow,
  type ControlRowResult,
  type ControlsStudy,
  type Entry,
  EVALUATION_ARMS,
  measureEntries,
  type PredictionSink,
  pairs,
  studyControls,
} from '@seamstream/evaluation';
import type { Problem } from '@seamstream/events';
import type { Served } from '@seamstream/rollout';
import { pairedDifference } from '@seamstream/statistics';
import { type ComparedExecutors, obedience, openComparedExecutors } from './compared-executors.js';
import { ATTRIBUTE_PRESETS } from './demonstrations.js';
import { measureByAttempts } from './measure-by-attempts.js';
import { measureLate, withEntries } from './measure-late.js';
import { learnedRounds, type MeasureRunInput, roundsFacts, storedArtefact } from './measure-run.js';
import { measureTimes } from './measure-times.js';
import { readRecordedAttempts } from './recorded-attempts.js';
import {
  type AttributesReport,
  type AttributesRow,
  type AttributesSet,
  type ExecutorRow,
  holds,
  OTHER_EXECUTOR_ROWS,
  SPLIT_WORDS,
  trainedExecutorRow,
} from './report/attributes-report.js';
import { validationServedAt } from './report/build-report.js';
import { ExampleChoice } from './report/example-part.js';
import { exploredOf, rate } from './round-progress.js';
import { attributeSet, attributeWorldOf } from './world-files.js';

/** Entries and controls, and whether entry or generator solve without the executor. */
const SHOWN_ROWS: readonly ControlRow[] = [...EVALUATION_ARMS, 'entryAlone', 'generatorAlone'];

/** What the rounds left behind, and who is compared. */
interface Learned {
  readonly adapter: Served | null;
  readonly attempts: readonly Attempt[];
  readonly executors: ComparedExecutors;
}

export async function measureAttributesRun(input: MeasureRunInput): Promise<AttributesReport> {
  const { host, progress, run, say } = input;
  const { method, seed } = run.settings;
  const { served } = progress.adapters;
  const world = attributeWorldOf(run.settings);
  const adapter = await storedArtefact(host, served);
  const recorded = await readRecordedAttempts(host.drivers.log);
  const attempts = withEntries(recorded);
  const executors = await openComparedExecutors(recorded, { host, seed, say });
  try {
    const learned = { adapter, attempts, executors };
    const sets: AttributesSet[] = [];
    const heldOut = attributeSet(world, 'heldOut', input.heldOut);
    const choice = new ExampleChoice(heldOut);
    const ofOld = await measureSet(input, learned, 'heldOut', heldOut, (each) => choice.take(each));
    sets.push(ofOld.set);
    const newWords = attributeSet(world, 'newWords', input.heldOut);
    sets.push((await measureSet(input, learned, 'newWords', newWords)).set);
    const late = world.late.size === 0 ? null : attributeSet(world, 'heldOut', input.heldOut, { isLate: true });
    const problems = late === null ? null : { new: late, old: heldOut };
    const shift = problems === null ? null : await measureLate({ input, recorded, problems, onOld: ofOld.trained });
    if (shift !== null) sets.push((await measureSet(input, learned, 'late', late!)).set);
    const preset = ATTRIBUTE_PRESETS[method]!;
    return {
      ...{ method: method as AttributesReport['method'], preset, sets, attempts: attempts.length },
      ...{ rounds: roundsOf(input), examples: choice.chosen(), served: served?.adapterDigest ?? null },
      executors: await executorRows(host.environment, executors, heldOut),
      timeToCorrect: await measureTimes(heldOut, { host, adapter, attempts, seed, say }),
      byAttempts: await measureByAttempts(input, recorded, { heldOut, newWords }),
      ...(await roundsFacts(input, 'held-out problems of the demonstration')),
      // Absent without one, so that such reports are as they were.
      ...(shift === null ? {} : { shift }),
      converged: holds({ preset, sets, ...(shift === null ? {} : { shift }) }),
    };
  } finally {
    await executors.close();
  }
}

function roundsOf({ progress }: MeasureRunInput): AttributesReport['rounds'] {
  return learnedRounds(progress).map(({ row, run, end, candidate }) => ({
    ...{
      round: row.round,
      phase: row.phase,
      algorithm: run.algorithm,
      explored: rate(exploredOf(row)) ?? 0,
      ...end,
      ...candidate,
    },
    attempts: row.byAdapter.executed + row.byBase.executed,
    controls: row.control.executed,
    faithful: rate(row.quoting),
    servedValidation: validationServedAt(progress, run.endedAtMs ?? run.startedAtMs),
  }));
}

async function executorRows(
  frozen: Environment,
  { trained, other }: ComparedExecutors,
  problems: readonly Problem[],
): Promise<readonly ExecutorRow[]> {
  const rows: ExecutorRow[] = [];
  for (const { name, environment, training } of [
    { name: 'frozen', environment: frozen, training: null },
    ...trained.map(({ by, ...each }) => ({ name: trainedExecutorRow(by), ...each })),
    { name: 'other executor', environment: other, training: null },
  ])
    rows.push({ name, training, obeys: await obedience(environment, problems) });
  return rows;
}

async function measureSet(
  { host, run, say }: MeasureRunInput,
  { adapter, attempts, executors }: Learned,
  split: AttributesSet['split'],
  problems: readonly Problem[],
  onSaid?: PredictionSink,
): Promise<MeasuredSet> {
  const { generator, environment, prompts, schemaFor, entryMaxTokens } = host;
  const onProgress = (row: string, done: number, total: number): void =>
    say(`measuring ${SPLIT_WORDS[split]}: ${row} ${done}/${total}`);
  const written: string[] = problems.map(() => '');
  const study = await studyControls(problems, {
    ...{ generator, environment, prompts, schemaFor, adapter, onProgress },
    ...{ rows: SHOWN_ROWS, seed: `${split}/${run.settings.seed}`, nowMs: () => performance.now() },
    // Where the generator solves by itself it has the tokens of an entry and of an answer.
    ...{ maxEntryTokens: entryMaxTokens, maxAloneTokens: 2 * entryMaxTokens },
    onPrediction: (prediction) => {
      onSaid?.(prediction);
      const { arm, problem, entry } = prediction;
      if (arm === 'trained') written[problem] = entry ?? '';
    },
  });
  const rows = SHOWN_ROWS.flatMap((row) => (study.rows[row] === undefined ? [] : [controlRow(row, study)]));
  const asked = async (name: string, entries: readonly Entry[], by: Environment): Promise<Solved> =>
    (await measureEntries(name, problems, entries, { environment: by, onProgress })).solved;
  const alone = study.rows.noExperience!.solved;
  const row = (name: string, solved: Solved, without = alone, isBaseline = false): AttributesRow =>
    comparedRow({ name, isBaseline }, problems, solved, without);
  for (const name of BASELINES) {
    const advice = problems.map(learnBaseline(name, attempts));
    rows.push(row(name, await asked(name, advice, environment), alone, true));
  }
  const none = problems.map(() => null);
  for (const { by, environment: trained } of executors.trained) {
    const name = trainedExecutorRow(by);
    rows.push(row(name, await asked(name, none, trained)));
  }
  const [without, withEntries] = OTHER_EXECUTOR_ROWS;
  const otherAlone = await asked(without, none, executors.other);
  rows.push(row(without, otherAlone, otherAlone));
  rows.push(row(withEntries, await asked(withEntries, written, executors.other), otherAlone));
  const { problemSetDigest, faithful, leaks } = study;
  return {
    set: {
      ...{ split, problems: problems.length, problemSetDigest, rows, leaks },
      faithful: faithful === null ? null : faithful.faithful / faithful.quoting,
    },
    trained: study.rows.trained!,
  };
}

interface MeasuredSet {
  readonly set: AttributesSet;
  /** The trained generator's entries, problem by problem. */
  readonly trained: ControlRowResult;
}

type Solved = ControlRowResult['solved'];

function controlRow(name: ControlRow, study: ControlsStudy): AttributesRow {
  const { success, interval95, perDomain, rescued, broken, lift } = study.rows[name]!;
  const share = (count: number | null): number => (count ?? 0) / study.problems;
  return {
    ...{ name, isBaseline: false, success, interval95, lift },
    ...{ rescued: share(rescued), broken: share(broken) },
    perDomain: successes(perDomain),
  };
}

/** As the controls have theirs. @param without what the same executor solves without an entry, or, of one that was trained, as it was before */
function comparedRow(
  named: Pick<AttributesRow, 'name' | 'isBaseline'>,
  problems: readonly Problem[],
  solved: Solved,
  without: Solved,
): AttributesRow {
  const nothing = problems.map(() => null);
  const { success, interval95, perDomain } = armResult(problems, { solved, unjudged: nothing, judgedBy: nothing });
  const both = pairs(solved, without);
  const share = (of: (own: boolean, alone: boolean) => boolean): number =>
    both.filter((pair) => of(...pair)).length / problems.length;
  return {
    ...{ ...named, success, interval95 },
    lift: solved === without ? { value: 0, interval95: [0, 0] } : pairedDifference(both),
    ...{ rescued: share((own, alone) => own && !alone), broken: share((own, alone) => !own && alone) },
    perDomain: successes(perDomain),
  };
}

function successes(perDomain: ControlRowResult['perDomain']): AttributesRow['perDomain'] {
  return Object.fromEntries(Object.entries(perDomain).map(([domain, own]) => [domain, own.success]));
}
